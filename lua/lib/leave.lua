-- leave: taking many members out of the ordering list at once, however long it is.
-- uses: member, ordering, places

-- The commands that locate and leave need on the ordering list.
local LEAVE = { 'LLEN', 'LINDEX', 'LRANGE', 'LSET', 'LTRIM', 'LREM' }

-- How many entries Redis compares at most, some 27 a us, until it searches for no further member.
local SEARCHED = 200000

-- Returns how many of `members` can leave without holding up Redis: about 10 ms for a short list, two or three scans
-- for a long one. The first always can. `guesses` say where some members probably stand; see lib/places.lua. Writes
-- nothing.
--
-- If `is_beside_bulky`, a bulky member is pending, and reading around members could copy it each time. So Redis itself
-- searches for them, as far as SEARCHED allows, and the rest is read only if it is more than a few.
--
-- Returns
--   how many members can leave: the first ones
--   { member -> place } of the members that it found
--   the length of the ordering list
--   true if members no longer stood where `guesses` put them
--   true if the members that can leave are the first ones in `guesses`
--   a bulky entry that it read, or nil
local function locate(members, guesses, is_beside_bulky)
  local size = redis.call('LLEN', ordering)
  if size == 0 then
    return #members, {}, size, false, true
  end
  -- Both count entries that LREM scans, some 27 a us. `allowance` is what may be spent besides one scan of the whole
  -- list. `leap` is what it costs to reach a place in the middle; a long list has more nodes than a cache holds.
  local allowance = math.max(200000 - size, math.min(size + size * size / 1000000, 1500000))
  local leap = 30 + size / 1000 + size * size / 250000000
  local room = { bytes = READ_BYTES }
  local places, spent, had_moved, stranger = check_guesses(members, guesses, leap, allowance, room)
  allowance = allowance - spent

  local missing = {}
  local missed, searched = 0, 0
  for _, member in ipairs(members) do
    if not places[member] and not is_unlisted(member) then
      local place, cost
      if #member >= BULKY or is_beside_bulky and searched < SEARCHED then
        place, cost = place_by_search(size, member)
        searched = searched + cost
      end
      if place then
        places[member] = place
      else
        missing[member] = true
        missed = missed + 1
      end
    end
  end
  local is_searched = is_beside_bulky and missed <= 16
  local function read_between(first, last)
    if missed > 0 and not is_searched then
      each_portion(first, last, room, function(entries, before)
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
  -- Where all delays are alike, the oldest members are due; elsewhere often the newest.
  local many = missed
  read_between(0, many - 1)
  read_between(many, many + 31)
  read_between(math.max(many + 32, size - many - 32), size - 1)

  local count, shares_scan = 0, missed > 1 or missed < #members
  for _, member in ipairs(members) do
    if missing[member] and shares_scan and not is_searched and offered_at(member) and allowance > 20 * leap then
      allowance = allowance - 20 * leap
      places[member] = place_by_id(size, member, room)
    end
    if missing[member] and not places[member] then
      -- If the id does not tell which end is nearer, LREM may scan the whole list.
      local scan = offered_at(member) and size / 2 or size
      if count > 0 and allowance < scan then
        break
      end
      allowance = allowance - scan
    end
    count = count + 1
  end
  return count, places, size, had_moved, count < stranger, room.bulky
end

-- Takes the first `count` of these members out of the ordering list. `locate` must have said just before that they
-- can leave, and returned `places` and `size`.
local function leave(members, count, places, size)
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
    unlist(member)
  end
end
