-- conclude: carry out what callers decided about their deliveries.
-- Redisson: none; RReliableQueue of Redisson PRO has acknowledgement, in keys of its own.
-- uses: bury, check, clock, delivery, groups, steady
--
-- KEYS[1] deliveries      hash   rdq1_deliveries:{<name>}          origin -> payload
-- KEYS[2] delivery_leases zset   rdq1_delivery_leases:{<name>}     token -> when its lease runs out, unix ms
-- KEYS[3] retries         zset   rdq1_retries:{<name>}             token -> when the next attempt is due, unix ms
-- KEYS[4] dead            list   <dead letters>                    payloads that nobody could handle
-- KEYS[5] dead_notes      list   rdq1_dead_notes:{<dead letters>}  a note about each of these
-- KEYS[6] groups          hash   rdq1_groups:{<name>}              group -> origin of the delivery that holds it
-- KEYS[7] grouped         zset   rdq1_grouped:{<name>}             deliveries that wait for their groups
-- KEYS[8] clock           string rdq1_clock:{<name>}               the clock by which leases end (see lib/steady.lua)
-- ARGV[1] channel         text    channel rdq1_moved.<database>:{<name>}
-- ARGV[2] name            text    what users call the queue
-- ARGV[3] delivery_limit  number  the most attempts at a delivery
-- ARGV    from 4 on, for each delivery: what to do, its token, a time from now in ms, the reason. What to do is
--         'a' acknowledge, 'r' retry after that time, 'b' retry at once and do not count this attempt, 'd' move to the
--         dead letters, 'e' let the lease end after that time. The reason is for the note about a dead letter, which a
--         retry makes after the last attempt.
--
-- Returns { { code, ... }, us until there is something to claim again, -1 for never }, with a code for each delivery:
-- 1 if it was done, now or when this was sent before; 3 if it was done now and made a dead letter; 0 if the lease is
-- gone and the delivery goes on; -1 if both are gone; 2 if nothing was done because this has moved 100 dead letters,
-- or some 1 MB: send it again.
-- Publishes 'retry' and the unix ms of the next retry if that became earlier, and 'retry' and the unix ms of now if a
-- delivery left its group and a consumer had found something that it might not claim.
-- Cost O(M log L): M deliveries, L leases, retries and waiting deliveries.

local refused = unfit(deliveries, 'hash', 'HGET', 'HDEL', 'HEXISTS', 'HSTRLEN')
  or unfit(delivery_leases, 'zset', 'ZADD', 'ZREM')
  or unfit(retries, 'zset', 'ZSCORE', 'ZADD', 'ZRANGE')
  or unfit(dead, 'list', 'RPUSH') or unfit(dead_notes, 'list', 'RPUSH')
for i = 4, #ARGV, 4 do
  if not refused and has_group(ARGV[i + 1]) then
    refused = unfit(groups, 'hash', 'HGET', 'HSET', 'HDEL') or unfit(grouped, 'zset', 'ZRANGEBYLEX', 'ZREM')
    break
  end
end
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
local ahead_us, keep_clock = steady(now_us)
local steady_ms = math.ceil((now_us + ahead_us) / 1000)
local buried, buried_bytes = 0, 0
-- Whether a delivery left its group.
local has_left = false
local function leave_group(token)
  if has_group(token) then
    has_left = true
    release_group(token, steady_ms)
    keep_clock()
  end
end
-- Says whether another attempt is allowed. The next claim looks for late claims, too.
local function may_retry(token)
  local attempt = attempt_of(token)
  return attempt < delivery_limit or attempt - late_claims(origin_of(token)) < delivery_limit
end
-- Carries out one decision. Returns 1, 3 if that made a dead letter, or nil if the lease is gone.
local function conclude(what, token, ms, reason)
  -- Frees memory first; see lib/check.lua.
  if redis.call('ZREM', delivery_leases, token) == 0 then
    -- A retry that was sent before stands there under the same token.
    local waits = what == 'r' and token or what == 'b' and uncounted(token)
    if waits and redis.call('ZSCORE', retries, waits) then
      return 1
    elseif what == 'b' then
      note_late(token)
    end
    return nil
  elseif what == 'e' then
    redis.call('ZADD', delivery_leases, string.format('%.0f', steady_ms + ms), token)
    keep_clock()
    return 1
  elseif what == 'a' then
    remove_payload(origin_of(token))
    leave_group(token)
    return 1
  elseif what == 'b' then
    redis.call('ZADD', retries, string.format('%.0f', steady_ms), uncounted(token))
    keep_clock()
    return 1
  end
  if what == 'r' and may_retry(token) then
    redis.call('ZADD', retries, string.format('%.0f', steady_ms + ms), token)
    keep_clock()
  else
    buried = buried + 1
    buried_bytes = buried_bytes + redis.call('HSTRLEN', deliveries, origin_of(token))
    local is_buried = bury(token, now_ms, name, reason)
    leave_group(token)
    return is_buried and 3 or 1
  end
  return 1
end

local before = earliest_ms(retries)
local codes = {}
for i = 4, #ARGV, 4 do
  local code, what, token = nil, ARGV[i], ARGV[i + 1]
  local may_bury = what == 'd' or what == 'r' and attempt_of(token) >= delivery_limit
  if may_bury and (buried == 100 or buried_bytes >= 1000000) then
    code = 2
  else
    code = conclude(what, token, tonumber(ARGV[i + 2]), ARGV[i + 3])
  end
  codes[#codes + 1] = code or redis.call('HEXISTS', deliveries, origin_of(token)) == 1 and 0 or -1
end
local after = earliest_ms(retries)
if after and (not before or after < before) then
  redis.pcall('PUBLISH', channel, 'retry ' .. string.format('%.0f', after - math.floor(ahead_us / 1000)))
end
local is_wanted = has_left and call_for_wanted(channel, now_ms)
return { codes, is_wanted and 0 or after and math.max(0, after * 1000 - now_us - ahead_us) or -1 }
