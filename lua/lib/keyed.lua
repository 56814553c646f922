-- keyed: how long the two keys live that know what is pending under a key, and forgetting what is pending no more.
-- uses: score
--
-- Both keys expire by themselves, because nobody may ever come again to sweep them. They outlive the last due time of
-- all pending members by KEEP_MS. That is a week, because a member can be pending longer than its due time says, and
-- a client that does not know of these keys can give it another due time: a sweep looks at each member only once a
-- day, and only if some client sweeps.

local DAY_MS = 86400000
local KEEP_MS = 7 * DAY_MS

-- Makes both keys live on until KEEP_MS after this due time.
local function keep_keyed(due_ms, now_ms)
  local left = redis.call('PTTL', keyed)
  local needed = math.max(0, due_ms - now_ms) + KEEP_MS
  if left == -2 or left >= needed then
    return
  end
  if left < KEEP_MS then
    -- No time to live yet, or one from when the queue was empty: neither covers the pending members.
    local last = redis.pcall('ZRANGE', timeouts, -1, -1, 'WITHSCORES')[2]
    needed = math.max(needed, last and score_ms(last) - now_ms + KEEP_MS or 0)
  end
  -- A day more, so that the next offers need not set it again.
  local left_ms = string.format('%.0f', needed + DAY_MS)
  redis.call('PEXPIRE', keyed, left_ms)
  redis.call('PEXPIRE', keyed_due, left_ms)
end

-- How long a late attempt at an offer may still ask what is pending under its key.
local LATE_MS = 61000

-- Returns when to look whether a keyed member is still pending, unix ms: LATE_MS after its due time, and within a day.
local function look_at(due_ms, now_ms)
  return string.format('%.0f', math.min(due_ms, now_ms + DAY_MS) + LATE_MS)
end

-- Makes both keys live on while anything is pending, and expire after LATE_MS if nothing is.
local function keep_while_pending(now_ms)
  local left = redis.call('PTTL', keyed)
  if left == -2 then
    return
  elseif redis.call('ZCOUNT', timeouts, '-inf', '+inf') > 0 then
    keep_keyed(now_ms, now_ms)
  elseif left == -1 or left > LATE_MS then
    redis.call('PEXPIRE', keyed, LATE_MS)
    redis.call('PEXPIRE', keyed_due, LATE_MS)
  end
end

-- Looks at up to `limit` keys whose time has come, fewer if their members are large, and forgets those whose members are
-- gone.
local function sweep_keyed(now_ms, limit)
  local now, bytes = string.format('%.0f', now_ms), 0
  for _, field in ipairs(redis.call('ZRANGEBYSCORE', keyed_due, '-inf', now, 'LIMIT', 0, limit)) do
    local member = redis.call('HGET', keyed, field)
    bytes = bytes + (member and #member or 0)
    local score = member and redis.call('ZSCORE', timeouts, member)
    if score then
      local due_ms = score_ms(score)
      keep_keyed(due_ms, now_ms)
      -- If Redis has no memory left it refuses this, and a later sweep looks again.
      redis.pcall('ZADD', keyed_due, look_at(math.max(due_ms, now_ms), now_ms), field)
    else
      redis.call('HDEL', keyed, field)
      redis.call('ZREM', keyed_due, field)
    end
    if bytes >= 1000000 then
      break
    end
  end
end

-- The commands that these need: on the hash, and on the sorted set.
local SWEEP = { 'HGET', 'HDEL', 'PTTL', 'PEXPIRE' }
local SWEEP_DUE = { 'ZRANGEBYSCORE', 'ZADD', 'ZREM', 'PEXPIRE' }
