-- seek: find the element in one page of the timeout set that is due first and holds a payload.
-- Redisson: none; RedissonDelayedQueue.containsAsync and removeAsync (4.7.0) search the ordering list.
-- uses: check, member, rank
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] score    text    score of the entry behind which to begin, '' to begin at the first
-- ARGV[2] member   text    that entry
-- ARGV[3] most     number  how many entries to look at, fewer if they are large
-- ARGV[4] payload  text    payload
--
-- Returns { the packed member or '' for none, the last entry that it looked at, the score of that entry }; the last
-- two are '' at the end of the set.
-- Cost O(log N + P): P entries looked at; O(log N * log E) more if the entry to begin behind has gone: E entries have
-- its score.

local refused = unfit(timeouts, 'zset', 'ZCOUNT', 'ZSCORE', 'ZRANK', 'ZRANGE')
if refused then
  return refused
end

local rank = score == '' and 0 or rank_behind(score, member)
-- One at first and then more, because entries may be large.
local step, bytes, page = 1, 0, {}
repeat
  page = redis.call('ZRANGE', timeouts, rank, rank + step - 1, 'WITHSCORES')
  for i = 1, #page, 2 do
    bytes = bytes + #page[i]
    -- The size comes first, because comparing a payload copies it.
    if #page[i] > #payload and payload_of(page[i]) == payload then
      return { page[i], '', '' }
    end
  end
  if #page < 2 * step then
    return { '', '', '' }
  end
  rank, most = rank + step, most - step
  step = math.min(16 * step, 64, most)
until most == 0 or bytes > 1000000
return { '', page[#page - 1], page[#page] }
