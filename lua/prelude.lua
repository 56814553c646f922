-- prelude: what several scripts share; put in front of each of them before it is sent.

-- The time by Redis's clock, unix us.
local function server_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- The first and the last place of a packed member's payload, or nil when neither Redisson's present
-- layout (Bc0Lc0) nor the one of 3.21.0 and older (dLc0) explains it. The total length tells them
-- apart, and the eighth byte where both explain all of it; src/wire/packed.rs says why.
local function payload_places(member)
  local size = #member
  local id, _, _, _, _, _, _, eighth = string.byte(member, 1, 8)
  local last
  if id and size >= 9 + id then
    last = 9 + id + struct.unpack('<L', member, 2 + id)
    if last == size and eighth ~= 0x43 and eighth ~= 0xC3 then
      return 10 + id, last
    end
  end
  if size >= 16 and size == 16 + struct.unpack('<L', member, 9) then
    return 17, size
  end
  if last and last <= size then
    return 10 + id, last
  end
end

-- The payload of a packed member, or nil.
local function payload_of(member)
  local first, last = payload_places(member)
  return first and string.sub(member, first, last)
end

-- The id of a packed member in the present layout, which is what this crate writes.
local function id_of(member)
  return string.sub(member, 2, 1 + string.byte(member))
end

-- Until when a packed member is of use, unix ms, or nil: it is in the ids of 25 and 26 bytes that
-- src/wire/ids.rs makes for that. Those of the older layout may begin with any byte.
local function expires_of(member)
  local size = string.byte(member)
  if (size == 25 or size == 26) and string.byte(member, 18) == 120 and payload_places(member) == 10 + size then
    return (struct.unpack('>L', member, 19))
  end
end

-- Whether a packed member stands in the timeout set alone: the ids of 17 and 26 bytes that src/wire/ids.rs
-- makes for that say so. Whoever writes one back keeps to it, so it is nowhere in the ordering list.
local function is_unlisted(member)
  local size = string.byte(member)
  return (size == 17 or size == 26) and string.byte(member, 1 + size) == 117 and payload_places(member) == 10 + size
end

-- What a script writes over entries of the ordering list that it then removes at once: gone before anybody
-- else sees it; a packed member all the same, on which no reader fails.
local MARKER = '\015removed by rdq1\0\0\0\0\0\0\0\0'

-- Appends a member to the ordering list if it is to be there.
local function list(ordering, member)
  if not is_unlisted(member) then
    redis.call('RPUSH', ordering, member)
  end
end

-- When a packed member is due, unix ms, or nil and an error reply. It is wanted so many ms from now, or
-- at the unix ms behind an '@', which means now if that has passed.
local function due_of(member, wanted, now_us)
  local due_ms = math.ceil(now_us / 1000)
  if string.byte(wanted) == 64 then
    due_ms = math.max(due_ms, tonumber(string.sub(wanted, 2)))
  else
    due_ms = due_ms + tonumber(wanted)
  end
  if due_ms > 9007199254740992 then
    return nil, redis.error_reply('RDQRANGE due time past 2^53 ms')
  end
  if due_ms > (expires_of(member) or due_ms) then
    return nil, redis.error_reply('RDQEXPIRY the element would expire before it is due')
  end
  return due_ms
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

-- When a score is due, unix ms: a fractional one at the next whole ms, and a foreign one that is huge or
-- negative at the nearest time that there is.
local function score_ms(score)
  return math.max(0, math.min(math.ceil(tonumber(score)), 9007199254740992))
end

-- How long until a score is due, us; 0 if it is already, and -1 without a score.
local function us_until(score, now_us)
  return score and math.max(0, score_ms(score) * 1000 - now_us) or -1
end

-- Whether one of these members of the timeout set, which all have this score, is its head; false without the
-- right to look. Does not read the head, which may be large: a copy of 64 MB takes Lua some 0.3 s.
local function is_head(timeouts, score, ...)
  score = string.format('%.17g', score)
  if redis.pcall('ZCOUNT', timeouts, '-inf', '(' .. score) ~= 0 then
    return false
  elseif redis.pcall('ZCOUNT', timeouts, score, score) == select('#', ...) then
    return true
  end
  for _, member in ipairs({ ... }) do
    if redis.pcall('ZRANK', timeouts, member) == 0 then
      return true
    end
  end
  return false
end

-- Publishes a due time, unix ms, an integer for Java, and returns it as it was published. To be called last: a
-- missing right does not fail what stands, for movers find it by polling.
local function publish(channel, due_ms)
  local due = string.format('%.0f', due_ms)
  redis.pcall('PUBLISH', channel, due)
  return due
end

-- Remembers for a while that these ids, at most 500, are not to be written (again), and forgets what
-- is over.
local function settle_all(settled, ids, while_ms)
  if #ids == 0 then
    return
  end
  local now_ms = math.ceil(server_us() / 1000)
  local over = string.format('%.0f', now_ms + while_ms)
  local entries = {}
  for _, id in ipairs(ids) do
    entries[#entries + 1] = over
    entries[#entries + 1] = id
  end
  redis.call('ZREMRANGEBYSCORE', settled, '-inf', string.format('%.0f', now_ms))
  redis.call('ZADD', settled, unpack(entries))
  if redis.call('PTTL', settled) < while_ms then
    redis.call('PEXPIRE', settled, string.format('%.0f', while_ms))
  end
end

-- The same for one id.
local function settle(settled, id, while_ms)
  settle_all(settled, { id }, while_ms)
end

-- How long to remember the id of a member that is taken out: a late attempt to offer a large one may be on
-- its way the longer, a second for each 4 MiB; see src/options.rs.
local function remembered(while_ms, member)
  return while_ms + 1000 * math.floor(#member / 4194304)
end

-- The commands that settle needs; TIME, too, for some scripts ask for it nowhere else.
local SETTLE = { 'TIME', 'ZREMRANGEBYSCORE', 'ZADD', 'PTTL', 'PEXPIRE' }

-- When a member was offered, as a number that only serves to compare, or nil where its id does not
-- tell. The ids of 16 and 25 bytes that this crate writes begin with it; see src/wire/ids.rs.
local function offered_at(member)
  local size = string.byte(member, 1)
  if (size == 16 or size == 25) and #member > size then
    return (struct.unpack('>L', member, 2))
  end
end

-- Removes one entry of the ordering list, unless its id says that it is not there, and says how many it
-- found. LREM scans from the end that the entry is nearer to, if its id and that of the middle one tell,
-- else from the newest. An id that misleads about the time costs time and nothing else.
local function unlist(ordering, member)
  local size = is_unlisted(member) and 0 or redis.call('LLEN', ordering)
  if size == 0 then
    return 0
  end
  local count = -1
  -- In a short list the middle is not worth reading: it may be large.
  local offered = size > 16 and offered_at(member)
  if offered then
    local middle = redis.call('LINDEX', ordering, math.floor(size / 2))
    local then_offered = middle and offered_at(middle)
    if then_offered and offered < then_offered then
      count = 1
    end
  end
  return redis.call('LREM', ordering, count, member)
end

-- The commands that unlist needs.
local UNLIST = { 'LLEN', 'LINDEX', 'LREM' }
