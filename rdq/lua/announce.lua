-- announce: publish the due time of the head, if it is one of those that were written.
-- uses: head, score
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] lowest   text    the lowest score that was written, as Redis spells it
-- ARGV[2] channel  text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key right
--
-- Java parses the message as an integer. Its clients that wait for a later head wake up in time then.
--
-- Returns 1 if it published, else 0.
-- Cost O(log N).
if redis.call('ZCOUNT', timeouts, '-inf', '(' .. lowest) > 0 or redis.call('ZCOUNT', timeouts, lowest, lowest) == 0 then
  return 0
end
publish(channel, score_ms(lowest))
return 1
