-- prelude_leave: how scripts take many members out of the ordering list at once, however long it is; put
-- behind the prelude.

-- The commands that locate and leave need.
local LEAVE = { 'LLEN', 'LINDEX', 'LRANGE', 'LSET', 'LTRIM', 'LREM' }

-- An entry may have 64 MB, and Redis says no sizes beforehand. So entries are read in portions, which grow while
-- entries are small, and only until about so many bytes were read in a run. Then Redis looks by itself, which
-- takes longer and copies nothing. It also does so for members of this size.
local READ_BYTES, LARGE = 4194304, 65536

-- Shows the entries from place `first` to `last` to `visit`, as a table and the place in front of its first one,
-- until that returns true or `room.bytes` is used up. Keeps a large one in `room.large`.
local function each_portion(ordering, first, last, room, visit)
  local portion, read, bytes = 4, 0, 0
  while first <= last and room.bytes > 0 do
    local until_place = math.min(last, first + portion - 1)
    local entries = redis.call('LRANGE', ordering, first, until_place)
    local portion_bytes = 0
    for i = 1, #entries do
      portion_bytes = portion_bytes + #entries[i]
      room.large = #entries[i] >= LARGE and entries[i] or room.large
    end
    if visit(entries, first - 1) then
      return
    end
    bytes = bytes + portion_bytes
    room.bytes = room.bytes - portion_bytes
    read = read + portion
    first = until_place + 1
    portion = math.min(8 * portion, math.ceil(room.bytes * read / math.max(bytes, 1)))
  end
end

-- Where an entry of the ordering list stands whose id tells when it was offered, or nil where that misleads.
-- Some 15 probes narrow a list of a million down to a few dozen entries, which are read.
local function place_by_id(ordering, size, member, room)
  local offered = offered_at(member)
  local first, last = 0, size - 1
  while last - first > 32 do
    local middle = math.floor((first + last) / 2)
    local entry = redis.call('LINDEX', ordering, middle)
    room.bytes = room.bytes - #entry
    local then_offered = offered_at(entry)
    if not then_offered or room.bytes <= 0 then
      return nil
    elseif then_offered < offered then
      first = middle
    else
      last = middle
    end
  end
  -- What several offer at once is not quite in order.
  local place
  each_portion(ordering, math.max(0, first - 16), last + 16, room, function(entries, before)
    for i, entry in ipairs(entries) do
      if entry == member then
        place = before + i
        return true
      end
    end
  end)
  return place
end

-- Where an entry of the ordering list stands that is among its oldest or newest, or nil where it is not. Redis
-- searches, so nothing is copied. Nobody needs the right to that command.
local function place_by_search(ordering, member)
  local place = redis.pcall('LPOS', ordering, member, 'MAXLEN', 1000)
    or redis.pcall('LPOS', ordering, member, 'RANK', -1, 'MAXLEN', 1000)
  return tonumber(place)
end

-- Whether no other member begins like this one, in the 16 bytes behind the first: they hold all of its id, or
-- all that is unique in one that src/wire/ids.rs makes for what expires.
local function is_known_by_start(member)
  local size = string.byte(member)
  return (size >= 8 and size <= 16) or (size == 25 and string.byte(member, 18) == 120)
end

-- The places that `guesses` tell, by how the members begin (see check).
local function places_by_start(guesses)
  local places = {}
  for at = 2, #guesses - 19, 20 do
    places[string.sub(guesses, at, at + 15)] = struct.unpack('<I4', guesses, at + 16)
  end
  return places
end

-- Where these members stand according to `guesses`: { member -> place }, what it cost, whether they had moved,
-- and which of them is the first that is not the one that was said, behind the last if each is. `guesses` is
-- '' or '1', or '0' if it is known to be wrong here and there, and for each of the members that came first
-- when someone looked the 16 bytes behind its first one, with which its id begins, and the place where it
-- stood, a u32, the greatest for none. What is removed moves what is behind it toward the head, and what is
-- pushed onto the head moves all. So if the first stands where it stood, and the last, and some between, and
-- those that may have been taken for others, all do; otherwise each is looked for near its place.
local function check(ordering, members, guesses, leap, allowance, room)
  local guessed, place_of, count = {}, {}, 0
  local by_start
  -- The first member that is not the one of which `guesses` speak there.
  local stranger = #members + 1
  for i, member in ipairs(guesses ~= '' and members or {}) do
    local start, at = string.sub(member, 2, 17), 20 * i - 18
    local place
    if string.sub(guesses, at, at + 15) == start then
      place = struct.unpack('<I4', guesses, at + 16)
    else
      stranger = math.min(stranger, i)
      by_start = by_start or places_by_start(guesses)
      place = by_start[start]
    end
    if place and place < 4294967295 and (count + 1) * leap <= allowance then
      count = count + 1
      guessed[count] = member
      place_of[member] = place
    end
  end
  if count == 0 then
    return {}, 0, false, stranger
  end

  local first, last = guessed[1], guessed[1]
  local stand, seen = string.sub(guesses, 1, 1) == '1', 0
  local function see(member)
    stand = stand and redis.call('LINDEX', ordering, place_of[member]) == member
    seen = seen + 1
  end
  for i, member in ipairs(guessed) do
    local place = place_of[member]
    first = place < place_of[first] and member or first
    last = place > place_of[last] and member or last
    if i % 100 == 0 or not is_known_by_start(member) then
      see(member)
    end
  end
  see(first)
  see(last)
  if stand then
    return place_of, (count + seen) * leap, false, stranger
  end

  -- As if what was removed was spread evenly, as far as the one found last tells.
  local places, spent, shift, strays = {}, 0, 0, 0
  for _, member in ipairs(guessed) do
    spent = spent + 4 * leap
    if strays > 8 or spent > allowance or room.bytes <= 0 then
      break
    end
    local place = place_of[member]
    local from = math.max(0, math.floor(place * (1 - shift)) - 32)
    strays = strays + 1
    each_portion(ordering, from, from + 64, room, function(entries, before)
      for i, near in ipairs(entries) do
        if near == member then
          places[member] = before + i
          shift, strays = place > 0 and 1 - places[member] / place or 0, 0
          return true
        end
      end
    end)
  end
  return places, spent, true, stranger
