-- consume: lease payloads to one worker whose callers acknowledge them. Deliveries that wait for another attempt go
-- first.
-- Redisson: none; RReliableQueue of Redisson PRO has acknowledgement, in keys of its own.
-- uses: bury, check, clock, delivery, front, notes, pace
--
-- KEYS[1] list    <name>                                 the target queue: payloads that are due
-- KEYS[2] hash    rdq1_deliveries:{<name>}               origin -> payload
-- KEYS[3] zset    rdq1_delivery_leases:{<name>}          token -> when its lease runs out, unix ms
-- KEYS[4] zset    rdq1_retries:{<name>}                  token -> when the next attempt is due, unix ms
-- KEYS[5] hash    rdq1_state:{<name>}                    whether the queue is paused, and how fast it lets elements go
-- KEYS[6] list    <dead letters>                         payloads that nobody could handle
-- KEYS[7] list    rdq1_dead_notes:{<dead letters>}       a note about each of these
-- ARGV[1] most payloads to lease, at most 1000          ARGV[2] how long the leases last, ms
-- ARGV[3] 16 bytes: the worker's incarnation and the number of this claim
-- ARGV[4] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[5] how many more payloads to lease if the rate is not limited; at most 1000 in all
-- ARGV[6] a payload of more bytes than this is large: it is leased, and the client fetches it later
-- ARGV[7] the lease of a large payload lasts 1 ms longer per ARGV[7] bytes
-- ARGV[8] most payloads to read at a time; 1 where large ones may come
-- ARGV[9] 1 to lease no large payload, else 0
-- ARGV[10] the most attempts at a delivery              ARGV[11] what users call the queue
--
-- lib/delivery.lua has the layout of origins and tokens. A delivery that had its last attempt goes to the dead letters
-- instead of being leased again.
--
-- Returns { { payload, ... }, { origin, attempt, ... }, when the leases run out in unix ms, us until the rate allows
-- the next one, 0 for now and -1 while paused, 1 if more may be there else 0, large, now in unix ms, us until the next
-- lease runs out or the next attempt is due, -1 for never, how many deliveries went to the dead letters }. The second
-- field is about the first payloads, which were claimed before. Every other payload is at its first attempt, and its
-- origin is ARGV[3], its place among all that were leased now, and now in unix ms. `large` is {} for none, { bytes,
-- when its lease runs out in unix ms } for a payload that was leased last and is not in the reply, { bytes } for a
-- payload that was left where it is.
-- Cost O(M log L): L leases and retries, M leased.
local target, deliveries, leases, retries, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local dead, notes = KEYS[6], KEYS[7]
local most, lease_ms, claimant = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local most_bytes = tonumber(ARGV[4])
local large_from, bytes_a_ms, may_be_large = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[9] == '0'
local last_attempt, name = tonumber(ARGV[10]), ARGV[11]

local refused = unfit(target, 'list', 'LRANGE', 'LTRIM', 'LLEN')
  or unfit(deliveries, 'hash', 'HGET', 'HSTRLEN', 'HSET', 'HDEL')
  or unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZRANGE', 'ZADD', 'ZREM')
  or unfit(retries, 'zset', 'ZRANGEBYSCORE', 'ZRANGE', 'ZREM')
  or unfit(state, 'hash', 'HMGET', 'HSET')
  or unfit(dead, 'list', 'RPUSH', 'LLEN', 'LINDEX') or unfit(notes, 'list', 'RPUSH', 'LLEN', 'LINDEX', 'LRANGE', 'LTRIM')
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
local allowed, taken = admit(state, most, now_us, tonumber(ARGV[5]))
local payloads, tokens, again, large, count, bytes = {}, {}, {}, {}, 0, 0
local function lease(origin, attempt, size, payload)
  tokens[count + 1] = origin .. claimant .. struct.pack('>HH', count, attempt)
  count = count + 1
  bytes = bytes + size
  if size > large_from then
    large = { size, now_ms + lease_ms + math.ceil(size / bytes_a_ms) }
  else
    payloads[count] = payload
  end
end
local function wanted()
  return count < allowed and bytes < most_bytes and not large[1]
end
local function room()
  -- As many as fit if they are like those before.
  local fitting = math.ceil((most_bytes - bytes) * count / math.max(bytes, 1))
  return math.min(allowed - count, math.max(1, fitting))
end

local buried, buried_bytes, gone = 0, 0, 0
-- Leases the deliveries again whose tokens have scores up to `latest`. Returns false if it left one of them.
local function lease_again(set, latest)
  local page, i = {}, 0
  while true do
    if i == #page then
      page, i = redis.call('ZRANGEBYSCORE', set, '-inf', latest, 'LIMIT', 0, 100), 0
      if #page == 0 then
        return true
      end
    end
    if not wanted() or buried + gone == 100 or buried_bytes >= 1000000 then
      return false
    end
    i = i + 1
    local token, origin = page[i], origin_of(page[i])
    local attempt, size = attempt_of(token) + 1, redis.call('HSTRLEN', deliveries, origin)
    if attempt > last_attempt then
      redis.call('ZREM', set, token)
      bury(deliveries, dead, notes, token, now_ms, name, 'no attempt succeeded')
      buried, buried_bytes = buried + 1, buried_bytes + size
    elseif size > large_from and not may_be_large then
      large = { size }
      return false
    else
      -- Frees memory first; see lib/check.lua.
      redis.call('ZREM', set, token)
      local payload = size <= large_from and redis.call('HGET', deliveries, origin)
      -- Without a payload, somebody deleted the delivery and left its token.
      if payload or size > large_from then
        again[#again + 1], again[#again + 2] = origin, attempt
        lease(origin, attempt, size, payload)
      else
        gone = gone + 1
      end
    end
  end
end

local is_more = not (lease_again(leases, '(' .. string.format('%.0f', now_ms))
  and lease_again(retries, string.format('%.0f', now_ms)))
local stored = {}
local left = is_more and 0 or lease_front(target, false, tonumber(ARGV[8]), wanted, room, function(payload)
  if #payload > large_from and not may_be_large then
    large = { #payload }
    return false
  end
  local origin = claimant .. struct.pack('>HL', count, now_ms)
  stored[#stored + 1], stored[#stored + 2] = origin, payload
  lease(origin, 1, #payload, payload)
  return true
end)

-- Asked before the list changes: a read afterwards would make Redis report every later change to this client.
is_more = is_more or redis.call('LLEN', target) > left
if left > 0 then
  redis.call('LTRIM', target, left, -1)
end
local MOST = 1000
for from = 1, #stored, MOST do
  redis.call('HSET', deliveries, unpack(stored, from, math.min(from + MOST - 1, #stored)))
end
local deadline_ms = now_ms + lease_ms
local deadline = string.format('%.0f', deadline_ms)
for from = 1, count, MOST / 2 do
  local entries, size = {}, 0
  for i = from, math.min(from + MOST / 2 - 1, count) do
    entries[size + 1] = large[2] and i == count and string.format('%.0f', large[2]) or deadline
    entries[size + 2] = tokens[i]
    size = size + 2
  end
  redis.call('ZADD', leases, unpack(entries))
end

trim_notes(dead, notes)

local next_us = -1
-- A lease has run out when its last millisecond has passed.
local lease_end_ms, retry_ms = earliest_ms(leases), earliest_ms(retries)
if lease_end_ms or retry_ms then
  next_us = math.max(0, math.min(lease_end_ms and lease_end_ms + 1 or math.huge, retry_ms or math.huge) * 1000 - now_us)
end
return {
  payloads, again, deadline_ms, taken(count), is_more and 1 or 0, large, now_ms, next_us, buried
}
