-- remove: take members out of the queue before they are due, and keep late attempts to offer them out.
-- Redisson: RedissonDelayedQueue.removeAsync (4.7.0) does the same once it has found a member.
-- uses: check, ordering, settled
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled  zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] seen_listed  flag    if the client saw the members in `ordering`; else they are there only if they are in
--                              `timeouts`
-- ARGV[2] settled_ms   number  how long `settled` shall remember the ids, ms
-- ARGV[3] call         text    16 bytes that tell this call from any other, the same whenever it is sent again
-- ARGV[4] call_ms      number  how long `settled` shall remember what this call removed, ms
-- ARGV    from 5 on: packed member, its id, ...; at most 500 members, none twice
--
-- Returns { how many this call removed, now or when it was sent before, the length of `ordering` }.
-- Cost O(M * (log N + D)): M members; LREM scans D entries between a member and the end of `ordering` that is nearer,
-- if the ids tell which. O(log N) for a member that is gone or unlisted.

local refused = unfit(timeouts, 'zset', 'ZREM') or unfit(ordering, 'list', unpack(UNLIST))
  or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end

local removed, ids, by_this_call = 0, {}, {}
for i = 5, #ARGV, 2 do
  local member, id = ARGV[i], ARGV[i + 1]
  ids[#ids + 1] = id
  if redis.call('ZSCORE', settled, id .. call) then
    removed = removed + 1
  else
    local scheduled = redis.call('ZREM', timeouts, member) == 1
    local listed = (seen_listed or scheduled) and unlist(member) > 0
    if scheduled or listed then
      removed = removed + 1
      by_this_call[#by_this_call + 1] = id .. call
    end
  end
end
-- Comes last, because the removals free memory first; see lib/check.lua.
settle_all(ids, settled_ms)
settle_all(by_this_call, call_ms)
return { removed, redis.call('LLEN', ordering) }
