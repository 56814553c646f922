-- oldest: read the elements that were offered first and are not yet moved, with their scores.
-- Redisson: the LRANGE and LINDEX of RedissonDelayedQueue.pollAsync and peekAsync (4.7.0), which fail on entries that
-- are no packed members; this leaves such entries out.
-- uses: check, payload
--
-- KEYS[1] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[2] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] most members to return      ARGV[2] how many bytes they may have; the last may exceed it
--
-- Returns { member, score or '' if it stands in KEYS[1] only, ... }.
-- Cost O(M log N + J): M members returned, J entries among them that are no packed members.
local ordering, timeouts = KEYS[1], KEYS[2]
local most, most_bytes = tonumber(ARGV[1]), tonumber(ARGV[2])

local refused = unfit(ordering, 'list', 'LRANGE') or unfit(timeouts, 'zset', 'ZSCORE')
if refused then
  return refused
end

-- One at first and then 16 at a time, because entries may be large.
local step_size = 1
local found, bytes, first, is_end = {}, 0, 0, false
repeat
  local step = redis.call('LRANGE', ordering, first, first + step_size - 1)
  for _, member in ipairs(step) do
    if most > 0 and bytes < most_bytes and payload_places(member) then
      found[#found + 1] = member
      found[#found + 1] = redis.call('ZSCORE', timeouts, member) or ''
      bytes = bytes + #member
      most = most - 1
    end
  end
  is_end = #step < step_size
  first, step_size = first + step_size, 16
until is_end or most == 0 or bytes >= most_bytes
return found
