-- schedule: store a periodic offer under a name. An equal one stays as it is, with its next occurrence.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] hash    rdq1_periodic:{<name>}                 name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] zset    rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
-- ARGV[1] name of the periodic offer           ARGV[2] schedule in one line of JSON
-- ARGV[3] payload                              ARGV[4] first occurrence, unix ms
--
-- Returns 0 if the same stood there, 1 if nothing did, 2 if something else did. If only the payload is another, the
-- next occurrence stays.
-- Cost O(log S): S schedules of the queue.
local periodic, periodic_due = KEYS[1], KEYS[2]
local name, line = ARGV[1], ARGV[2] .. '\n'

local refused = unfit(periodic, 'hash', 'HGET', 'HSET') or unfit(periodic_due, 'zset', 'ZSCORE', 'ZADD')
if refused then
  return refused
end

local entry = line .. ARGV[3]
local before = redis.call('HGET', periodic, name)
local goes_on = before and string.sub(before, 1, #line) == line
  and redis.call('ZSCORE', periodic_due, name)
if goes_on and before == entry then
  return 0
end
redis.call('HSET', periodic, name, entry)
if not goes_on then
  redis.call('ZADD', periodic_due, ARGV[4], name)
end
return before and 2 or 1
