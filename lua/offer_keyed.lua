-- offer_keyed: schedule a value unless one with its key is pending; then keep, move or replace that one. Sending the
-- same offer again changes nothing, because `settled` knows what it did.
-- Redisson: none; of RedissonDelayedQueue, removeAsync and then offerAsync (4.7.0) see listed members only.
-- uses: check, clock, head, keyed, member, ordering, score, settled
--
-- KEYS[1] timeouts  zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering  list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled   zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[4] keyed     hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[5] keyed_due zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- ARGV[1]  member          text    packed member
-- ARGV[2]  when            text    when it is due (see lib/score.lua)
-- ARGV[3]  clock_us        number  clock for the due time, unix us, or '' for Redis's own
-- ARGV[4]  channel         text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a
--                                  key right
-- ARGV[5]  write_until_us  number  an attempt that runs after this moment (unix us, Redis's clock) writes nothing
-- ARGV[6]  remember_ms     number  how long `settled` shall remember what was done, ms
-- ARGV[7]  is_repeated     flag    if an earlier attempt may have run, or may yet run
-- ARGV[8]  replaces        flag    to replace a pending member, else it is kept
-- ARGV[9]  field           text    'k' and the key; 'u' to take the SHA-1 of the payload as the key; 'r' to do so, and
--                                  count every pending member with the payload as one of this key
-- ARGV[10] found           text    with 'r', a member with the payload, if a search of `timeouts` has found one, or ''
-- ARGV[11] searched        flag    with 'r', if the client searched `timeouts`
--
-- With 'r', `keyed` holds the member that such an offer scheduled or kept. So offers at the same time do not miss each
-- other's members, and the next one needs no search.
--
-- Returns { what it did, us until the head is due if the head is new or comes earlier, else -1, Redis's clock in
-- unix us, the packed member that is pending if it is another, or '' }. What it did is
--   'o' offered, 'k' kept the other, 'm' moved the other's due time because its payload and its expiry are the same,
--   'r' replaced the other, '-' came too late and wrote nothing,
--   '?' needs a search, because there was none, or because the member that it found is gone: with 'r' only.
-- A member that has expired is not pending: the offer takes it out, and answers 'o'. With 'r' it answers '?', because
-- another one may be pending.
-- Cost O(log N). To replace costs O(log N + D): LREM scans D members between the other one and the end of `ordering`
-- that is nearer, if the ids tell which.
local id, payload = id_of(member), payload_of(member)

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

local counts_all = field == 'r'
if counts_all or field == 'u' then
  field = field .. redis.sha1hex(payload)
end
local pending = redis.call('HGET', keyed, field)
local done = done_under(id)
if done then
  return { done, -1, server_now_us, (done == 'k' or done == 'm') and pending or '' }
end
local due_ms, wrong = due_of(member, when, now_us)
if wrong then
  return wrong
end
local pending_ms = pending and redis.call('ZSCORE', timeouts, pending)
local is_known = pending_ms
if counts_all and not is_known then
  pending = found ~= '' and found
  pending_ms = pending and redis.call('ZSCORE', timeouts, pending)
  if not searched or pending and not pending_ms then
    return { '?', -1, server_now_us, '' }
  end
end

local now_ms = math.ceil(now_us / 1000)
-- Makes later offers find this member, which is due then.
local function know(it, it_is_due_ms)
  redis.call('HSET', keyed, field, it)
  redis.call('ZADD', keyed_due, look_at(it_is_due_ms, now_ms), field)
  keep_keyed(it_is_due_ms, now_ms)
end
local is_pending = pending_ms and not has_expired(pending, now_us)
if is_pending and not replaces then
  if is_repeated then
    settle(id .. 'k', remember_ms)
  end
  if not is_known then
    know(pending, score_ms(pending_ms))
  end
  return { 'k', -1, server_now_us, pending }
end

local score = string.format('%.0f', due_ms)
local moves = is_pending and not counts_all
  and payload_of(pending) == payload and expires_of(pending) == expires_of(member)
local comes_earlier = true
if moves then
  done, member, comes_earlier = 'm', pending, due_ms < tonumber(pending_ms)
  redis.call('ZADD', timeouts, 'XX', score, member)
else
  done = is_pending and 'r' or 'o'
  if pending_ms then
    redis.call('ZREM', timeouts, pending)
    unlist(pending)
    settle(id_of(pending), remembered(remember_ms, pending))
    if counts_all and not is_pending then
      return { '?', -1, server_now_us, '' }
    end
  end
  redis.call('ZADD', timeouts, score, member)
  append(member)
end
know(member, due_ms)
settle(id .. done, remember_ms)
-- It looks at more keys than a call adds, so keys whose members are gone do not pile up.
sweep_keyed(now_ms, 4)

local due = comes_earlier and is_head(due_ms, member) and publish(channel, due_ms)
return { done, us_until(due, now_us), server_now_us, done == 'm' and pending or '' }
