-- upcoming: read the periodic offers that occur soon, in pages, and when the first of the others does.
-- Redisson: none.
-- uses: check, clock, score
--
-- KEYS[1] periodic     hash rdq1_periodic:{<name>}      name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] periodic_due zset rdq1_periodic_due:{<name>}  name -> its next occurrence, unix ms
-- ARGV[1] clock_us  number  clock, unix us, or '' for Redis's own
-- ARGV[2] ahead_ms  number  how far ahead to look, ms
-- ARGV[3] passed    number  how many to pass over
-- ARGV[4] most      number  how many to return at most, fewer if they are large
--
-- Returns { clock in unix us, us until the first that is not soon or -1 for none,
-- { name, next occurrence as it stands there, the first line of its entry, ... }, 1 if more are soon else 0 }.
-- Cost O(log S + M): S schedules of the queue, M passed over and returned.

local refused = unfit(periodic, 'hash', 'HGET') or unfit(periodic_due, 'zset', 'ZRANGEBYSCORE')
if refused then
  return refused
end

local now_us = clock_us or server_us()
local horizon = string.format('%.0f', math.floor(now_us / 1000) + ahead_ms)
local rows = redis.call('ZRANGEBYSCORE', periodic_due, '-inf', horizon, 'WITHSCORES', 'LIMIT', passed, most)
local reply, bytes, is_more = {}, 0, #rows == 2 * most
for i = 1, #rows, 2 do
  if bytes >= 4194304 then
    is_more = true
    break
  end
  local entry = redis.call('HGET', periodic, rows[i]) or ''
  bytes = bytes + #entry
  reply[#reply + 1] = rows[i]
  reply[#reply + 1] = rows[i + 1]
  -- No schedule has a longer line.
  reply[#reply + 1] = string.match(string.sub(entry, 1, 4096), '^([^\n]*)\n') or ''
end

local later = redis.call('ZRANGEBYSCORE', periodic_due, '(' .. horizon, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { now_us, us_until(later[2], now_us), reply, is_more and 1 or 0 }
