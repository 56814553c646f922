-- places: finding where members stand in the ordering list.
-- uses: member
--
-- A bulky member has BULKY bytes or more. A script should not copy it without need. (A large payload is something else:
-- it has more than 1 MiB, and travels on a socket of its own.)
--
-- An entry may have 64 MB, and Redis says no sizes beforehand. So a script reads entries in portions, which grow
-- while entries are small, up to 64 entries, and stops after about READ_BYTES. From then on Redis searches by itself,
-- which takes longer and copies nothing. Redis also searches for bulky members.
--
-- A client may guess where members stand. `guesses` is '' or: one byte ('1', or '0' if some are known to be wrong),
-- then 20 bytes per member: 16 bytes of its id, and its place as a little-endian u32 (the maximum for unknown). The 16
-- bytes are those behind the member's first byte. The members are those that came first in the timeout set when a
-- client looked. Places change: removing a member moves those behind it toward the head, and pushing one onto the head
-- moves all others.

local READ_BYTES, BULKY = 4194304, 65536

-- Passes the entries from place `first` to `last` to `visit`, as a table and the place in front of its first entry,
-- until `visit` returns true or `room.bytes` is used up. Keeps a bulky entry in `room.bulky`.
local function each_portion(first, last, room, visit)
  local portion, read, bytes = 4, 0, 0
  while first <= last and room.bytes > 0 do
    local until_place = math.min(last, first + portion - 1)
    local entries = redis.call('LRANGE', ordering, first, until_place)
    local portion_bytes = 0
    for i = 1, #entries do
      portion_bytes = portion_bytes + #entries[i]
      room.bulky = #entries[i] >= BULKY and entries[i] or room.bulky
    end
    if visit(entries, first - 1) then
      return
    end
    bytes = bytes + portion_bytes
    room.bytes = room.bytes - portion_bytes
    read = read + portion
    first = until_place + 1
    portion = math.min(8 * portion, 64, math.ceil(room.bytes * read / math.max(bytes, 1)))
  end
end

-- Returns where a member stands whose id tells when it was offered, or nil where that misleads. Some 15 probes
-- narrow a list of a million down to a few dozen entries, which it reads.
local function place_by_id(size, member, room)
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
  -- Offers that were made at the same time are not quite in order.
  local place
  each_portion(math.max(0, first - 16), last + 16, room, function(entries, before)
    for i, entry in ipairs(entries) do
      if entry == member then
        place = before + i
        return true
      end
    end
  end)
  return place
end

-- Returns where a member stands that is among the oldest or newest 1000 entries, or nil if it is not, and how many
-- entries Redis compared. Redis copies nothing. A user without the right to LPOS gets nil.
local function place_by_search(size, member)
  local place = tonumber(redis.pcall('LPOS', ordering, member, 'MAXLEN', 1000))
  if place then
    return place, place + 1
  end
  place = tonumber(redis.pcall('LPOS', ordering, member, 'RANK', -1, 'MAXLEN', 1000))
  return place, 1000 + (place and size - place or 1000)
end

-- Says whether no other member begins like this one, in the 16 bytes behind the first. They hold all of its id, or
-- all that is unique in an id that src/wire/ids.rs makes for a member that expires.
local function is_known_by_start(member)
  local size = string.byte(member)
  return (size >= 8 and size <= 16) or (size == 25 and string.byte(member, 18) == 120)
end

-- Returns the places that `guesses` tell, by how the members begin.
local function places_by_start(guesses)
  local places = {}
  for at = 2, #guesses - 19, 20 do
    places[string.sub(guesses, at, at + 15)] = struct.unpack('<I4', guesses, at + 16)
  end
  return places
end

-- Checks the first, the last, every hundredth, and every member that others may begin like. If these stand where
-- guessed, all are taken as right. Otherwise it searches around each guess.
--
-- Returns
--   { member -> place }
--   the cost, in entries that LREM could have scanned
--   true if members had moved
--   the index of the first member that `guesses` do not name at that index; #members + 1 if they name all
local function check_guesses(members, guesses, leap, allowance, room)
  local guessed, place_of, count = {}, {}, 0
  local by_start
  -- The first member that is not the one that `guesses` name at that index.
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

  -- Assumes that members were removed evenly, at the rate that the member found last shows.
  local places, spent, shift, strays = {}, 0, 0, 0
  for _, member in ipairs(guessed) do
    spent = spent + 4 * leap
    if strays > 8 or spent > allowance or room.bytes <= 0 then
      break
    end
    local place = place_of[member]
    local from = math.max(0, math.floor(place * (1 - shift)) - 32)
    strays = strays + 1
    each_portion(from, from + 64, room, function(entries, before)
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
