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

-- Bytes of an origin, and of a token without a group.
local ORIGIN, UNGROUPED = 26, 46

-- Returns the origin of a token.
local function origin_of(token)
  return string.sub(token, 1, ORIGIN)
end

-- Returns the number of the attempt that a token is about, from 1.
local function attempt_of(token)
  return (struct.unpack('>H', token, ORIGIN + 19))
end

-- Returns a token whose attempt does not count, since no caller has seen the delivery.
local function uncounted(token)
  local attempt = struct.pack('>H', attempt_of(token) - 1)
  return string.sub(token, 1, ORIGIN + 18) .. attempt .. string.sub(token, UNGROUPED + 1)
end

-- Returns the time of the first token of a set, ms, or nil.
local function earliest_ms(tokens)
  return tonumber(redis.call('ZRANGE', tokens, 0, 0, 'WITHSCORES')[2])
end
