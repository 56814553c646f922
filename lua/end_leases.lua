-- end_leases: end leases of take() whose payloads were handed over. Sending it again changes nothing.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] leases     zset rdq1_leases:{<name>}      origin -> when its lease runs out, unix ms
-- KEYS[2] deliveries hash rdq1_deliveries:{<name>}  origin -> payload
-- ARGV    origins (lib/delivery.lua), at most 1000
--
-- Returns how many leases it ended. It finds nothing of a payload that went back: its next claim has another origin.
-- Cost O(M log L): M ended, L leases.
local refused = unfit(leases, 'zset', 'ZREM') or unfit(deliveries, 'hash', 'HDEL')
if refused then
  return refused
end

redis.call('HDEL', deliveries, unpack(ARGV))
return redis.call('ZREM', leases, unpack(ARGV))
