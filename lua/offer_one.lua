-- offer_one: schedule one value as lua/offer.lua does, which goes on if this returns nothing, and says what is wrong.
-- Redisson: RedissonDelayedQueue.offerAsync (4.7.0), same effects in the same order.
--
-- It stands in front of the prelude and uses nothing of it: for one value, making all those functions costs
-- as much as two commands. KEYS and ARGV are those of lua/offer.lua.
--
-- KEYS[1] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] list    redisson_delay_queue:{<name>}          packed members in offer order
-- ARGV[1] clock for the due times, unix us, or '' for Redis's own
-- ARGV[2] channel redisson_delay_queue_channel:{<name>}, not a key: as one it would need a key right
-- ARGV[3] a first attempt that runs before this moment (unix us, Redis's clock) is stored here
-- ARGV[4] an attempt that runs after this moment (unix us, Redis's clock) must write nothing
-- ARGV[5] how long the ids shall be remembered, ms: 0 if here
-- ARGV[6] packed member, whose id does not say when it expires       ARGV[7] in how many ms it is due
--
-- Returns as lua/offer.lua does, or goes on without having written anything.
-- Cost O(log N).
if #ARGV == 7 and ARGV[5] == '0' then
  local timeouts, ordering = KEYS[1], KEYS[2]
  local member, delay_ms = ARGV[6], tonumber(ARGV[7])
  local id_size = string.byte(member)
  local is_listed = id_size <= 16
  local time = redis.call('TIME')
  local server_now_us = time[1] * 1000000 + time[2]
  if delay_ms and (is_listed or id_size == 17 and string.byte(member, 18) == 117)
    and server_now_us <= math.min(tonumber(ARGV[3]), tonumber(ARGV[4]))
    and type(redis.pcall('LLEN', ordering)) == 'number'
    and redis.acl_check_cmd and redis.acl_check_cmd('RPUSH', ordering, '1') then
    local now_us = tonumber(ARGV[1]) or server_now_us
    local due_ms = math.ceil(now_us / 1000) + delay_ms
    if due_ms <= 9007199254740992 and redis.pcall('ZADD', timeouts, 'NX', due_ms, member) == 1 then
      if is_listed then
        redis.call('RPUSH', ordering, member)
      end
      -- As is_head does.
      local score = string.format('%.0f', due_ms)
      if redis.pcall('ZCOUNT', timeouts, '-inf', '(' .. score) ~= 0
        or redis.pcall('ZCOUNT', timeouts, score, score) ~= 1
        and redis.pcall('ZRANK', timeouts, member) ~= 0 then
        return { 1, -1, server_now_us }
      end
      redis.pcall('PUBLISH', ARGV[2], score)
      return { 1, due_ms * 1000 - now_us, server_now_us }
    end
  end
end
