-- sizes: count the members of both keys at one moment. Writes nothing.
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
--
-- Returns { how many are pending, how many are listed }. O(1).
return { redis.call('ZCARD', timeouts), redis.call('LLEN', ordering) }
