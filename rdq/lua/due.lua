-- due: look at the first members of the timeout set.
-- uses: clock, notes
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] ahead_ms    number  how far ahead of now to look
-- ARGV[2] most        number  most members to look at
-- ARGV[3] most_bytes  number  how many bytes they may have; the last may exceed it
-- ARGV[4] large_from  number  a member of more bytes than this is left out of the reply
--
-- Returns { now in unix us, 1 if these are all that are due so far else 0,
--   { { digest of the member, score, its bytes, the member or '' }, ... } }.
-- Cost O(log N + M) for M members, and a copy of each inside Redis, however large it is.
local now_us = server_us()
local latest = string.format('%.0f', now_us / 1000 + ahead_ms)

-- One at first and then 16 at a time, because members may be large.
local reply, bytes, offset, size, is_more = {}, 0, 0, 1, true
while is_more and #reply < most and bytes < most_bytes do
  local page = redis.call('ZRANGEBYSCORE', timeouts, '-inf', latest, 'WITHSCORES', 'LIMIT', offset, size)
  for i = 1, #page, 2 do
    local member = page[i]
    if #reply < most and bytes < most_bytes then
      reply[#reply + 1] = { digest_of(member), page[i + 1], #member, #member <= large_from and member or '' }
      bytes = bytes + #member
      offset = offset + 1
    end
  end
  is_more = #page == 2 * size
  size = 16
end
return { now_us, is_more and 0 or 1, reply }
