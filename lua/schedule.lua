-- schedule: store a periodic offer under a name. An equal one stays as it is, with its next occurrence.
-- Redisson: none.
-- uses: check, clock, occurrences
--
-- KEYS[1] periodic     hash rdq1_periodic:{<name>}      name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] periodic_due zset rdq1_periodic_due:{<name>}  name -> its next occurrence, unix ms
-- KEYS[3] settled      zset rdq1_settled:{<name>}       what was done -> until when it counts, unix ms
-- ARGV[1] name      text    name of the periodic offer
-- ARGV[2] schedule  text    schedule in one line of JSON
-- ARGV[3] payload   text    payload
-- ARGV[4] first_ms  number  first occurrence, unix ms
-- ARGV[5] clock_us  number  clock, unix us, or '' for Redis's own
-- ARGV[6] ahead_ms  number  how far ahead occurrences may have been offered, ms
--
-- Returns { 0, 0 } if the same stood there, { 1, 0 } if nothing did, { 2, 0 } if something else did. If only the
-- payload is another, the next occurrence stays. If the first occurrence is not after the last that was offered under
-- this name, it writes nothing and returns { 3, that one, unix ms }.
-- Cost O(log S): S schedules of the queue.
local line = schedule .. '\n'

local refused = unfit(periodic, 'hash', 'HGET', 'HSET') or unfit(periodic_due, 'zset', 'ZSCORE', 'ZADD')
  or unfit(settled, 'zset', 'ZSCORE')
if refused then
  return refused
end

local entry = line .. payload
local before = redis.call('HGET', periodic, name)
local goes_on = before and string.sub(before, 1, #line) == line
  and redis.call('ZSCORE', periodic_due, name)
if goes_on and before == entry then
  return { 0, 0 }
end
if not goes_on then
  local last_ms = last_occurrence(name)
  local now_us = clock_us or server_us()
  -- One that is further ahead was offered before the clock went back.
  if last_ms and first_ms <= last_ms and last_ms <= math.ceil(now_us / 1000) + ahead_ms then
    return { 3, last_ms }
  end
end
redis.call('HSET', periodic, name, entry)
if not goes_on then
  redis.call('ZADD', periodic_due, first_ms, name)
end
return { before and 2 or 1, 0 }
