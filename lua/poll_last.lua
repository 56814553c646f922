-- poll_last: take out the element that was offered last, or is due last, and put its payload first in another list.
-- Redisson: RedissonDelayedQueue.pollLastAndOfferFirstToAsync (4.7.0), same effects in the same order.
-- uses: check, id, ordering, payload, remembered, settled
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[4] list    <destination>                          payloads
-- ARGV[1] how long KEYS[3] shall remember the id, ms
-- ARGV[2] '1' for the element that is due last, else the one that was offered last
-- ARGV[3] most bytes of a payload that it takes out
--
-- Returns { the payload, or nil if there is no element or it was left, how many bytes the payload has that was
-- left, or 0 }.
-- Cost O(log N + J): J entries behind the element are no packed members, and stay. For the element that is due last,
-- O(D) more: LREM scans D entries of KEYS[2] between it and the nearer end.
local timeouts, ordering, settled, destination = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local refused = unfit(timeouts, 'zset', 'ZRANGE', 'ZREM') or unfit(ordering, 'list', 'LRANGE', unpack(UNLIST))
  or unfit(settled, 'zset', unpack(SETTLE)) or unfit(destination, 'list', 'LPUSH')
if refused then
  return refused
end

local by_due = ARGV[2] == '1'
local function last_member()
  local place = -1
  while true do
    local range = by_due and { 'ZRANGE', timeouts } or { 'LRANGE', ordering }
    local member = redis.call(range[1], range[2], place, place)[1]
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
  return { false, 0 }
elseif last - first + 1 > tonumber(ARGV[3]) then
  return { false, last - first + 1 }
end
-- In the layout of 3.21.0 and older the id has 8 bytes and no length in front.
-- If the first byte is 7, both layouts put the payload at the same place, and either id will do.
local id = string.sub(member, 1, 8)
if first == 10 + string.byte(member, 1) then
  id = id_of(member)
end
local payload = string.sub(member, first, last)

-- Frees memory first; see lib/check.lua.
redis.call('ZREM', timeouts, member)
if not by_due then
  redis.call('LREM', ordering, -1, member)
else
  unlist(ordering, member)
end
redis.call('LPUSH', destination, payload)
settle(settled, id, remembered(tonumber(ARGV[1]), member))
return { payload, 0 }
