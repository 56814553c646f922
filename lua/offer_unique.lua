-- offer_unique: schedule a value unless an equal payload is pending; then keep or replace that one. For queues with
-- unlisted members. Sending the same offer again changes nothing, because `settled` knows what it did.
-- Redisson: RedissonDelayedQueue.removeAsync and then offerAsync (4.7.0) see listed members only.
-- uses: check, clock, done, due, expiry, head, id, keyed, ordering, payload, publish, remembered, score, settled, sweep
--
-- KEYS[1] timeouts  zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering  list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled   zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[4] keyed     hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[5] keyed_due zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- ARGV[1]  member          text    packed member to schedule
-- ARGV[2]  when            text    when it is due (see lib/due.lua)
-- ARGV[3]  clock_us        number  clock for the due time, unix us, or '' for Redis's own
-- ARGV[4]  channel         text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a
--                                  key right
-- ARGV[5]  write_until_us  number  an attempt that runs after this moment (unix us, Redis's clock) writes nothing
-- ARGV[6]  remember_ms     number  how long `settled` shall remember what was done, ms
-- ARGV[7]  is_repeated     flag    if an earlier attempt may have run, or may yet run
-- ARGV[8]  replaces        flag    to replace a pending member, else it is kept
-- ARGV[9]  found           text    a member with the payload, if a search of `timeouts` has found one, or ''
-- ARGV[10] searched        flag    if the client searched `timeouts`
--
-- `keyed` holds the member that such an offer scheduled or kept, under 'r' and the SHA-1 of the payload. So offers at
-- the same time do not miss each other's members, and the next one needs no search.
--
-- Returns { what it did, us until the new head is due or -1 if it is another, Redis's clock in unix us, the packed
-- member that it kept or '' }. What it did is
--   'o' offered, 'k' kept another, 'r' replaced another, '-' came too late and wrote nothing,
--   '?' needs a search, because there was none, or because the member that it found is gone.
-- A member that has expired is not pending. The offer takes it out and answers '?', because another one may be pending.
-- Cost O(log N). To take out a listed member costs O(D) more: LREM scans D members between it and the end of `ordering`
-- that is nearer, if the ids tell which.
local id = id_of(member)

local server_now_us = server_us()
local now_us = clock_us or server_now_us
if server_now_us > write_until_us then
  return { '-', -1, server_now_us, '' }
end
local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZADD', 'ZREM')
  or unfit(ordering, 'list', 'RPUSH', unpack(UNLIST))
  or unfit(settled, 'zset', 'ZMSCORE', unpack(SETTLE))
  or unfit(keyed, 'hash', 'HSET', unpack(SWEEP)) or unfit(keyed_due, 'zset', unpack(SWEEP_DUE))
if refused then
  return refused
end
local done = done_under(id)
if done and done ~= 'k' then
  return { done, -1, server_now_us, '' }
end
local due_ms, wrong = due_of(member, when, now_us)
if wrong and not done then
  return wrong
end

local field = 'r' .. redis.sha1hex(payload_of(member))
local known = redis.call('HGET', keyed, field)
if known and redis.call('ZSCORE', timeouts, known) then
  found = known
elseif not searched then
  return { '?', -1, server_now_us, '' }
end
if done then
  return { done, -1, server_now_us, found }
end

local now_ms = math.ceil(now_us / 1000)
-- Makes later offers find this member, which is due then, without a search.
local function know(it, it_is_due_ms)
  redis.call('HSET', keyed, field, it)
  redis.call('ZADD', keyed_due, look_at(it_is_due_ms, now_ms), field)
  keep_keyed(it_is_due_ms, now_ms)
end

done = 'o'
if found ~= '' then
  local found_ms = redis.call('ZSCORE', timeouts, found)
  local is_pending = found_ms and not has_expired(found, now_us)
  if is_pending and not replaces then
    if is_repeated then
      settle(id .. 'k', remember_ms)
    end
    if found ~= known then
      know(found, score_ms(found_ms))
    end
    return { 'k', -1, server_now_us, found }
  end
  if found_ms then
    redis.call('ZREM', timeouts, found)
    unlist(found)
    settle(id_of(found), remembered(remember_ms, found))
  end
  if not is_pending then
    return { '?', -1, server_now_us, '' }
  end
  done = 'r'
end
redis.call('ZADD', timeouts, string.format('%.0f', due_ms), member)
append(member)
know(member, due_ms)
settle(id .. done, remember_ms)
-- It looks at more keys than a call adds, so keys whose members are gone do not pile up.
sweep_keyed(now_ms, 4)

local due = is_head(due_ms, member) and publish(channel, due_ms)
return { done, us_until(due, now_us), server_now_us, '' }
