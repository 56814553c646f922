-- quarantine: setting aside members that cannot be read.
--
-- The quarantine is for people, who look there for what went wrong. It keeps the members that came first, because a
-- flood begins with its cause, and because that costs least. It is bounded, because nobody may ever look. It holds
-- MOST_KEPT members at most. It takes one more only if as many members of that size as it holds would have
-- KEPT_BYTES or less: so equal members fill KEPT_BYTES, a few large members fit beside small ones, and the first
-- member fits whatever its size. The score of the member DROPPED counts those that did not fit; whoever deletes the
-- quarantine deletes that count with it.

local MOST_KEPT, KEPT_BYTES = 10000, 67108864
local DROPPED = 'rdq1: so many more were dropped'

-- The commands that set_aside needs on the quarantine.
local SET_ASIDE = { 'ZADD', 'ZCARD' }

-- Puts members that left another key, at most 3,000, into the quarantine with their scores. Returns how many did not
-- fit.
local function set_aside(members, scores)
  local kept = redis.call('ZCARD', quarantine)
  local entries, size, dropped = {}, 0, 0
  for i, member in ipairs(members) do
    if kept < MOST_KEPT and kept * #member <= KEPT_BYTES then
      kept = kept + 1
      entries[size + 1] = scores[i]
      entries[size + 2] = member
      size = size + 2
    else
      dropped = dropped + 1
    end
  end
  if size > 0 then
    redis.call('ZADD', quarantine, unpack(entries))
  end
  if dropped > 0 then
    redis.call('ZADD', quarantine, 'INCR', dropped, DROPPED)
  end
  return dropped
end

-- Returns { how many they are, how many of them were dropped, { the first of them, if small, ... } }.
local function taken_out(members, dropped)
  local few, bytes = {}, 0
  for i = 1, math.min(#members, 16) do
    bytes = bytes + #members[i]
    if bytes > 65536 then
      break
    end
    few[i] = members[i]
  end
  return { #members, dropped, few }
end
