-- expire: make all keys of a queue expire at one moment, or never.
-- Redisson: RedissonDelayedQueue.expireAsync, expireAtAsync and clearExpireAsync (4.7.0), which leave out the target
-- queue.
-- uses: check, clock, score
--
-- KEYS[1] timeouts         zset redisson_delay_queue_timeout:{<name>}
-- KEYS[2] ordering         list redisson_delay_queue:{<name>}
-- KEYS[3] target           list <name>
-- KEYS[4] quarantine       zset rdq1_quarantine:{<name>}
-- KEYS[5] state            hash rdq1_state:{<name>}
-- KEYS[6] dead_notes       list rdq1_dead_notes:{<name>}
-- KEYS[7] periodic         hash rdq1_periodic:{<name>}
-- KEYS[8] periodic_due     zset rdq1_periodic_due:{<name>}
-- KEYS[9] leases           zset rdq1_leases:{<name>}
-- KEYS[10] deliveries      hash rdq1_deliveries:{<name>}
-- KEYS[11] delivery_leases zset rdq1_delivery_leases:{<name>}
-- KEYS[12] retries         zset rdq1_retries:{<name>}
-- KEYS[13] groups          hash rdq1_groups:{<name>}
-- KEYS[14] grouped         zset rdq1_grouped:{<name>}
-- ARGV[1] kind  text    'at' a moment, 'in' a time from now, or 'never'
-- ARGV[2] ms    number  that moment, unix ms, or that time, ms, or 0
--
-- These are the keys of the queue that do not expire by themselves.
--
-- Returns how many keys were given the moment, or lost the one that they had.
-- Cost O(1); O(N) if the moment has passed, because that deletes the keys at once.

for _, key in ipairs(KEYS) do
  local refused = kind == 'never' and denied('PERSIST', key) or kind ~= 'never' and denied('PEXPIREAT', key, '1')
  if refused then
    return refused
  end
end

if kind == 'in' then
  ms = math.ceil(server_us() / 1000) + ms
end
local moment = string.format('%.0f', math.min(ms, LATEST_MS))
-- Returns 1 if that changed when the key expires, else 0.
local function set_end(KEY)
  if kind == 'never' then
    return redis.call('PERSIST', KEY)
  end
  return redis.call('PEXPIREAT', KEY, moment)
end
return set_end(timeouts) + set_end(ordering) + set_end(target) + set_end(quarantine) + set_end(state)
  + set_end(dead_notes) + set_end(periodic) + set_end(periodic_due) + set_end(leases)
  + set_end(deliveries) + set_end(delivery_leases) + set_end(retries) + set_end(groups)
  + set_end(grouped)
