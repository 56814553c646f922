-- offer_unique_listed: schedule a value unless an equal payload is in the ordering list; then keep it, or replace the
-- oldest. Sending the same offer again changes nothing, because `settled` knows what it did.
-- Redisson: RedissonDelayedQueue.removeAsync and then offerAsync (4.7.0), but nothing comes in between.
-- uses: check, clock, head, member, ordering, score, settled
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled  zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1]  member          text    packed member to schedule
-- ARGV[2]  when            text    when it is due (see lib/score.lua)
-- ARGV[3]  clock_us        number  clock for the due time, unix us, or '' for Redis's own
-- ARGV[4]  channel         text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a
--                                  key right
-- ARGV[5]  write_until_us  number  an attempt that runs after this moment (unix us, Redis's clock) writes nothing
-- ARGV[6]  remember_ms     number  how long `settled` shall remember what was done, ms
-- ARGV[7]  is_repeated     flag    if an earlier attempt may have run, or may yet run
-- ARGV[8]  replaces        flag    to replace a pending member, else it is kept
-- ARGV[9]  found           text    the oldest member with the payload, if a search has found one, or ''
-- ARGV[10] searched_up_to  text    '=' and the first bytes, at most 264, of the member up to which the client searched
--                                  `ordering` in vain, or '' if it did not search
-- ARGV[11] searched_bytes  number  how many bytes that member has
--
-- Returns { what it did, us until the new head is due or -1 if it is another, Redis's clock in unix us, the packed
-- member that it kept or '' }. What it did is
--   'o' offered, 'k' kept another, 'r' replaced another, '-' came too late and wrote nothing,
--   '?' needs another search, because the member that the client found is gone, or too many were appended since.
-- A member that has expired is not pending. Nor is one to keep that is listed and not scheduled. The offer takes such a
-- member out and answers '?', because another one may be pending.
-- Cost O(log N + D): LREM scans D members between the replaced one and the end of `ordering` that is nearer, if the ids
-- tell which.
local id, payload = id_of(member), payload_of(member)
-- How many entries it searches itself: about 1 ms of Redis's time.
local PAGE = 1000

local server_now_us = server_us()
local now_us = clock_us or server_now_us
if server_now_us > write_until_us then
  return { '-', -1, server_now_us, '' }
end
local refused = unfit(timeouts, 'zset', 'ZADD', 'ZREM') or not replaces and unfit(timeouts, 'zset', 'ZSCORE')
  or unfit(ordering, 'list', 'RPUSH', 'LRANGE', unpack(UNLIST))
  or unfit(settled, 'zset', 'ZMSCORE', unpack(SETTLE))
if refused then
  return refused
end
local done = done_under(id)
if done and done ~= 'k' then
  return { done, -1, server_now_us, '' }
end
local due_ms, wrong = due_of(member, when, now_us)
if wrong and not done then
  return wrong
end

-- Returns the oldest member with the payload behind the member up to which the client searched the list, '' for
-- none, or false if that member is too far away.
local function find_appended()
  local oldest, last, step, bytes = '', -1, 1, 0
  -- One at first and then more, because entries may be large.
  repeat
    local page = redis.call('LRANGE', ordering, last - step + 1, last)
    for i = #page, 1, -1 do
      local entry = page[i]
      bytes = bytes + #entry
      if #entry == searched_bytes and '=' .. string.sub(entry, 1, 264) == searched_up_to then
        return oldest
      elseif #entry > #payload and payload_of(entry) == payload then
        oldest = entry
      end
    end
    if #page < step then
      return oldest
    end
    last = last - step
    step = math.min(16 * step, 64, PAGE + last + 1)
  until step == 0 or bytes > 1000000
  return false
end
if found == '' then
  found = find_appended()
  if not found then
    return { '?', -1, server_now_us, '' }
  end
end
if done then
  return { done, -1, server_now_us, found }
end

done = 'o'
if found ~= '' then
  if not replaces and redis.call('ZSCORE', timeouts, found) and not has_expired(found, now_us) then
    if is_repeated then
      settle(id .. 'k', remember_ms)
    end
    return { 'k', -1, server_now_us, found }
  end
  -- Like Redisson, it also takes out a member that stands in only one of the keys.
  local is_gone = redis.call('ZREM', timeouts, found) + unlist(found) == 0
  if not is_gone then
    settle(id_of(found), remembered(remember_ms, found))
  end
  if is_gone or has_expired(found, now_us) or not replaces then
    return { '?', -1, server_now_us, '' }
  end
  done = 'r'
end
redis.call('ZADD', timeouts, string.format('%.0f', due_ms), member)
append(member)
settle(id .. done, remember_ms)

local due = is_head(due_ms, member) and publish(channel, due_ms)
return { done, us_until(due, now_us), server_now_us, '' }
