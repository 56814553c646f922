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

-- Forgets keys whose members are gone, among so many of those that are to be looked at by now.
local function sweep_keyed(keyed, keyed_due, timeouts, now_ms, limit)
  local now = string.format('%.0f', now_ms)
  for _, field in ipairs(redis.call('ZRANGEBYSCORE', keyed_due, '-inf', now, 'LIMIT', 0, limit)) do
    local member = redis.call('HGET', keyed, field)
    local due_ms = member and redis.call('ZSCORE', timeouts, member)
    if due_ms then
      -- Without memory it is refused, and looked at again.
      redis.pcall('ZADD', keyed_due, look_at(math.max(due_ms, now_ms), now_ms), field)
    else
      redis.call('HDEL', keyed, field)
      redis.call('ZREM', keyed_due, field)
    end
  end
end

-- The commands that sweep_keyed needs: on the hash, and on the sorted set.
local SWEEP = { 'HGET', 'HDEL' }
local SWEEP_DUE = { 'ZRANGEBYSCORE', 'ZADD', 'ZREM' }
