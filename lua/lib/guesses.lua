-- guesses: where clients say that members stand in the ordering list, and whether that is right.
-- uses: portions
--
-- `guesses` is '' or: one byte ('1', or '0' if some are known to be wrong), then 20 bytes per member: 16 bytes of its
-- id, and its place as a little-endian u32 (the maximum for unknown). The 16 bytes are those behind the member's first
-- byte. The members are those that came first in the timeout set when a client looked.
--
-- Places change: removing a member moves those behind it toward the head, and pushing one onto the head moves all
-- others.

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
