-- withdraw: take members out of the queue before they are due, each unless somebody else was quicker.
-- Redisson: RedissonDelayedQueue.pollAsync (4.7.0) does the same to the first member, whichever that is.
-- uses: check, member, settled
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled  zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] token        text    16 bytes that name this call
-- ARGV[2] remember_ms  number  how long `settled` shall remember it, ms
-- ARGV    from 3 on: member, its id, the score that the client saw it with or '', ...; at most 1000 of each
--
-- `settled` remembers which members the call took, so another attempt of the same call answers as the first did. It
-- also remembers a call that was given up (see put_back): an attempt at it that comes late takes nothing.
--
-- Returns { place of a member that this call took, counted from 0, ... }.
-- Cost O(M * (log N + P)): M members, P the place of the last of them in `ordering`. LREM scans the whole list for a
-- member that is not there, unless its id says so.

local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZREM') or unfit(ordering, 'list', 'LREM')
  or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end
if redis.call('ZSCORE', settled, token) then
  return {}
end

local taken = {}
for i = 3, #ARGV, 3 do
  local member, place = ARGV[i], (i - 3) / 3
  local mine = token .. struct.pack('>H', place)
  if redis.call('ZSCORE', settled, mine) or redis.call('ZSCORE', settled, mine .. 'u') then
    taken[#taken + 1] = place
  elseif (redis.call('ZSCORE', timeouts, member) or '') == ARGV[i + 2] then
    -- Frees memory first; see lib/check.lua.
    local scheduled = redis.call('ZREM', timeouts, member) == 1
    local may_be_listed = not (scheduled and is_unlisted(member))
    local listed = may_be_listed and redis.call('LREM', ordering, 1, member) == 1
    if scheduled or listed then
      settle(ARGV[i + 1], remember_ms)
      settle(listed and mine or mine .. 'u', remember_ms)
      taken[#taken + 1] = place
    end
  end
end
return taken
