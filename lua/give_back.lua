-- give_back: give back deliveries that no caller has seen. The attempt at them does not count.
-- Redisson: none.
-- uses: check, clock, delivery, ends, groups, steady
--
-- KEYS[1] target     list <name>                    the target queue: payloads that are ready
-- KEYS[2] deliveries hash rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] set        zset rdq1_leases:{<name>} or rdq1_delivery_leases:{<name>}
--                                                   token -> when its lease runs out, unix ms
-- KEYS[4] retries    zset rdq1_retries:{<name>}     token -> when the next attempt is due, unix ms; only for consumers
-- KEYS[5] clock      string rdq1_clock:{<name>}     the clock by which retries are due (see lib/steady.lua); only for
--                                                   consumers
-- ARGV[1] channel  text    channel rdq1_moved.<database>:{<name>}
-- ARGV[2] command  text    LPUSH for the head of the target queue, RPUSH for its tail
-- ARGV    from 3 on: tokens, the oldest first
--
-- The payload of a first attempt goes back to that end of the target queue. Any other attempt is due again at once, and
-- so is a delivery that holds a group, which it keeps.
--
-- Returns how many it gave back, without those whose payloads somebody deleted. A delivery that another worker has
-- claimed since stays there, and the attempt does not count all the same.
-- Publishes 'retry' and the unix ms of now if an attempt is due again.
-- Cost O(M log L): M given back, L leases and retries.

local refused = unfit(target, 'list', command) or unfit(deliveries, 'hash', 'HGET', 'HDEL')
  or unfit(set, 'zset', 'ZREM') or #KEYS > 3 and unfit(retries, 'zset', 'ZADD')
if refused then
  return refused
end

local now_us = server_us()
local ahead_us, keep_clock
if #KEYS > 3 then
  ahead_us, keep_clock = steady(now_us)
end
local given, is_due = 0, false
for i = #ARGV, 3, -1 do
  local token = ARGV[i]
  local origin = origin_of(token)
  if redis.call('ZREM', set, token) == 1 then
    if not is_origin(token) and (attempt_of(token) > 1 or has_group(token)) then
      redis.call('ZADD', retries, string.format('%.0f', math.ceil((now_us + ahead_us) / 1000)), uncounted(token))
      keep_clock()
      is_due = true
      given = given + 1
    else
      local payload = redis.call('HGET', deliveries, origin)
      remove_payload(origin)
      if payload then
        push(target, command, payload)
        given = given + 1
      end
    end
  elseif #KEYS == 3 or is_origin(token) or type(redis.pcall('ZSCORE', retries, uncounted(token))) ~= 'string' then
    -- Otherwise it went back before, and the reply was lost.
    note_late(token)
  end
end
if is_due then
  redis.pcall('PUBLISH', channel, 'retry ' .. string.format('%.0f', math.ceil(now_us / 1000)))
end
return given
