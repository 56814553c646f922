-- dequarantine: take one member out of the quarantine, and put its payload or itself where it belongs.
-- Redisson: none.
-- uses: check, head, ordering, score
--
-- KEYS[1] quarantine zset rdq1_quarantine:{<name>}               unreadable member -> the score that it had
-- KEYS[2] target     list <name>                                 the target queue: payloads that are ready
-- KEYS[3] timeouts   zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[4] ordering   list redisson_delay_queue:{<name>}          packed members in offer order
-- ARGV[1] member   text    the member
-- ARGV[2] what     text    'deliver' to put a payload at the end of the target queue, 'restore' to make the member
--                          pending again
-- ARGV[3] payload  text    that payload, or '' to restore
-- ARGV[4] channel  text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key right
--
-- A restored member has the score that it had. If it is pending already, it only leaves the quarantine.
--
-- Returns 1, or 0 if it is not there any more.
-- Publishes the due time of a restored member that is the head.
-- Cost O(log N).

local refused = unfit(quarantine, 'zset', 'ZSCORE', 'ZREM')
if what == 'deliver' then
  refused = refused or unfit(target, 'list', 'RPUSH')
else
  refused = refused or unfit(timeouts, 'zset', 'ZADD') or unfit(ordering, 'list', 'RPUSH')
end
if refused then
  return refused
end

local score = redis.call('ZSCORE', quarantine, member)
if not score then
  return 0
end
-- Frees memory first; see lib/check.lua.
redis.call('ZREM', quarantine, member)
if what == 'deliver' then
  redis.call('RPUSH', target, payload)
elseif redis.call('ZADD', timeouts, 'NX', score, member) == 1 then
  append(member)
  if is_head(tonumber(score), member) then
    publish(channel, score_ms(score))
  end
end
return 1
