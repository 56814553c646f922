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
-- Only what the worker claimed last may join a group by key, and only while nobody has claimed since: another claim may
-- have got what stood before it. What may not join stays where it is until its lease ends, and the next claim gets it.
-- This attempt does not count.
--
-- Returns { fence, group, ... } for each delivery. The fence is 0 if the delivery waits for its group or for the next
-- claim, and -1 if the worker does not have it any more.
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
local ahead_us, keep_clock = steady(now_us)
local steady_ms = math.ceil((now_us + ahead_us) / 1000)
local give_number, keep_number = numbers(now_us)
local sorter, sorting_ms = last_sorting()
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
  local score = tonumber(redis.call('ZSCORE', delivery_leases, token))
  local is_last = score and sorter == incarnation and score == sorting_ms
  has_sorted = has_sorted or is_last
  if score and (is_last or what ~= 'k') then
    -- Frees memory first; see lib/check.lua.
    redis.call('ZREM', delivery_leases, token)
    keep_clock()
    number = give_number(1)
    if group == '' or redis.call('HSETNX', groups, group, origin_of(token)) == 1 then
      redis.call('ZADD', delivery_leases, deadline, joined)
    else
      await(group, number, uncounted(token))
      number = 0
    end
  elseif score then
    note_late(token)
  elseif redis.call('ZSCORE', delivery_leases, joined) then
    number = give_number(1)
  else
    number = -1
  end
  reply[#reply + 1], reply[#reply + 2] = number, group
end
keep_number()
if has_sorted then
  redis.call('HDEL', groups, 'sorting')
  call_for_wanted(channel, now_ms)
end
return reply
