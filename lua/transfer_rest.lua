-- transfer_rest: say as lua/transfer.lua does when to come back, if there is nothing else to do or to say.
-- Redisson: none; its task sleeps until the due time that it knows of.
--
-- It stands in front of the prelude and uses nothing of it, for every client asks once a second for each of its
-- queues. KEYS and ARGV are those of lua/transfer.lua.
--
-- KEYS[1] list    <name>                                 the target queue: payloads that are due
-- KEYS[2] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[5] zset    rdq1_leases:{<name>}                   lease -> when it runs out, unix ms
-- KEYS[6] hash    rdq1_state:{<name>}                    what is said of the queue as a whole
-- KEYS[7] zset    rdq1_periodic_due:{<name>}             periodic offer -> its next occurrence, unix ms
-- KEYS[9] zset    rdq1_keyed_due:{<name>}                key -> when to look whether its member is there
-- ARGV[1] clock, unix us, or '' for Redis's own
-- ARGV[3] how far ahead to look for unreadable members, ms
-- ARGV[10] the score of a large member as KEYS[2] spells it, or ''
--
-- Returns as lua/transfer.lua does, or goes on without having written anything.
-- Cost O(log N).
if redis.pcall('EXISTS', KEYS[1], KEYS[5], KEYS[6], KEYS[7], KEYS[9]) == 0 then
  local time = redis.call('TIME')
  local server_now_us = time[1] * 1000000 + time[2]
  local now_us = tonumber(ARGV[1]) or server_now_us
  -- To read a large head is to copy it. Where nothing is due before the large member that was read once, the head
  -- is not due before that. Whether this one still stands there is not asked, for ZCOUNT compares whole members.
  local known, head = ARGV[10], {}
  local known_ms = tonumber(known)
  if not known_ms or known_ms * 1000 <= now_us then
    known = ''
  end
  if known ~= '' and redis.pcall('EXISTS', KEYS[2]) == 1
    and redis.pcall('ZCOUNT', KEYS[2], '-inf', '(' .. known) == 0 then
    head[2] = known
  else
    head = redis.pcall('ZRANGE', KEYS[2], '0', '0', 'WITHSCORES')
    if head[1] and #head[1] >= 65536 then
      known = head[2]
    end
  end
  local due_ms = head[2] and math.min(math.ceil(tonumber(head[2])), 9007199254740992)
  local head_us = due_ms and due_ms * 1000 - now_us
  if not head.err and (not head_us or head_us > tonumber(ARGV[3]) * 1000) then
    return { 0, head_us or -1, server_now_us, 0, { 0, 0, {}, 0 }, {}, 0, -1, 0, 0, 1, known }
  end
end