end

-- Finds out how many of these members, which are wanted in this order, can leave the ordering list without
-- holding up Redis: some 10 ms while it is short, and when it is long some two or three scans of it. The first
-- always can, and there must be one. `guesses` tell where some stand (see check).
--
-- Where a large member is known to be pending, the places of a few are searched by Redis rather than read, for that
-- may be to copy the large one each time.
--
-- Returns how many can leave, which are the first; { member -> place } as far as they were found; the length of
-- the list; whether those of the guesses had moved; whether what can leave is what the guesses begin with; and a
-- large entry that was read, or nil. Writes nothing.
local function locate(ordering, members, guesses, is_beside_large)
  local size = redis.call('LLEN', ordering)
  if size == 0 then
    return #members, {}, size, false, true
  end
  -- In entries that LREM scans, some 27 a us: what may be spent besides one scan of the whole list, and
  -- what it costs to leap to a place in the middle, over nodes that no cache holds if they are many.
  local allowance = math.max(200000 - size, math.min(size + size * size / 1000000, 1500000))
  local leap = 30 + size / 1000 + size * size / 250000000
  local room = { bytes = READ_BYTES }
  local places, spent, had_moved, stranger = check(ordering, members, guesses, leap, allowance, room)
  allowance = allowance - spent

  local is_searched = is_beside_large and #members <= 16
  local missing = {}
  local missed = 0
  for _, member in ipairs(members) do
    if not places[member] and not is_unlisted(member) then
      local place = (is_searched or #member >= LARGE) and place_by_search(ordering, member)
      if place then
        places[member] = place
      else
        missing[member] = true
        missed = missed + 1
      end
    end
  end
  local function look_at(first, last)
    if missed > 0 and not is_searched then
      each_portion(ordering, first, last, room, function(entries, before)
        for i, entry in ipairs(entries) do
          if missing[entry] then
            places[entry] = before + i
            missing[entry] = nil
            missed = missed - 1
          end
        end
        return missed == 0
      end)
    end
  end
  -- Of what is offered with one delay the oldest are due, and of what is not, often the newest.
  local many = missed
  look_at(0, many - 1)
  look_at(many, many + 31)
  look_at(math.max(many + 32, size - many - 32), size - 1)

  local count, shares_scan = 0, missed > 1 or missed < #members
  for _, member in ipairs(members) do
    if missing[member] and shares_scan and not is_searched and offered_at(member) and allowance > 20 * leap then
      allowance = allowance - 20 * leap
      places[member] = place_by_id(ordering, size, member, room)
    end
    if missing[member] and not places[member] then
      -- Where the id does not tell the nearer end LREM may scan all.
      local scan = offered_at(member) and size / 2 or size
      if count > 0 and allowance < scan then
        break
      end
      allowance = allowance - scan
    end
    count = count + 1
  end
  return count, places, size, had_moved, count < stranger, room.large
end

-- Has the first `count` of these members leave the ordering list, as `locate` said just before that they can.
local function leave(ordering, members, count, places, size)
  if size == 0 then
    return
  end
  local taken, lost = {}, {}
  for i = 1, count do
    local member = members[i]
    local place = places[member]
    if place then
      taken[place] = true
    else
      lost[#lost + 1] = member
    end
  end
  local run = 0
  while taken[run] do
    taken[run] = nil
    run = run + 1
  end
  local older, newer = 0, 0
  for place in pairs(taken) do
    redis.call('LSET', ordering, place, MARKER)
    if place < size / 2 then
      older = older + 1
    else
      newer = newer + 1
    end
  end
  if run > 0 then
    redis.call('LTRIM', ordering, run, -1)
  end
  if older > 0 then
    redis.call('LREM', ordering, older, MARKER)
  end
  if newer > 0 then
    redis.call('LREM', ordering, -newer, MARKER)
  end
  for _, member in ipairs(lost) do
    unlist(ordering, member)
  end
end
