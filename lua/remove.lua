-- remove: take one member out of the queue before it is due, and keep a late attempt to offer it out.
-- Redisson: RedissonDelayedQueue.removeAsync (4.7.0) does the same once it has found the member.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- ARGV[1] packed member        ARGV[2] its id            ARGV[3] how long KEYS[3] shall remember the id, ms
-- ARGV[4] '1' if it was seen in KEYS[2], else it is there only if it is in KEYS[1]
--
-- Returns { 1 if it was scheduled else 0, how often it stood in the ordering list }.
-- Cost O(log N + D): D members were offered later (LREM scans them); O(log N) for one that is gone.
local timeouts, ordering, settled = KEYS[1], KEYS[2], KEYS[3]
local member = ARGV[1]

local refused = unfit(timeouts, 'zset', 'ZREM') or unfit(ordering, 'list', 'LREM')
  or unfit(settled, 'zset', unpack(SETTLE))
if refused then
  return refused
end

local scheduled = redis.call('ZREM', timeouts, member)
local listed = 0
if scheduled == 1 or ARGV[4] == '1' then
  listed = redis.call('LREM', ordering, -1, member)
end
-- Last: what frees memory is allowed while there is none, and then this is, too.
settle(settled, ARGV[2], tonumber(ARGV[3]))
return { scheduled, listed }
