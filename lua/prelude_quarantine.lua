-- prelude_quarantine: how scripts set aside members that cannot be read; put behind the prelude.
--
-- The quarantine is for people, who look there for what went wrong. It keeps the members that came first,
-- because a flood begins with its cause, and because it costs least. It is bounded, because nobody may ever
-- look: it holds at most MOST_KEPT members, and takes the next one only if as many of its size as it then held
-- would have KEPT_BYTES or less. So equal members fill KEPT_BYTES, a few large ones are kept beside small ones,
-- and the first is kept whatever its size. The score of the member DROPPED says how many did not fit; whoever
-- deletes the quarantine deletes that with it.

local MOST_KEPT, KEPT_BYTES = 10000, 67108864
local DROPPED = 'rdq1: so many more were dropped'

-- The commands that set_aside needs.
local SET_ASIDE = { 'ZADD', 'ZCARD' }

-- Puts these members, which left another key, at most 3,000, into the quarantine with their scores. Returns how
-- many did not fit.
local function set_aside(quarantine, members, scores)
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

-- The first of these members, as many as are worth reporting.
local function first_few(members)
  local few, bytes = {}, 0
  for i = 1, math.min(#members, 16) do
    bytes = bytes + #members[i]
    if bytes > 65536 then
      break
    end
    few[i] = members[i]
  end
  return few
end
