-- schedules: read the periodic offers of a queue in steps, the next to occur first.
-- Redisson: none.
-- uses: check, walk
--
-- KEYS[1] periodic     hash rdq1_periodic:{<name>}      name -> schedule in one line of JSON, line feed, payload
-- KEYS[2] periodic_due zset rdq1_periodic_due:{<name>}  name -> its next occurrence, unix ms
-- ARGV[1] from        text    where to go on, as the call before has said, or '-inf'
-- ARGV[2] behind      number  of the entries with that score, how many are behind, or 0
-- ARGV[3] with_score  number  how many there were, or 0
-- ARGV[4] most_bytes  number  how many bytes the reply may hold; the last may exceed it
--
-- Returns { the place where to go on, or {}, { name, next occurrence in unix ms, schedule with payload, ... } }. One
-- that occurs between two calls may come twice.
-- Cost O(log S): S schedules of the queue. It reads 2000 of them at the most.
local refused = unfit(periodic, 'hash', 'HGET') or unfit(periodic_due, 'zset', 'ZRANGE', 'ZCOUNT')
if refused then
  return refused
end

local reply, bytes = {}, 0
local place = walk(periodic_due, from, behind, with_score, function(name, next_ms)
  local entry = redis.call('HGET', periodic, name)
  if entry then
    reply[#reply + 1] = name
    reply[#reply + 1] = next_ms
    reply[#reply + 1] = entry
    bytes = bytes + #name + #entry
  end
  return bytes >= most_bytes
end)
return { place, reply }
