-- delivery: the layout of deliveries, the elements that consumers acknowledge.
--
-- A delivery keeps one origin from its first claim to its end, 26 bytes: the incarnation of the worker that claimed it
-- first (8), the number of that claim (8), as big-endian u16 the place in it, and as big-endian u64 the unix ms of that
-- claim. A hash holds the payload under the origin.
--
-- A token stands for a delivery in a sorted set, 46 bytes: the origin, and the id of the latest lease (20), whose
-- layout is in lib/lease.lua. The group of the delivery (lib/groups.lua) follows if it has one. Each delivery has one
-- token: among the leases, by the ends of the leases, among the retries, by the times of the next attempts, or among
-- those that wait for their groups.

-- A claim may come too late at its worker, so that no caller gets the delivery and another worker claims it meanwhile.
-- The hash holds under the origin and LATE how many such claims there were. Their attempts do not count.

-- Bytes of an origin, of a token without a group, and of a group.
local ORIGIN, UNGROUPED, GROUP = 26, 46, 16
local LATE = '-'

-- Says whether an entry of these sets is a token. Somebody else may have put anything there.
local function is_token(entry)
  return #entry == UNGROUPED or #entry == UNGROUPED + GROUP
end

-- Returns the origin of a token.
local function origin_of(token)
  return string.sub(token, 1, ORIGIN)
end

-- Returns the number of the attempt that a token is about, from 1.
local function attempt_of(token)
  return (struct.unpack('>H', token, ORIGIN + 19))
end

-- Returns a token that is about another attempt.
local function at_attempt(token, attempt)
  return string.sub(token, 1, ORIGIN + 18) .. struct.pack('>H', attempt) .. string.sub(token, UNGROUPED + 1)
end

-- Returns a token whose attempt does not count, since no caller has seen the delivery.
local function uncounted(token)
  return at_attempt(token, math.max(0, attempt_of(token) - 1))
end

-- Takes the payload of a delivery out. Needs HDEL on the deliveries.
local function remove_payload(origin)
  redis.call('HDEL', deliveries, origin, origin .. LATE)
end

-- Returns how many attempts at a delivery do not count. Needs HGET on the deliveries.
local function late_claims(origin)
  return tonumber(redis.call('HGET', deliveries, origin .. LATE)) or 0
end

-- Forgets that. Needs HDEL on the deliveries.
local function forget_late(origin)
  redis.call('HDEL', deliveries, origin .. LATE)
end

-- Notes that a claim came too late, if the delivery is still there. Needs HGET on the deliveries. Without the rights to
-- HEXISTS and HSET, or without memory, the attempt counts.
local function note_late(origin)
  if redis.pcall('HEXISTS', deliveries, origin) == 1 then
    redis.pcall('HSET', deliveries, origin .. LATE, late_claims(origin) + 1)
  end
end

-- Returns the time of the first of these tokens, which their times follow, ms; or nil.
local function time_of_first(tokens)
  local score = tonumber(tokens[2])
  return score and math.min(score, 9007199254740992)
end

-- The same of a set of tokens.
local function earliest_ms(KEY)
  return time_of_first(redis.call('ZRANGE', KEY, 0, 0, 'WITHSCORES'))
end
