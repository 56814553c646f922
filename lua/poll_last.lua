-- poll_last: take out the element that was offered last, and put its payload first in another list.
-- Redisson: RedissonDelayedQueue.pollLastAndOfferFirstToAsync (4.7.0), same effects in the same order.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- KEYS[4] list    <destination>                          payloads
-- ARGV[1] how long KEYS[3] shall remember the id, ms
--
-- Returns the payload, or nil if there is no element.
-- Cost O(log N + J): J entries behind the element are no packed members, and stay.
local timeouts, ordering, settled, destination = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local refused = unfit(timeouts, 'zset', 'ZREM') or unfit(ordering, 'list', 'LRANGE', 'LREM')
  or unfit(settled, 'zset', unpack(SETTLE)) or unfit(destination, 'list', 'LPUSH')
if refused then
  return refused
end

local function last_member()
  local place = -1
  while true do
    local member = redis.call('LRANGE', ordering, place, place)[1]
    if not member then
      return nil
    end
    local first, last = payload_places(member)
    if first then
      return member, first, last
    end
    place = place - 1
  end
end

local member, first, last = last_member()
if not member then
  return false
end
-- In the layout of 3.21.0 and older the id has no length; one of 7 bytes makes both layouts alike.
local id = string.sub(member, 1, 8)
if first == 10 + string.byte(member, 1) then
  id = id_of(member)
end
local payload = string.sub(member, first, last)

-- ZREM first: what frees memory is allowed while there is none, and then the rest is, too.
redis.call('ZREM', timeouts, member)
redis.call('LREM', ordering, -1, member)
redis.call('LPUSH', destination, payload)
settle(settled, id, tonumber(ARGV[1]))
return payload
