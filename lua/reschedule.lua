-- reschedule: give a pending member another due time; its bytes and its place in the offer order stay.
-- Redisson: none; an element is removed there and offered again.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- ARGV[1] packed member        ARGV[2] its id
-- ARGV[3] ms from now, or unix ms                        ARGV[4] '1' for ms from now
-- ARGV[5] '1' if it must not become due later than it is
-- ARGV[6] clock for the due time, unix us, or '' for Redis's own
-- ARGV[7] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[8] how long KEYS[2] shall remember the id, if the member becomes due within that time, ms
-- ARGV[9] 16 bytes that tell this call from any other, the same whenever it is sent again
-- ARGV[10] how long KEYS[2] shall remember that this call was done, as id and ARGV[9], ms
--
-- Returns { 1 if it was pending, now or when this call was done before, us until it is due if it is the head,
-- else -1, Redis's clock in unix us }.
-- Cost O(log N).
local timeouts, settled = KEYS[1], KEYS[2]
local member, id, channel = ARGV[1], ARGV[2], ARGV[7]
local settled_ms, call, call_ms = tonumber(ARGV[8]), ARGV[9], tonumber(ARGV[10])

local server_now_us = server_us()
local now_us = tonumber(ARGV[6]) or server_now_us
local now_ms, time_ms = math.ceil(now_us / 1000), tonumber(ARGV[3])
-- A moment that has passed is now.
local due_ms = ARGV[4] == '1' and now_ms + time_ms or math.max(now_ms, time_ms)
if due_ms > 9007199254740992 then
  return redis.error_reply('RDQRANGE due time past 2^53 ms')
end

local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZADD')
  or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end

local is_earlier = false
if not redis.call('ZSCORE', settled, id .. call) then
  local was_due = redis.call('ZSCORE', timeouts, member)
  if not was_due then
    return { 0, -1, server_now_us }
  end
  is_earlier = due_ms < tonumber(was_due)
  if is_earlier or ARGV[5] ~= '1' then
    redis.call('ZADD', timeouts, 'XX', string.format('%.0f', due_ms), member)
  end
  if due_ms * 1000 - now_us < settled_ms * 1000 then
    settle(settled, id, settled_ms)
  end
  settle(settled, id .. call, call_ms)
end

local head, due = head_of(timeouts)
if head ~= member then
  return { 1, -1, server_now_us }
end
if is_earlier then
  publish_head(channel, timeouts)
end
return { 1, us_until(due, now_us), server_now_us }
