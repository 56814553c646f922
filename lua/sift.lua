-- sift: take members out of one stretch of the ordering list, and out of the timeout set.
-- Redisson: RedissonDelayedQueue.removeAllAsync (4.7.0); its retainAllAsync forgets the timeout set.
-- uses: check, ordering, settled
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled  zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] first       number  first place of the stretch, from 0
-- ARGV[2] last        number  last place of the stretch
-- ARGV[3] settled_ms  number  how long `settled` shall remember the ids, ms
-- ARGV[4] call        text    16 bytes that tell this call from any other, the same whenever it is sent again
-- ARGV[5] call_ms     number  how long `settled` shall remember what this call removed, ms
-- ARGV    from 6 on: packed member, its id, ...; at most 200 members, none twice
--
-- Returns { how many this call removed, now or when it was sent before, the number, from 1, of a member that is not
-- in the stretch, ... }. It leaves those members alone.
-- Cost O(S + M * (log N + D)): S the length of the stretch, M members in it, D the distance of the stretch from the
-- nearer end of `ordering`. LSET leaps over that by nodes, and LREM scans it once.

local refused = unfit(timeouts, 'zset', 'ZREM')
  or unfit(ordering, 'list', 'LRANGE', 'LSET', 'LLEN', 'LREM')
  or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end

local removed, wanted = 0, {}
for i = 6, #ARGV, 2 do
  if redis.call('ZSCORE', settled, ARGV[i + 1] .. call) then
    removed = removed + 1
  else
    wanted[ARGV[i]] = { id = ARGV[i + 1], number = (i - 4) / 2 }
  end
end

local places, members, ids, by_this_call = {}, {}, {}, {}
for offset, member in ipairs(redis.call('LRANGE', ordering, first, last)) do
  local it = wanted[member]
  if it then
    places[#places + 1] = first + offset - 1
    if not it.found then
      it.found = true
      members[#members + 1] = member
      ids[#ids + 1] = it.id
      by_this_call[#by_this_call + 1] = it.id .. call
    end
  end
end

if #members > 0 then
  -- Frees memory first; see lib/check.lua.
  redis.call('ZREM', timeouts, unpack(members))
  for _, place in ipairs(places) do
    redis.call('LSET', ordering, place, MARKER)
  end
  local is_newer_half = first + last >= redis.call('LLEN', ordering)
  redis.call('LREM', ordering, is_newer_half and -#places or #places, MARKER)
  settle_all(ids, settled_ms)
  settle_all(by_this_call, call_ms)
end

local reply = { removed + #members }
for _, it in pairs(wanted) do
  if not it.found then
    reply[#reply + 1] = it.number
  end
end
return reply
