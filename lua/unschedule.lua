-- unschedule: forget a periodic offer. The elements that it has offered stay.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] periodic     hash rdq1_periodic:{<name>}      name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] periodic_due zset rdq1_periodic_due:{<name>}  name -> its next occurrence, unix ms
-- ARGV[1] name  text    name of the periodic offer
--
-- Returns 1 if it was there, else 0.
-- Cost O(log S): S schedules of the queue.

local refused = unfit(periodic, 'hash', 'HDEL') or unfit(periodic_due, 'zset', 'ZREM')
if refused then
  return refused
end

redis.call('ZREM', periodic_due, name)
return redis.call('HDEL', periodic, name)
