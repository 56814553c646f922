-- list: read on in the ordering list or in the target queue.
--
-- KEYS[1] list     list redisson_delay_queue:{<name>} or <name>  packed members in offer order, or payloads that are
--                                                                due
-- KEYS[2] timeouts zset redisson_delay_queue_timeout:{<name>}    packed member -> due time, unix ms
-- ARGV[1] place       number  place of the first entry to return, from 0
-- ARGV[2] before      text    the entry before it, '' if that does not matter
-- ARGV[3] most        number  most entries to return
-- ARGV[4] most_bytes  number  how many bytes they may have; the last may exceed it
--
-- Entries leave at the front meanwhile, and all others move up. So the script looks for the entry that was returned
-- last: up to 2,000 places before the one where it stood, or within 200,000 of the front if entries are large. If it is
-- not between there and the front, all up to it have left.
--
-- Returns { the place behind the last entry that it returns, { entry, its due time or '', ... } }.
-- Cost O(F + M) for M entries, F places from the nearer end.
local WINDOW, WINDOWS, MOST_SEARCHED = 100, 22, 200000

-- Returns the place of the entry before, or false and the place from which on it is not.
local function look_back()
  local stop, bytes, size = place - 1, 0, 1
  for _ = 1, WINDOWS do
    if stop == 0 then
      break
    end
    -- Redis searches without copying what it compares. Where that is no right, or Redis 6.2 cannot tell, it takes
    -- longer.
    if bytes + #before > most_bytes and redis.acl_check_cmd and redis.acl_check_cmd('LPOS', list, 'x') then
      local found = redis.call('LPOS', list, before, 'MAXLEN', math.min(stop, MOST_SEARCHED))
      return found, stop <= MOST_SEARCHED and 0 or stop
    end
    local start = math.max(stop - size, 0)
    local window = redis.call('LRANGE', list, start, stop - 1)
    for i = #window, 1, -1 do
      bytes = bytes + #window[i]
      if window[i] == before then
        return start + i - 1
      end
    end
    stop, size = start, math.min(10 * size, WINDOW)
  end
  return false, stop
end

-- The entry before comes with the first one, because finding a place costs more than reading an entry.
local ahead = before ~= '' and 1 or 0
local step = redis.call('LRANGE', list, place - ahead, place)
if before ~= '' and step[1] ~= before then
  local found, stop = look_back()
  place = found and found + 1 or stop == 0 and 0 or place
  ahead = 0
  step = redis.call('LRANGE', list, place, place)
end

-- One at first, then 16, and then as many as fit if they are like those, because entries may be large.
local entries, bytes = {}, 0
while #step > ahead and most > 0 and bytes < most_bytes do
  for i = 1 + ahead, #step do
    local entry = step[i]
    if bytes < most_bytes and most > 0 then
      entries[#entries + 1] = entry
      entries[#entries + 1] = redis.call('ZSCORE', timeouts, entry) or ''
      bytes = bytes + #entry
      place, most = place + 1, most - 1
    end
  end
  ahead = 0
  local mean = math.max(2 * bytes / #entries, 1)
  local fit = #entries < 16 and 16 or math.max(math.floor((most_bytes - bytes) / mean), 1)
  step = most > 0 and bytes < most_bytes and redis.call('LRANGE', list, place, place + math.min(fit, most) - 1) or {}
end
return { place, entries }
