-- settle_leases: end leases before their payloads are handed over, all of them or none.
-- Redisson: none.
-- uses: check, leases, settled
--
-- KEYS[1] zset    rdq1_leases:{<name>}                   lease -> when it runs out, unix ms
-- KEYS[2] zset    rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] the token of this call, the same when it is sent again
-- ARGV[2] the token of the same client's call before, whose answer has arrived, or ''
-- ARGV[3] how long to remember the token, ms
-- ARGV    from 4 on pairs: when leases run out, unix ms, and their ids, 20 bytes each; at most 1000 in all
--
-- Returns { } if all were ended, now or when this was sent before. If some are gone, it ends none and returns the
-- numbers of those, from 1 and in the order of ARGV.
-- Cost O(M log L): M leases to end, L leases.
local leases, settled = KEYS[1], KEYS[2]

local refused = unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZREM')
  or unfit(settled, 'zset', 'ZSCORE', 'ZREM', unpack(SETTLE))
if refused then
  return refused
end

if redis.call('ZSCORE', settled, ARGV[1]) then
  return {}
end
local held, gone, number = {}, {}, 0
for i = 4, #ARGV, 2 do
  for _, lease in ipairs(find_leases(leases, ARGV[i], ARGV[i + 1])) do
    number = number + 1
    if lease then
      held[#held + 1] = lease
    else
      gone[#gone + 1] = number
    end
  end
end
if #gone == 0 then
  redis.call('ZREM', leases, unpack(held))
  if ARGV[2] ~= '' then
    redis.call('ZREM', settled, ARGV[2])
  end
  settle(settled, ARGV[1], tonumber(ARGV[3]))
end
return gone
