-- scored: read a sorted set in the order of its scores, from behind a place on.
--
-- KEYS[1] set zset a set of the queue  member -> score
-- ARGV[1] score       text    score of the member behind which to begin, '-inf' to begin with the first
-- ARGV[2] member      text    that member
-- ARGV[3] most        number  most members to return
-- ARGV[4] most_bytes  number  how many bytes they may have; the last may exceed it
--
-- If the member has gone, the script begins with the first of its score: the caller drops what it has seen.
--
-- Returns { { member, score, ... }, 1 if there is more else 0 }.
-- Cost O(log N + M) for M members.
local rank = 0
if score ~= '-inf' or member ~= '' then
  if redis.call('ZSCORE', set, member) == score then
    rank = redis.call('ZRANK', set, member) + 1
  else
    rank = redis.call('ZCOUNT', set, '-inf', '(' .. score)
  end
end

-- One at first and then 16 at a time, because members may be large.
local entries, bytes, step_size, is_more = {}, 0, 1, true
while is_more and most > 0 and bytes < most_bytes do
  local step = redis.call('ZRANGE', set, rank, rank + math.min(step_size, most) - 1, 'WITHSCORES')
  is_more = #step > 0
  step_size = 16
  for i = 1, #step, 2 do
    if bytes < most_bytes then
      entries[#entries + 1], entries[#entries + 2] = step[i], step[i + 1]
      bytes = bytes + #step[i]
      rank, most = rank + 1, most - 1
    end
  end
end
return { entries, is_more and 1 or 0 }
