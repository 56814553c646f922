-- transfer_rest: say when to come back, if there is nothing else to do or to report. Runs in front of
-- lua/transfer.lua, in one script. Either returns, or writes nothing and lets lua/transfer.lua run.
-- Redisson: none; its task sleeps until the due time that it knows of.
--
-- KEYS and ARGV are those of lua/transfer.lua. It stands in front of the library as well, and does not use it, because
-- every client asks once a second for each of its queues. It answers in 7.5 us, 8 if it measures, and the whole script
-- in 30 (7.0.15).
-- So it spells two constants of the library: BULKY is 65536, and LATEST_MS is 9007199254740992.
--
-- KEYS[1] target       list <name>                                 the target queue: payloads that are ready
-- KEYS[2] timeouts     zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[5] leases       zset rdq1_leases:{<name>}                   origin -> when its lease runs out, unix ms
-- KEYS[6] state        hash rdq1_state:{<name>}                    the queue's state
-- KEYS[7] periodic_due zset rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
-- KEYS[9] keyed_due    zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- ARGV[1]  clock_us     number  clock, unix us, or '' for Redis's own
-- ARGV[3]  ahead_ms     number  how far ahead to look for unreadable members, ms
-- ARGV[10] bulky_score  text    the score of a bulky member as `timeouts` spells it, or '' (see lib/places.lua)
-- ARGV[11] measures     flag    to measure
--
-- Returns as lua/transfer.lua does, or nothing.
-- Cost O(log N).
if redis.pcall('EXISTS', target, leases, state, periodic_due, keyed_due) == 0 then
  local time = redis.call('TIME')
  local server_now_us = time[1] * 1000000 + time[2]
  local now_us = clock_us or server_now_us
  -- Reading a bulky head would copy it. An earlier run may have read a bulky member. If nothing is due before that
  -- member, the head is not due before it either. The script does not check that the member still stands there, because
  -- ZCOUNT would compare whole members. If the member is due, lua/transfer.lua reads it.
  local head = {}
  local known_ms = tonumber(bulky_score)
  local is_due = known_ms and known_ms * 1000 <= now_us
  if known_ms and not is_due and redis.pcall('EXISTS', timeouts) == 1
    and redis.pcall('ZCOUNT', timeouts, '-inf', '(' .. bulky_score) == 0 then
    head[2] = bulky_score
  elseif not is_due then
    head = redis.pcall('ZRANGE', timeouts, '0', '0', 'WITHSCORES')
    if head[1] and #head[1] >= 65536 then
      bulky_score = head[2]
    end
  end
  local due_ms = head[2] and math.min(math.ceil(tonumber(head[2])), 9007199254740992)
  local head_us = due_ms and due_ms * 1000 - now_us
  if not is_due and not head.err and (not head_us or head_us > ahead_ms * 1000) then
    local pending = measures and tonumber(redis.pcall('ZCARD', timeouts)) or -1
    return { 0, head_us or -1, server_now_us, 0, { 0, 0, {} }, {}, 0, -1, 0, 0, 1, bulky_score, {}, pending, 0, 0 }
  end
end
