-- offer: schedule values, all or none; sending the same offer again while they are pending changes nothing.
-- Redisson: RedissonDelayedQueue.offerAsync (4.7.0), same effects in the same order, for one value.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- ARGV[1] clock for the due times, unix us, or '' for Redis's own
-- ARGV[2] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[3] a first attempt that runs before this moment (unix us, Redis's clock) need not look at KEYS[3]
-- ARGV[4] an attempt that runs after this moment (unix us, Redis's clock) must write nothing
-- ARGV[5] how long KEYS[3] shall remember the ids, ms; 0 for not at all
-- ARGV    from 6 on, for each value, at most 500: the packed member, and when it is due (see due_of)
--
-- Returns { how many were written or -1 for too late, us until the new head is due or -1 if none of them
-- is the head, Redis's clock in unix us }. What was there, or had been there already, is not written.
-- Only those go to KEYS[2] that are not unlisted by their ids (see is_unlisted).
-- Cost O(M log N): M values.
local timeouts, ordering, settled = KEYS[1], KEYS[2], KEYS[3]
local channel, remember_ms = ARGV[2], tonumber(ARGV[5])

local server_now_us = server_us()
local now_us = tonumber(ARGV[1]) or server_now_us
if server_now_us > tonumber(ARGV[4]) then
  return { -1, -1, server_now_us }
end

local may_be_settled = server_now_us > tonumber(ARGV[3]) or remember_ms > 0
local refused = unfit(ordering, 'list', 'RPUSH')
  or may_be_settled and unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end
local members, scores, count = {}, {}, 0
for i = 6, #ARGV, 2 do
  local member = ARGV[i]
  if not (may_be_settled and redis.call('ZSCORE', settled, id_of(member))) then
    local due_ms, wrong = due_of(member, ARGV[i + 1], now_us)
    if due_ms then
      count = count + 1
      members[count] = member
      scores[member] = string.format('%.0f', due_ms)
    elseif type(redis.pcall('ZSCORE', timeouts, member)) ~= 'string' then
      -- One that an earlier attempt has stored may be too late only for this one.
      return wrong
    end
  end
end

-- The members that are written come to the front; few tables, for this is what offers cost.
local written, unlisted = 0, 0
for i = 1, count do
  local member = members[i]
  local added = redis.pcall('ZADD', timeouts, 'NX', scores[member], member)
  if added == 1 then
    written = written + 1
    members[written] = member
    if is_unlisted(member) then
      unlisted = unlisted + 1
    end
  elseif added == 0 then
    scores[member] = nil
  else
    -- What is refused is refused to the first.
    return unfit(timeouts, 'zset', 'ZADD') or added
  end
end
if written == 0 then
  return { 0, -1, server_now_us }
end
if unlisted == 0 then
  redis.call('RPUSH', ordering, unpack(members, 1, written))
elseif unlisted < written then
  for i = 1, written do
    list(ordering, members[i])
  end
end
if remember_ms > 0 then
  local ids = {}
  for i = 1, written do
    ids[i] = id_of(members[i])
  end
  settle_all(settled, ids, remember_ms)
end

return { written, us_until(publish_head(channel, timeouts, scores), now_us), server_now_us }
