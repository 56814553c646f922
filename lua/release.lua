-- release: take deliveries from whoever holds them, before their leases run out or their next attempt is due.
-- Redisson: none.
-- uses: check, clock, delivery, groups, steady
--
-- KEYS[1] target          list <name>                         the target queue: payloads that are ready
-- KEYS[2] deliveries      hash rdq1_deliveries:{<name>}       origin -> payload
-- KEYS[3] delivery_leases zset rdq1_delivery_leases:{<name>}  token -> when its lease runs out, unix ms
-- KEYS[4] retries         zset rdq1_retries:{<name>}          token -> when the next attempt is due, unix ms
-- KEYS[5] groups          hash rdq1_groups:{<name>}           group -> origin of the delivery that holds it
-- KEYS[6] grouped         zset rdq1_grouped:{<name>}          deliveries that wait for their groups
-- KEYS[7] clock           string rdq1_clock:{<name>}          the clock by which retries are due (see lib/steady.lua)
-- ARGV[1] channel    text    channel rdq1_moved.<database>:{<name>}
-- ARGV[2] to_target  flag    to put the payloads back to the head of the target queue; else the next attempts at them
--                            are due now
-- ARGV    from 3 on: tokens, the oldest first
--
-- The holder of a lease finds it gone: its decision about the delivery is refused. Only a retry is not: it counts as
-- made while the delivery waits for its next attempt. A delivery that goes back to the target queue leaves its group,
-- and the next one of the group has its turn.
--
-- Returns how many it released, without those that go back and whose payloads somebody deleted. It leaves a delivery
-- alone that another worker has claimed since.
-- Publishes 'retry' and the unix ms of now if an attempt is due.
-- Cost O(M log L): M released, L leases and retries.

local refused = unfit(target, 'list', 'LPUSH') or unfit(deliveries, 'hash', 'HGET', 'HDEL')
  or unfit(delivery_leases, 'zset', 'ZREM') or unfit(retries, 'zset', 'ZREM', 'ZADD')
  or unfit(groups, 'hash', 'HGET', 'HSET', 'HDEL') or unfit(grouped, 'zset', 'ZRANGEBYLEX', 'ZREM')
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
local ahead_us, keep_clock = steady(now_us)
local steady_ms = math.ceil((now_us + ahead_us) / 1000)
local released, is_due, has_left = 0, false, false
for i = #ARGV, 3, -1 do
  local token = ARGV[i]
  -- Frees memory first; see lib/check.lua.
  if redis.call('ZREM', delivery_leases, token) + redis.call('ZREM', retries, token) > 0 then
    keep_clock()
    if to_target then
      local payload = redis.call('HGET', deliveries, origin_of(token))
      remove_payload(origin_of(token))
      if payload then
        redis.call('LPUSH', target, payload)
        released = released + 1
      end
      has_left = has_left or has_group(token)
      release_group(token, steady_ms)
    else
      redis.call('ZADD', retries, string.format('%.0f', steady_ms), token)
      is_due = true
      released = released + 1
    end
  end
end
local is_told = has_left and call_for_wanted(channel, now_ms)
if not is_told and (is_due or has_left) then
  redis.pcall('PUBLISH', channel, 'retry ' .. string.format('%.0f', now_ms))
end
return released
