-- skip: find where to begin, so many pending elements behind the first of a range.
-- uses: score
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] lowest  text    lowest score of the range, as ZCOUNT takes it
-- ARGV[2] passed   number  how many entries to leave out
--
-- Returns { due time of the first entry behind them, unix ms, how many of them are due in that millisecond }, or
-- nothing if there is none.
-- Cost O(log N).
local rank = redis.call('ZCARD', timeouts) - redis.call('ZCOUNT', timeouts, lowest, '+inf') + passed
local score = tonumber(redis.call('ZRANGE', timeouts, rank, rank, 'WITHSCORES')[2])
if not score then
  return false
end
local due = score_ms(score)
local earlier = due > 0 and redis.call('ZCOUNT', timeouts, '-inf', string.format('%.0f', due - 1)) or 0
return { string.format('%.0f', due), rank - earlier }
