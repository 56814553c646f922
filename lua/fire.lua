-- fire: offer occurrences of a periodic offer ahead of their time, and move it on to the next, once.
-- Redisson: none; the elements are as RDelayedQueue.offer leaves them.
-- uses: check, head, occurrences, ordering
--
-- KEYS[1] timeouts     zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering     list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] periodic     hash rdq1_periodic:{<name>}                 name -> schedule in one line of JSON, line feed,
--                                                                  payload
-- KEYS[4] periodic_due zset rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
-- KEYS[5] settled      zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] name      text    name of the periodic offer
-- ARGV[2] seen_ms   text    next occurrence as the client saw it in `periodic_due`
-- ARGV[3] schedule  text    schedule as the client saw it in `periodic`
-- ARGV[4] next_ms   text    next occurrence from now on, '' for none
-- ARGV[5] channel   text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key right
-- ARGV    from 6 on: id and due time in unix ms of each element, at most 100, the earliest first; an id that marks its
--         element as unlisted keeps it out of `ordering`
--
-- Returns 1, or 0 if the periodic offer is not as the client saw it: then it wrote nothing.
-- Cost O(M log N): M offered.
local line = schedule .. '\n'

local refused = unfit(timeouts, 'zset', 'ZADD') or unfit(ordering, 'list', 'RPUSH')
  or unfit(periodic, 'hash', 'HGET', 'HDEL') or unfit(periodic_due, 'zset', 'ZSCORE', 'ZADD', 'ZREM')
  or unfit(settled, 'zset', 'ZADD', 'PTTL', 'PEXPIRE')
if refused then
  return refused
end

-- Another client may have fired it already, or somebody may have changed the schedule.
local entry = redis.call('HGET', periodic, name)
if redis.call('ZSCORE', periodic_due, name) ~= seen_ms or string.sub(entry or '', 1, #line) ~= line then
  return 0
end

local payload = string.sub(entry, #line + 1)
local first_ms, first = math.huge, {}
for i = 6, #ARGV, 2 do
  local id, due = ARGV[i], ARGV[i + 1]
  local member = struct.pack('<Bc0Lc0', #id, id, #payload, payload)
  if redis.call('ZADD', timeouts, 'NX', due, member) == 1 then
    append(member)
    local due_ms = tonumber(due)
    if due_ms < first_ms then
      first_ms, first = due_ms, {}
    end
    if due_ms == first_ms then
      first[#first + 1] = member
    end
  end
end
if #ARGV > 6 then
  note_occurrence(name, tonumber(ARGV[#ARGV]))
end
if next_ms == '' then
  redis.call('ZREM', periodic_due, name)
  redis.call('HDEL', periodic, name)
else
  redis.call('ZADD', periodic_due, next_ms, name)
end

if #first > 0 and is_head(first_ms, unpack(first)) then
  publish(channel, first_ms)
end
return 1
