-- give_back: end leases whose payloads were not handed over; their payloads go back to the end they came from.
-- Redisson: none.
--
-- KEYS[1] list    <name>                       the target queue: payloads that are due
-- KEYS[2] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- ARGV[1] LPUSH for the head of the target queue, RPUSH for its tail
-- ARGV    from 2 on: leases, the oldest first
--
-- Returns how many were given back; a lease that another client claimed since is left to it.
-- Cost O(M log L): M given back, L leases.
local target, leases, push = KEYS[1], KEYS[2], ARGV[1]

local refused = unfit(target, 'list', push) or unfit(leases, 'zset', 'ZREM')
if refused then
  return refused
end

local given = 0
for i = #ARGV, 2, -1 do
  if redis.call('ZREM', leases, ARGV[i]) == 1 then
    redis.call(push, target, payload_of(ARGV[i]))
    given = given + 1
  end
end
return given
