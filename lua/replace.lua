-- replace: take out the oldest member with a payload, if there is one, and schedule another with the same.
-- Sending the same call again changes nothing, for KEYS[3] knows what it has done.
-- Redisson: RedissonDelayedQueue.removeAsync and then offerAsync (4.7.0), but nothing comes in between.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] zset    rdq1_settled:{<name>}                  id not to be written (again) -> until when, unix ms
-- ARGV[1] packed member to schedule                      ARGV[2] when it is due (see due_of)
-- ARGV[3] clock for the due time, unix us, or '' for Redis's own
-- ARGV[4] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[5] an attempt that runs after this moment (unix us, Redis's clock) must write nothing
-- ARGV[6] how long KEYS[3] shall remember what was done, ms
-- ARGV[7] the oldest member with the payload, if a search has found one, or ''
-- ARGV[8] '=' and how a member begins up to which KEYS[2] was searched in vain, 264 bytes at the most, or '' for
-- not at all                   ARGV[9] how many bytes that member has
--
-- Returns { what was done, us until the new head is due or -1 if it is another, Redis's clock in unix us },
-- where what was done is 'o' offered, 'r' replaced another, '-' too late, '?' to be called again after
-- another search: what was found is gone, or too much was appended since. The last two wrote nothing.
-- Cost O(log N + D): D members lie between the one found and the nearer end, if the ids tell, of KEYS[2]
-- (LREM scans them).
local timeouts, ordering, settled = KEYS[1], KEYS[2], KEYS[3]
local member, channel, remember_ms = ARGV[1], ARGV[4], tonumber(ARGV[6])
local found, searched, searched_size = ARGV[7], ARGV[8], tonumber(ARGV[9])
local id, payload = id_of(member), payload_of(member)
-- How much of the list is searched in here: about 1 ms of Redis's time.
local PAGE = 1000

local server_now_us = server_us()
local now_us = tonumber(ARGV[3]) or server_now_us
if server_now_us > tonumber(ARGV[5]) then
  return { '-', -1, server_now_us }
end
local refused = unfit(timeouts, 'zset', 'ZADD', 'ZREM')
  or unfit(ordering, 'list', 'RPUSH', 'LRANGE', unpack(UNLIST))
  or unfit(settled, 'zset', 'ZMSCORE', unpack(SETTLE))
if refused then
  return refused
end
local done = done_under(settled, id)
if done then
  return { done, -1, server_now_us }
end
local due_ms, wrong = due_of(member, ARGV[2], now_us)
if wrong then
  return wrong
end

-- The oldest member with the payload behind the one up to which the list was searched; false if that is
-- too far away.
local function find_appended()
  local oldest, last, step, bytes = '', -1, 1, 0
  -- A few at first, for nobody knows how large they are.
  repeat
    local page = redis.call('LRANGE', ordering, last - step + 1, last)
    for i = #page, 1, -1 do
      local entry = page[i]
      bytes = bytes + #entry
      if #entry == searched_size and '=' .. string.sub(entry, 1, 264) == searched then
        return oldest
      elseif #entry > #payload and payload_of(entry) == payload then
        oldest = entry
      end
    end
    if #page < step then
      return oldest
    end
    last = last - step
    step = math.min(16 * step, PAGE + last + 1)
  until step == 0 or bytes > 1000000
  return false
end
if found == '' then
  found = find_appended()
  if not found then
    return { '?', -1, server_now_us }
  end
end

done = 'o'
if found ~= '' then
  -- One that stands in one of the keys only is taken out as well, as Redisson does.
  if redis.call('ZREM', timeouts, found) + unlist(ordering, found) == 0 then
    return { '?', -1, server_now_us }
  end
  done = 'r'
  settle(settled, id_of(found), remembered(remember_ms, found))
end
redis.call('ZADD', timeouts, string.format('%.0f', due_ms), member)
list(ordering, member)
settle(settled, id .. done, remember_ms)

local due = is_head(timeouts, due_ms, member) and publish(channel, due_ms)
return { done, us_until(due, now_us), server_now_us }
