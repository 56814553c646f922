-- limit: set or end the limit to the rate at which a queue's elements are claimed.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] state hash rdq1_state:{<name>}  the queue's state
-- ARGV[1] interval_us  text    the time that each element uses up, us, or '' for no limit
-- ARGV[2] burst        text    how many elements may come at once, or ''
--
-- An equal limit goes on as it is, so each process may set it when it starts. Another limit begins with its whole
-- burst.
--
-- Returns 1 if it changed anything, else 0.
-- Cost O(1).

local refused = unfit(state, 'hash', 'HMGET', 'HDEL', 'HSET')
if refused then
  return refused
end

local held = redis.call('HMGET', state, 'interval_us', 'burst')
if (held[1] or '') == interval_us and (held[2] or '') == burst then
  return 0
end
redis.call('HDEL', state, 'interval_us', 'burst', 'next_us')
if interval_us ~= '' then
  redis.call('HSET', state, 'interval_us', interval_us, 'burst', burst)
end
return 1
