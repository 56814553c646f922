-- due: look at the first members of the timeout set.
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] how far ahead of now to look, ms               ARGV[2] most members to look at
-- ARGV[3] how many bytes they may have; the last may exceed it
-- ARGV[4] a member of more bytes than this is left out of the reply
--
-- Returns { now in unix us, 1 if these are all that are due so far else 0,
--   { { digest of the member, score, its bytes, the member or '' }, ... } }.
-- Cost O(log N + M) for M members, and a copy of each inside Redis, however large it is.
local most, most_bytes, large_from = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2]
local latest = string.format('%.0f', now_us / 1000 + ARGV[1])
-- Returns what stands for a member: of a large one, both ends and the size.
local function digest_of(member)
  if #member > 65536 then
    member = #member .. string.sub(member, 1, 1024) .. string.sub(member, -1024)
  end
  return redis.sha1hex(member)
end

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
