-- poll_last: take out the element that was offered last, or is due last, and put its payload first in another list.
-- Redisson: RedissonDelayedQueue.pollLastAndOfferFirstToAsync (4.7.0), same effects in the same order.
-- uses: check, member, ordering, settled
--
-- KEYS[1] timeouts    zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering    list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled     zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[4] destination list <destination>                          payloads
-- ARGV[1] remember_ms  number  how long `settled` shall remember the id, ms
-- ARGV[2] by_due       flag    for the element that is due last, else the one that was offered last
-- ARGV[3] most_bytes   number  most bytes of a payload that it takes out
-- ARGV[4] passed       number  how many entries to pass over, from the last
--
-- Returns { the payload, or nil if there is no element or it was left, how many bytes the payload has that was
-- left, or 0, how many entries to pass over the next time if no element is among 1000 entries, or among some 1 MB, else
-- 0 }.
-- Cost O(log N + P): P entries passed over, because they are no packed members, which stay. For the element that is due
-- last, O(D) more: LREM scans D entries of `ordering` between it and the nearer end.
local refused = unfit(timeouts, 'zset', 'ZRANGE', 'ZREM') or unfit(ordering, 'list', 'LRANGE', unpack(UNLIST))
  or unfit(settled, 'zset', unpack(SETTLE)) or unfit(destination, 'list', 'LPUSH')
if refused then
  return refused
end

local function read(first, last)
  if by_due then
    return redis.call('ZRANGE', timeouts, first, last)
  end
  return redis.call('LRANGE', ordering, first, last)
end
-- Returns the last member and where its payload stands. Or nil, nil, nil, and how many entries it has passed over by
-- then, 0 if these are all.
local function last_member()
  local place, count, bytes, size = passed, 0, 0, 1
  while count < 1000 and bytes < 1000000 do
    local page = read(-place - size, -place - 1)
    for i = #page, 1, -1 do
      local first, last = payload_places(page[i])
      if first then
        return page[i], first, last
      end
      count, bytes = count + 1, bytes + #page[i]
    end
    if #page < size then
      return nil, nil, nil, 0
    end
    place, size = place + size, math.min(4 * size, 64)
  end
  return nil, nil, nil, place
end

local member, first, last, passed = last_member()
if not member then
  return { false, 0, passed }
elseif last - first + 1 > most_bytes then
  return { false, last - first + 1, 0 }
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
  unlist(member)
end
redis.call('LPUSH', destination, payload)
settle(id, remembered(remember_ms, member))
return { payload, 0, 0 }
