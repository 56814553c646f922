-- delivery: the layout of deliveries, the elements that somebody has claimed.
--
-- A delivery keeps one origin from its first claim to its end, 26 bytes: the incarnation of the worker that claimed it
-- first (8), the number of that claim (8), as big-endian u16 the place in it, and as big-endian u64 the unix ms of that
-- claim. A hash holds the payload under the origin.
--
-- A token stands for a delivery in a sorted set, 46 bytes: the origin, and the id of the latest lease (20). The id has
-- the incarnation of the worker (8), the number of the claim (8), and as big-endian u16 the place in the claim, from 0,
-- and the number of the attempt, from 1. The group of the delivery (lib/groups.lua) follows if it has one.
--
-- Each delivery stands in one of four sets, which tells what becomes of it:
--   leases           take() has it; when the lease ends, the payload goes back to the head of the target queue. There is
--                    no second attempt under this origin, so the origin alone is the token.
--   delivery_leases  a consumer has it; when the lease ends, the next attempt is due
--   retries          the next attempt is due at the score
--   grouped          it waits for its group, without a time
--
-- A claim may come too late at its worker, so that no caller gets the delivery and another worker claims it meanwhile.
-- The hash holds under the origin and LATE how many such claims there were, and the id of the last one's lease: a script
-- that is sent again does not count it again. Their attempts do not count.

-- Bytes of an origin, of a token without a group, and of a group.
local ORIGIN, UNGROUPED, GROUP = 26, 46, 16
local LATE = '-'

-- Says whether an entry of these sets is a token. Somebody else may have put anything there.
local function is_token(entry)
  return #entry == UNGROUPED or #entry == UNGROUPED + GROUP
end

-- Says whether it is the token of what take() has.
local function is_origin(entry)
  return #entry == ORIGIN
end

-- Returns the origin of a token.
local function origin_of(token)
  return string.sub(token, 1, ORIGIN)
end

-- Returns the incarnation of the worker that made the latest claim.
local function holder_of(token)
  local first = is_origin(token) and 1 or ORIGIN + 1
  return string.sub(token, first, first + 7)
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

-- Stores { origin, payload, ... } and { when the lease ends, token, ... }. Needs HSET on the deliveries and ZADD on
-- the set.
local MOST_STORED = 1000
local function store(SET, payloads, tokens)
  for from = 1, #payloads, MOST_STORED do
    redis.call('HSET', deliveries, unpack(payloads, from, math.min(from + MOST_STORED - 1, #payloads)))
  end
  for from = 1, #tokens, MOST_STORED do
    redis.call('ZADD', SET, unpack(tokens, from, math.min(from + MOST_STORED - 1, #tokens)))
  end
end

-- Takes the payload of a delivery out. Needs HDEL on the deliveries.
local function remove_payload(origin)
  redis.call('HDEL', deliveries, origin, origin .. LATE)
end

-- Returns how many attempts at a delivery do not count, and the id of the lease that was noted last. Needs HGET on the
-- deliveries.
local function late_claims(origin)
  local noted = redis.call('HGET', deliveries, origin .. LATE)
  local count, id = string.match(noted or '', '^(%d+) ?(.*)$')
  return tonumber(count) or 0, id
end

-- Forgets that. Needs HDEL on the deliveries.
local function forget_late(origin)
  redis.call('HDEL', deliveries, origin .. LATE)
end

-- Notes that a claim came too late, if the delivery is still there. Needs HGET on the deliveries. Without the rights to
-- HEXISTS and HSET, or without memory, the attempt counts.
local function note_late(token)
  local origin, id = origin_of(token), string.sub(token, ORIGIN + 1, UNGROUPED)
  if redis.pcall('HEXISTS', deliveries, origin) == 1 then
    local count, noted = late_claims(origin)
    if noted ~= id then
      redis.pcall('HSET', deliveries, origin .. LATE, count + 1 .. ' ' .. id)
    end
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
