-- page: read pending elements in the order of their due times, from behind a place on.
-- Redisson: none; RedissonDelayedQueue.iterator reads the ordering list with one LINDEX for each element.
-- uses: check, rank
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] lowest      text    lowest score, as ZCOUNT takes it
-- ARGV[2] highest     text    highest score, as ZCOUNT takes it
-- ARGV[3] score       text    score of the entry behind which to begin, '' to begin at the lowest
-- ARGV[4] member      text    that entry
-- ARGV[5] most        number  most entries to return
-- ARGV[6] most_bytes  number  how many bytes they may have; the last may exceed it
--
-- Redis orders equal scores by the bytes of their members, so the script finds the place again even if its entry has
-- gone. It leaves out no entry that stays, and returns none twice unless its score has grown.
--
-- Returns { 1 if there is more else 0, { member, score, ... } }.
-- Cost O(log N + M) for M entries; O(log N * log E) more if the entry has gone: E entries have its score.

local refused = unfit(timeouts, 'zset', 'ZCARD', 'ZCOUNT', 'ZSCORE', 'ZRANK', 'ZRANGE')
if refused then
  return refused
end

local rank
if score == '' then
  rank = redis.call('ZCARD', timeouts) - redis.call('ZCOUNT', timeouts, lowest, '+inf')
else
  rank = rank_behind(score, member)
end
local stop = redis.call('ZCOUNT', timeouts, '-inf', highest)

-- One at first and then 16 at a time, because entries may be large.
local step_size = 1
local entries, bytes = {}, 0
while rank < stop and most > 0 and bytes < most_bytes do
  local last = math.min(rank + step_size, rank + most, stop) - 1
  step_size = 16
  local step = redis.call('ZRANGE', timeouts, rank, last, 'WITHSCORES')
  for i = 1, #step, 2 do
    if bytes < most_bytes then
      entries[#entries + 1] = step[i]
      entries[#entries + 1] = step[i + 1]
      bytes = bytes + #step[i]
      rank, most = rank + 1, most - 1
    end
  end
end
return { rank < stop and 1 or 0, entries }
