-- mark: write something and take it back, so that the connection has written. WAIT concerns what its connection wrote
-- last; after this script that is everything which the server had written before.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] settled zset rdq1_settled:{<name>}  what was done -> until when it counts, unix ms
--
-- Returns nothing.
-- Cost O(log N).
local refused = unfit(settled, 'zset', 'ZADD', 'ZREM')
if refused then
  return refused
end
redis.call('ZADD', settled, 0, 'mark')
redis.call('ZREM', settled, 'mark')
