-- pending_under: say which member is pending under a key.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] keyed    hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- ARGV[1] field    text    'k' and the key, or 'u' to take the SHA-1 of the payload as the key
-- ARGV[2] payload  text    payload, or ''
--
-- Returns the packed member, or '' if none is pending. A member that has expired and still stands in `timeouts` counts.
-- Cost O(1).

local refused = unfit(timeouts, 'zset', 'ZSCORE') or unfit(keyed, 'hash', 'HGET')
if refused then
  return refused
end

if field == 'u' then
  field = 'u' .. redis.sha1hex(payload)
end
local member = redis.call('HGET', keyed, field)
return member and redis.call('ZSCORE', timeouts, member) and member or ''
