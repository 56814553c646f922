-- schedules: read all periodic offers of a queue at one moment, the next to occur first.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] hash    rdq1_periodic:{<name>}                 name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] zset    rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
--
-- Returns { name, next occurrence in unix ms, schedule with payload, ... }.
-- Cost O(S): S schedules of the queue.
local periodic, periodic_due = KEYS[1], KEYS[2]

local refused = unfit(periodic, 'hash', 'HGET') or unfit(periodic_due, 'zset', 'ZRANGE')
if refused then
  return refused
end

local reply = {}
local names = redis.call('ZRANGE', periodic_due, 0, -1, 'WITHSCORES')
for i = 1, #names, 2 do
  local entry = redis.call('HGET', periodic, names[i])
  if entry then
    reply[#reply + 1] = names[i]
    reply[#reply + 1] = names[i + 1]
    reply[#reply + 1] = entry
  end
end
return reply
