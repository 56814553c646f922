-- offer: schedule one value; sending the same offer again while it is pending changes nothing.
-- Redisson: RedissonDelayedQueue.offerAsync (4.7.0), same effects in the same order.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- ARGV[1] packed member        ARGV[2] its id            ARGV[3] delay, ms
-- ARGV[4] clock for the due time, unix us, or '' for Redis's own
-- ARGV[5] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[6] a first attempt that runs before this moment (unix us, Redis's clock) need not look at KEYS[3]
-- ARGV[7] an attempt that runs after this moment (unix us, Redis's clock) must write nothing
-- ARGV[8] how long KEYS[3] shall remember the id, ms; 0 for not at all
--
-- Returns { outcome, is_head, due in us from now, Redis's clock in unix us }, where outcome is
--   1 written, 0 was there or had been there already, -1 too late: nothing was written.
-- Cost O(log N).
local timeouts, ordering, settled = KEYS[1], KEYS[2], KEYS[3]
local member, id, delay_ms, channel = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[5]
local remember_ms = tonumber(ARGV[8])

local server_now_us = server_us()
local now_us = tonumber(ARGV[4]) or server_now_us
local due_ms = math.ceil(now_us / 1000) + delay_ms
if due_ms > 9007199254740992 then
  return redis.error_reply('RDQRANGE due time past 2^53 ms')
end
local score = string.format('%.0f', due_ms)

if server_now_us > tonumber(ARGV[7]) then
  return { -1, 0, 0, server_now_us }
end
if server_now_us > tonumber(ARGV[6]) or remember_ms > 0 then
  local refused = unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
  if refused then
    return refused
  end
  if redis.call('ZSCORE', settled, id) then
    return { 0, 0, due_ms * 1000 - now_us, server_now_us }
  end
end

local refused = unfit(ordering, 'list', 'RPUSH')
if refused then
  return refused
end
local added = redis.pcall('ZADD', timeouts, 'NX', score, member)
if type(added) == 'table' then
  return unfit(timeouts, 'zset', 'ZADD') or added
end
if added == 0 then
  return { 0, 0, due_ms * 1000 - now_us, server_now_us }
end
redis.call('RPUSH', ordering, member)
if remember_ms > 0 then
  settle(settled, id, remember_ms)
end

local is_head = 0
-- From here on a missing right must not fail the offer, which stands: movers find it by polling.
if redis.pcall('ZRANGE', timeouts, 0, 0)[1] == member then
  is_head = 1
  redis.pcall('PUBLISH', channel, score)
end
return { 1, is_head, due_ms * 1000 - now_us, server_now_us }
