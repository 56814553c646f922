-- oldest: read the elements that were offered first and are not yet moved, with their scores.
-- Redisson: the LRANGE and LINDEX of RedissonDelayedQueue.pollAsync and peekAsync (4.7.0), which fail on entries that
-- are no packed members; this leaves such entries out.
-- uses: check, member
--
-- KEYS[1] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[2] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] most        number  most members to return
-- ARGV[2] most_bytes  number  how many bytes they may have; the last may exceed it
-- ARGV[3] passed      number  how many entries to pass over
--
-- Returns { how many entries to pass over the next time if no member is among 1000 entries, or among some 1 MB, else 0,
-- { member, score or '' if it stands in `ordering` only, ... } }.
-- Cost O(P + M log N): P passed over, M members returned.

local refused = unfit(ordering, 'list', 'LRANGE') or unfit(timeouts, 'zset', 'ZSCORE')
if refused then
  return refused
end

-- One at first and then 16 at a time, because entries may be large.
local step_size = 1
local found, bytes, odd, odd_bytes, first, is_end = {}, 0, 0, 0, passed, false
repeat
  local step = redis.call('LRANGE', ordering, first, first + step_size - 1)
  for _, member in ipairs(step) do
    if not payload_places(member) then
      odd, odd_bytes = odd + 1, odd_bytes + #member
    elseif most > 0 and bytes < most_bytes then
      found[#found + 1] = member
      found[#found + 1] = redis.call('ZSCORE', timeouts, member) or ''
      bytes = bytes + #member
      most = most - 1
    end
  end
  is_end = #step < step_size
  first, step_size = first + #step, 16
until is_end or most == 0 or bytes >= most_bytes or odd >= 1000 or odd_bytes >= 1000000
return { not is_end and #found == 0 and first or 0, found }
