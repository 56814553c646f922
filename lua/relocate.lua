-- relocate: give the keys of a queue, or copies of them, the names of another queue.
-- Redisson: renameAsync, renamenxAsync and copyAsync of RedissonObject (4.7.0), which move the target queue alone, or
-- copy the ordering list to where the target queue belongs.
-- uses: check, head, score
--
-- KEYS[1] timeouts            zset   redisson_delay_queue_timeout:{<old name>}
-- KEYS[2] ordering            list   redisson_delay_queue:{<old name>}
-- KEYS[3] target              list   <old name>
-- KEYS[4] quarantine          zset   rdq1_quarantine:{<old name>}
-- KEYS[5] keyed               hash   rdq1_keyed:{<old name>}
-- KEYS[6] keyed_due           zset   rdq1_keyed_due:{<old name>}
-- KEYS[7] state               hash   rdq1_state:{<old name>}
-- KEYS[8] dead_notes          list   rdq1_dead_notes:{<old name>}
-- KEYS[9] periodic            hash   rdq1_periodic:{<old name>}
-- KEYS[10] periodic_due       zset   rdq1_periodic_due:{<old name>}
-- KEYS[11] counts             hash   rdq1_counts:{<old name>}
-- KEYS[12] to_timeouts        zset   redisson_delay_queue_timeout:{<new name>}
-- KEYS[13] to_ordering        list   redisson_delay_queue:{<new name>}
-- KEYS[14] to_target          list   <new name>
-- KEYS[15] to_quarantine      zset   rdq1_quarantine:{<new name>}
-- KEYS[16] to_keyed           hash   rdq1_keyed:{<new name>}
-- KEYS[17] to_keyed_due       zset   rdq1_keyed_due:{<new name>}
-- KEYS[18] to_state           hash   rdq1_state:{<new name>}
-- KEYS[19] to_dead_notes      list   rdq1_dead_notes:{<new name>}
-- KEYS[20] to_periodic        hash   rdq1_periodic:{<new name>}
-- KEYS[21] to_periodic_due    zset   rdq1_periodic_due:{<new name>}
-- KEYS[22] to_counts          hash   rdq1_counts:{<new name>}
-- KEYS[23] to_leases          zset   rdq1_leases:{<new name>}
-- KEYS[24] to_deliveries      hash   rdq1_deliveries:{<new name>}
-- KEYS[25] to_delivery_leases zset   rdq1_delivery_leases:{<new name>}
-- KEYS[26] to_retries         zset   rdq1_retries:{<new name>}
-- KEYS[27] to_groups          hash   rdq1_groups:{<new name>}
-- KEYS[28] to_grouped         zset   rdq1_grouped:{<new name>}
-- KEYS[29] to_fence           string rdq1_fence:{<new name>}
-- ARGV[1] command   text    RENAME or COPY
-- ARGV[2] replaces  flag    to replace what the new name holds
-- ARGV[3] channel   text    channel redisson_delay_queue_channel:{<new name>}
--
-- A copy leaves the schedules and the counts out. The keys of the new name that have no counterpart are in the way, and
-- go when it is replaced. A clock holds nothing, and stays when all elements have gone.
--
-- Returns 1, or 0 if there is nothing to relocate, or something is in the way that must not be replaced.
-- Cost O(1), and O(N) to copy.
local is_copy = command == 'COPY'
-- How many keys of the old name there are, and how many of them it relocates.
local OLD, COPIED = 11, 8
local count = is_copy and COPIED or OLD

for i, key in ipairs(KEYS) do
  local refused = i <= count and denied(command, key, KEYS[OLD + i]) or i > OLD and denied('UNLINK', key)
  if refused then
    return refused
  end
end
local there = redis.call('EXISTS', timeouts, ordering, target, quarantine, keyed, keyed_due, state, dead_notes)
if there == 0 and (is_copy or redis.call('EXISTS', periodic, periodic_due, counts) == 0) then
  return 0
end
if replaces then
  redis.call('UNLINK',
    to_timeouts, to_ordering, to_target, to_quarantine, to_keyed, to_keyed_due, to_state, to_dead_notes,
    to_periodic, to_periodic_due, to_counts, to_leases, to_deliveries, to_delivery_leases, to_retries, to_groups,
    to_grouped, to_fence)
elseif redis.call('EXISTS',
    to_timeouts, to_ordering, to_target, to_quarantine, to_keyed, to_keyed_due, to_state, to_dead_notes,
    to_periodic, to_periodic_due, to_counts, to_leases, to_deliveries, to_delivery_leases, to_retries, to_groups,
    to_grouped, to_fence) > 0 then
  return 0
end

local function relocate(FROM, TO)
  if redis.call('EXISTS', FROM) == 0 then
    return
  elseif is_copy then
    redis.call('COPY', FROM, TO)
  else
    redis.call('RENAME', FROM, TO)
  end
end
relocate(timeouts, to_timeouts)
relocate(ordering, to_ordering)
relocate(target, to_target)
relocate(quarantine, to_quarantine)
relocate(keyed, to_keyed)
relocate(keyed_due, to_keyed_due)
relocate(state, to_state)
relocate(dead_notes, to_dead_notes)
if not is_copy then
  relocate(periodic, to_periodic)
  relocate(periodic_due, to_periodic_due)
  relocate(counts, to_counts)
end
local head = redis.pcall('ZRANGE', to_timeouts, 0, 0, 'WITHSCORES')
if head[1] then
  publish(channel, score_ms(head[2]))
end
return 1
