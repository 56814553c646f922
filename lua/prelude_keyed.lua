-- prelude_keyed: what the scripts share that know what is pending under a key, or note what they did; put
-- between the prelude and each of them.

-- What an attempt to offer under this id has done, or nil if none was noted: a letter that was settled
-- behind the id. 'o' offered, 'r' replaced another, 'm' moved another, 'k' kept another. An id that was
-- settled as it is was offered and removed.
local function done_under(settled, id)
  local found = redis.call('ZMSCORE', settled, id .. 'r', id .. 'm', id .. 'k', id .. 'o', id)
  for i, letter in ipairs({ 'r', 'm', 'k', 'o', 'o' }) do
    if found[i] then
      return letter
    end
  end
end

-- When to look whether a keyed member is still there: a while after it is due, so that a late attempt
-- still finds it, and within a day.
local function look_at(due_ms, now_ms)
  return string.format('%.0f', math.min(due_ms, now_ms + 86400000) + 61000)
end

-- Both keys expire by themselves, for nobody may come again to sweep them: a while after the last due time of all
-- that is pending. That while is long, because a member can be pending behind its due time, and be given another
-- one by somebody who does not know of the keys: a sweep sees each member once a day, if there is anybody who
-- sweeps. Where nothing is pending, no key is: there it is as long as a late attempt at an offer may ask.
local DAY_MS = 86400000
local KEEP_MS, LATE_MS = 7 * DAY_MS, 61000

-- Has the keys live on until a while after this due time.
local function keep_keyed(keyed, keyed_due, timeouts, due_ms, now_ms)
  local left = redis.call('PTTL', keyed)
  local needed = math.max(0, due_ms - now_ms) + KEEP_MS
  if left == -2 or left >= needed then
    return
  end
  if left < KEEP_MS then
    -- Not set yet, or for an empty queue: it tells nothing of what is pending now.
    local last = redis.pcall('ZRANGE', timeouts, -1, -1, 'WITHSCORES')[2]
    needed = math.max(needed, last and score_ms(last) - now_ms + KEEP_MS or 0)
  end
  -- A day more, so that this is not done for each of a row of offers.
  for _, key in ipairs({ keyed, keyed_due }) do
    redis.call('PEXPIRE', key, string.format('%.0f', needed + DAY_MS))
  end
end

-- Has the keys live on while anything is pending, and expire soon if nothing is.
local function keep_while_pending(keyed, keyed_due, timeouts, now_ms)
  local left = redis.call('PTTL', keyed)
  if left == -2 then
    return
  elseif redis.call('EXISTS', timeouts) == 1 then
    keep_keyed(keyed, keyed_due, timeouts, now_ms, now_ms)
  elseif left == -1 or left > LATE_MS then
    for _, key in ipairs({ keyed, keyed_due }) do
      redis.call('PEXPIRE', key, LATE_MS)
    end
  end
end

-- Forgets keys whose members are gone, among so many of those that are to be looked at by now.
local function sweep_keyed(keyed, keyed_due, timeouts, now_ms, limit)
  local now = string.format('%.0f', now_ms)
  for _, field in ipairs(redis.call('ZRANGEBYSCORE', keyed_due, '-inf', now, 'LIMIT', 0, limit)) do
    local member = redis.call('HGET', keyed, field)
    local due_ms = member and redis.call('ZSCORE', timeouts, member)
    if due_ms then
      keep_keyed(keyed, keyed_due, timeouts, due_ms, now_ms)
      -- Without memory it is refused, and looked at again.
      redis.pcall('ZADD', keyed_due, look_at(math.max(due_ms, now_ms), now_ms), field)
    else
      redis.call('HDEL', keyed, field)
      redis.call('ZREM', keyed_due, field)
    end
  end
end

-- The commands that all these need: on the hash, and on the sorted set.
local SWEEP = { 'HGET', 'HDEL', 'PTTL', 'PEXPIRE' }
local SWEEP_DUE = { 'ZRANGEBYSCORE', 'ZADD', 'ZREM', 'PEXPIRE' }
