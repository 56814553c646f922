-- announce: publish the due time of the head, if it is one of those that were written.
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] the lowest score that was written, as Redis spells it
-- ARGV[2] channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key right
--
-- Java parses the message as an integer. Its clients that wait for a later head wake up in time then.
--
-- Returns 1 if it published, else 0.
-- Cost O(log N).
local lowest, channel = ARGV[1], ARGV[2]

if redis.call('ZCOUNT', timeouts, '-inf', '(' .. lowest) > 0 or redis.call('ZCOUNT', timeouts, lowest, lowest) == 0 then
  return 0
end
local due_ms = math.max(0, math.min(math.ceil(tonumber(lowest)), 9007199254740992))
redis.pcall('PUBLISH', channel, string.format('%.0f', due_ms))
return 1
