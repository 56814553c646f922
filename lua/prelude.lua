-- prelude: what several scripts share; put in front of each of them before it is sent.

-- The time by Redis's clock, unix us.
local function server_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- The first and the last place of a packed member's payload, or nil when neither Redisson's present
-- layout (Bc0Lc0) nor the one of 3.21.0 and older (dLc0) explains it. The total length tells them
-- apart; see src/packed.rs.
local function payload_places(member)
  local size = #member
  local id = string.byte(member, 1)
  local last
  if id and size >= 9 + id then
    last = 9 + id + struct.unpack('<L', member, 2 + id)
    if last == size then
      return 10 + id, last
    end
  end
  if size >= 16 and size == 16 + struct.unpack('<L', member, 9) then
    return 17, size
  end
  if last and last < size then
    return 10 + id, last
  end
end

-- The payload of a packed member, or nil.
local function payload_of(member)
  local first, last = payload_places(member)
  return first and string.sub(member, first, last)
end

-- An error reply when a key holds another type than wanted, or the user lacks the right to one of the
-- commands on it, else nil. Scripts do not roll back, so each asks before its first write.
local function unfit(key, wanted, ...)
  local held = redis.call('TYPE', key).ok
  if held ~= wanted and held ~= 'none' then
    return redis.error_reply('RDQTYPE key ' .. key .. ' holds a ' .. held .. ', not a ' .. wanted)
  end
  -- Redis 7.0 and later can tell beforehand.
  for _, command in ipairs(redis.acl_check_cmd and { ... } or {}) do
    if not redis.acl_check_cmd(command, key, '1', '1') then
      return redis.error_reply('NOPERM no right to ' .. command .. ' key ' .. key)
    end
  end
end

-- An error reply when the user lacks the right to a command on keys of any type, else nil.
local function denied(command, key, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, key, ...) then
    return redis.error_reply('NOPERM no right to ' .. command .. ' key ' .. key)
  end
end

-- The head of the timeout set and its due time as it is published, or nothing, also without the right to
-- look.
local function head_of(timeouts)
  local head = redis.pcall('ZRANGE', timeouts, 0, 0, 'WITHSCORES')
  if head[1] then
    -- Java parses an integer, which a foreign score need not be.
    local due_ms = math.max(0, math.min(math.ceil(tonumber(head[2])), 9007199254740992))
    return head[1], string.format('%.0f', due_ms)
  end
end

-- Remembers for a while that an id is not to be written (again), and forgets what is over.
local function settle(settled, id, while_ms)
  local now_ms = math.ceil(server_us() / 1000)
  redis.call('ZREMRANGEBYSCORE', settled, '-inf', string.format('%.0f', now_ms))
  redis.call('ZADD', settled, string.format('%.0f', now_ms + while_ms), id)
  if redis.call('PTTL', settled) < while_ms then
    redis.call('PEXPIRE', settled, string.format('%.0f', while_ms))
  end
end

-- The commands that settle needs.
local SETTLE = { 'ZREMRANGEBYSCORE', 'ZADD', 'PTTL', 'PEXPIRE' }
