-- join: sort deliveries that a worker has claimed into the groups of their keys.
-- Redisson: none.
-- uses: check, clock, delivery, groups, steady
--
-- KEYS[1] delivery_leases zset   rdq1_delivery_leases:{<name>}  token -> when its lease runs out, unix ms
-- KEYS[2] groups          hash   rdq1_groups:{<name>}           group -> origin of the delivery that holds it
-- KEYS[3] grouped         zset   rdq1_grouped:{<name>}          deliveries that wait for their groups
-- KEYS[4] fence           string rdq1_fence:{<name>}            the last fence
-- KEYS[5] clock           string rdq1_clock:{<name>}            the clock by which leases end (see lib/steady.lua)
-- KEYS[6] deliveries      hash   rdq1_deliveries:{<name>}       origin -> payload
-- ARGV[1] channel      text    channel rdq1_moved.<database>:{<name>}
-- ARGV[2] incarnation  text    8 bytes: the worker's incarnation
-- ARGV    from 3 on, for each delivery, in the order of the claims: its token without a group, how long the lease is to
--         last, ms, and 'k' with the key, 's' for the group of everything, or '' for no group
--
-- A delivery whose group another one holds waits from now on, without a lease. It may be sent again: if the delivery
-- has joined, it gets another fence.
--
-- All leases of what the worker has unsorted end at once. If it comes so late that another worker computes keys by now,
-- that one may have claimed what stood before the rest. So none of them joins, and the next claim gets the rest. The
-- attempts at deliveries that were too late do not count.
--
-- Returns { fence, group, ... } for each delivery. The fence is 0 if the delivery waits for its group, and
-- -1 if it was too late.
-- Publishes 'retry' and the unix ms of now if a consumer wanted to claim meanwhile.
-- Cost O(M log W): M deliveries, W leases and waiting ones.

local refused = unfit(delivery_leases, 'zset', 'ZSCORE', 'ZADD', 'ZREM')
  or unfit(groups, 'hash', 'HGET', 'HDEL', 'HSETNX') or unfit(grouped, 'zset', 'ZADD')
  or unfit(fence, 'string', 'GET', 'SET') or unfit(deliveries, 'hash', 'HGET')
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
local steady_ms = math.ceil((now_us + steady(now_us)) / 1000)
local give_number, keep_number = numbers(now_us)
local sorts_until_ms, sorter = sorting_until(steady_ms)
local is_late = sorts_until_ms and sorter ~= incarnation
local reply, has_sorted = {}, false
for i = 3, #ARGV, 3 do
  local token, deadline = ARGV[i], string.format('%.0f', steady_ms + ARGV[i + 1])
  local what, group = string.sub(ARGV[i + 2], 1, 1), ''
  if what == 's' then
    group = EVERYTHING
  elseif what == 'k' then
    group = group_of_key(string.sub(ARGV[i + 2], 2))
  end
  local joined, number = token .. group, 0
  -- Frees memory first; see lib/check.lua.
  if not is_late and redis.call('ZREM', delivery_leases, token) == 1 then
    has_sorted = true
    number = give_number(1)
    if group == '' or redis.call('HSETNX', groups, group, origin_of(token)) == 1 then
      redis.call('ZADD', delivery_leases, deadline, joined)
    else
      await(group, number, uncounted(token))
      number = 0
    end
  elseif group ~= '' and redis.call('ZSCORE', delivery_leases, joined) then
    number = give_number(1)
  else
    number = -1
    note_late(origin_of(token))
  end
  reply[#reply + 1], reply[#reply + 2] = number, group
end
keep_number()
-- A call that was sent again and finds everything sorted may run while the worker has a later claim to sort.
if has_sorted and sorter == incarnation then
  redis.call('HDEL', groups, 'sorting')
  call_for_wanted(channel, now_ms)
end
return reply
