-- replace_due: schedule a member, and take out one with the same payload if there is any, in a queue whose
-- members need not be listed. Sending the same call again changes nothing, for KEYS[3] knows what it has
-- done.
-- Redisson: RedissonDelayedQueue.removeAsync and then offerAsync (4.7.0) see listed members only.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- KEYS[4] hash    rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[5] zset    rdq1_keyed_due:{<name>}                key -> when to look whether its member is there
-- ARGV[1] packed member to schedule                      ARGV[2] when it is due (see due_of)
-- ARGV[3] clock for the due time, unix us, or '' for Redis's own
-- ARGV[4] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[5] an attempt that runs after this moment (unix us, Redis's clock) must write nothing
-- ARGV[6] how long KEYS[3] shall remember what was done, ms
-- ARGV[7] a member with the payload, if a search of KEYS[1] has found one, or ''
-- ARGV[8] '1' if KEYS[1] was searched
--
-- What such a call has scheduled stands in KEYS[4] under 'r' and the SHA-1 of the payload, so that of
-- several calls at once none misses the member of another.
--
-- Returns { what was done, us until the new head is due or -1 if it is another, Redis's clock in unix us },
-- where what was done is 'o' offered, 'r' replaced another, '-' too late, '?' to be called again after a
-- search: none was made, or what it found is gone. The last two wrote nothing.
-- Cost O(log N); O(D) more to take out a member that is listed: D lie between it and the nearer end, if the
-- ids tell, of KEYS[2] (LREM scans them).
local timeouts, ordering, settled, keyed, keyed_due = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local member, channel, remember_ms = ARGV[1], ARGV[4], tonumber(ARGV[6])
local found, searched = ARGV[7], ARGV[8] == '1'
local id = id_of(member)

local server_now_us = server_us()
local now_us = tonumber(ARGV[3]) or server_now_us
if server_now_us > tonumber(ARGV[5]) then
  return { '-', -1, server_now_us }
end
local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZADD', 'ZREM')
  or unfit(ordering, 'list', 'RPUSH', unpack(UNLIST))
  or unfit(settled, 'zset', 'ZMSCORE', unpack(SETTLE))
  or unfit(keyed, 'hash', 'HSET', unpack(SWEEP)) or unfit(keyed_due, 'zset', unpack(SWEEP_DUE))
if refused then
  return refused
end
local done = done_under(settled, id)
if done then
  return { done, -1, server_now_us }
end
local due_ms, wrong = due_of(member, ARGV[2], now_us)
if wrong then
  return wrong
end

local field = 'r' .. redis.sha1hex(payload_of(member))
local placed = redis.call('HGET', keyed, field)
if placed and redis.call('ZSCORE', timeouts, placed) then
  found = placed
elseif not searched then
  return { '?', -1, server_now_us }
end

done = 'o'
if found ~= '' then
  if redis.call('ZREM', timeouts, found) == 0 then
    return { '?', -1, server_now_us }
  end
  unlist(ordering, found)
  done = 'r'
  settle(settled, id_of(found), remembered(remember_ms, found))
end
redis.call('ZADD', timeouts, string.format('%.0f', due_ms), member)
list(ordering, member)
redis.call('HSET', keyed, field, member)
local now_ms = math.ceil(now_us / 1000)
redis.call('ZADD', keyed_due, look_at(due_ms, now_ms), field)
keep_keyed(keyed, keyed_due, timeouts, due_ms, now_ms)
settle(settled, id .. done, remember_ms)
-- More than a call adds, so that what is gone does not pile up however many calls there are.
sweep_keyed(keyed, keyed_due, timeouts, now_ms, 4)

local due = is_head(timeouts, due_ms, member) and publish(channel, due_ms)
return { done, us_until(due, now_us), server_now_us }
