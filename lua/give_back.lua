-- give_back: end leases whose payloads were not handed over, and put the payloads back to the end they came from.
-- Redisson: none.
-- uses: check, ends, leases, payload
--
-- KEYS[1] target list <name>                the target queue: payloads that are due
-- KEYS[2] leases zset rdq1_leases:{<name>}  lease -> when it runs out, unix ms
-- ARGV[1] LPUSH for the head of the target queue, RPUSH for its tail
-- ARGV    from 2 on pairs, the oldest leases first: when leases run out, unix ms, and their ids, 20 bytes each
--
-- Returns how many payloads it gave back. It leaves a lease alone that another client has claimed since.
-- Cost O(M log L): M given back, L leases.
local command = ARGV[1]

local refused = unfit(target, 'list', command) or unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZREM')
if refused then
  return refused
end

local given = 0
for i = #ARGV - 1, 2, -2 do
  local held = find_leases(ARGV[i], ARGV[i + 1])
  for place = #held, 1, -1 do
    if held[place] then
      redis.call('ZREM', leases, held[place])
      push(target, command, payload_of(held[place]))
      given = given + 1
    end
  end
end
return given
