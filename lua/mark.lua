-- mark: write something and take it back, so that the connection has written. WAIT concerns what its connection wrote
-- last; after this script that is everything which the server had written before.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] zset    rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
--
-- Returns nothing.
-- Cost O(log N).
local refused = unfit(KEYS[1], 'zset', 'ZADD', 'ZREM')
if refused then
  return refused
end
redis.call('ZADD', KEYS[1], 0, 'mark')
redis.call('ZREM', KEYS[1], 'mark')
