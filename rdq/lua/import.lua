-- import: write some records of an exported queue, once.
-- uses: check, clock
--
-- KEYS[1] settled      zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[2] timeouts     zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[3] ordering     list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[4] target       list <name>                                 the target queue: payloads that are due
-- KEYS[5] quarantine   zset rdq1_quarantine:{<name>}               unreadable member -> the score that it had
-- KEYS[6] keyed        hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[7] keyed_due    zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- KEYS[8] periodic     hash rdq1_periodic:{<name>}                 name -> periodic offer
-- KEYS[9] periodic_due zset rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
-- KEYS[10] dead        list <dead letters>                         payloads that nobody could handle
-- KEYS[11] dead_notes  list rdq1_dead_notes:{<dead letters>}       a note about each of these
-- ARGV[1] before    text    the token of what must have been written before, '' at the beginning
-- ARGV[2] after     text    the token of what is written then
-- ARGV[3] keep_ms   number  how long to remember that, ms
-- ARGV[4] keyed_ms  number  how long the keys of keyed offers live at least, ms
-- ARGV    from 5 on, for each record: its kind, and three fields
--           'l' a listed or 'u' an unlisted pending element: member, score, ''
--           'r' a payload that is due, 'd' a dead letter, 'n' a note about one: these bytes, '', ''
--           'q' a quarantined member: member, score, ''
--           'k' a keyed offer: key, member, score
--           'p' a periodic offer: name, offer, next occurrence
--
-- A member that is there already stays as it is. Nothing is published.
--
-- Returns how many records it wrote that were not there, or -1 if another run has written these.
-- Cost O(M log N): M records.

-- Redis takes back nothing of a script that fails in the middle, so all rights are asked for beforehand.
local refused = unfit(settled, 'zset', 'ZSCORE', 'ZADD', 'ZREM', 'PTTL', 'PEXPIRE') or unfit(timeouts, 'zset', 'ZADD')
  or unfit(ordering, 'list', 'RPUSH') or unfit(target, 'list', 'RPUSH') or unfit(quarantine, 'zset', 'ZADD')
  or unfit(keyed, 'hash', 'HSETNX', 'PTTL', 'PEXPIRE') or unfit(keyed_due, 'zset', 'ZADD', 'PTTL', 'PEXPIRE')
  or unfit(periodic, 'hash', 'HSETNX') or unfit(periodic_due, 'zset', 'ZADD')
  or unfit(dead, 'list', 'RPUSH') or unfit(dead_notes, 'list', 'RPUSH')
if refused then
  return refused
end
if redis.call('ZSCORE', settled, after) or before ~= '' and not redis.call('ZSCORE', settled, before) then
  return -1
end

-- Lets a key live on for this long, unless it lives longer.
local function keep(KEY, ms)
  if redis.call('PTTL', KEY) < ms then
    redis.call('PEXPIRE', KEY, string.format('%.0f', ms))
  end
end
local function pend(member, score, is_listed)
  local added = redis.call('ZADD', timeouts, 'NX', score, member)
  if added == 1 and is_listed then
    redis.call('RPUSH', ordering, member)
  end
  return added
end
local function pusher(KEY)
  return function(bytes)
    redis.call('RPUSH', KEY, bytes)
    return 1
  end
end
local write = {
  ['l'] = function(member, score)
    return pend(member, score, true)
  end,
  ['u'] = function(member, score)
    return pend(member, score, false)
  end,
  ['r'] = pusher(target),
  ['d'] = pusher(dead),
  ['n'] = pusher(dead_notes),
  ['q'] = function(member, score)
    return redis.call('ZADD', quarantine, 'NX', score, member)
  end,
  ['k'] = function(key, member, score)
    local added = redis.call('HSETNX', keyed, key, member)
    redis.call('ZADD', keyed_due, 'NX', score, key)
    keep(keyed, keyed_ms)
    keep(keyed_due, keyed_ms)
    return added
  end,
  ['p'] = function(name, offer, score)
    local added = redis.call('HSETNX', periodic, name, offer)
    redis.call('ZADD', periodic_due, 'NX', score, name)
    return added
  end,
}

-- First, so that a server without memory left refuses the script before it has written a record.
local over = string.format('%.0f', math.ceil(server_us() / 1000) + keep_ms)
redis.call('ZADD', settled, over, after)
local written = 0
local done, failure = pcall(function()
  keep(settled, keep_ms)
  if before ~= '' then
    redis.call('ZREM', settled, before)
  end
  for i = 5, #ARGV, 4 do
    written = written + write[ARGV[i]](ARGV[i + 1], ARGV[i + 2], ARGV[i + 3])
  end
end)
if not done then
  -- The next run writes these records again. What has no id may come twice then, which is better than never.
  redis.call('ZREM', settled, after)
  if before ~= '' then
    redis.call('ZADD', settled, over, before)
  end
  return redis.error_reply(type(failure) == 'table' and failure.err or failure)
end
return written
