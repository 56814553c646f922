-- offer_one: schedule one value. Runs in front of lua/offer.lua, in one script. Either returns, or writes nothing and
-- lets lua/offer.lua run, which also reports errors.
-- Redisson: RedissonDelayedQueue.offerAsync (4.7.0), same effects in the same order.
--
-- KEYS and ARGV are those of lua/offer.lua. It stands in front of the library as well, and does not use it. So one
-- value takes 8.2 us of script instead of 10.0, and 20.6 us of Redis's time in all instead of 22.9 (7.0.15). It spells
-- a constant of the library: LATEST_MS is 9007199254740992.
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- ARGV[1] clock_us        number  clock for the due times, unix us, or '' for Redis's own
-- ARGV[2] channel         text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key
--                                 right
-- ARGV[3] fresh_until_us  number  a first attempt that runs before this moment (unix us, Redis's clock) is stored here
-- ARGV[4] write_until_us  number  an attempt that runs after this moment (unix us, Redis's clock) writes nothing
-- ARGV[5] remember_ms     number  how long the ids shall be remembered, ms: 0 if here
-- ARGV[6] member          text    packed member, whose id does not say when it expires
-- ARGV[7] delay_ms        number  in how many ms it is due
--
-- Returns as lua/offer.lua does, or nothing.
-- Cost O(log N).
if #ARGV == 7 and remember_ms == 0 then
  local id_size = string.byte(member)
  local is_listed = id_size <= 16
  local time = redis.call('TIME')
  local server_now_us = time[1] * 1000000 + time[2]
  if delay_ms and (is_listed or id_size == 17 and string.byte(member, 18) == 117)
    and server_now_us <= math.min(fresh_until_us, write_until_us)
    and type(redis.pcall('LLEN', ordering)) == 'number'
    and redis.acl_check_cmd and redis.acl_check_cmd('RPUSH', ordering, '1') then
    local now_us = clock_us or server_now_us
    local due_ms = math.ceil(now_us / 1000) + delay_ms
    if due_ms <= 9007199254740992 and redis.pcall('ZADD', timeouts, 'NX', due_ms, member) == 1 then
      if is_listed then
        redis.call('RPUSH', ordering, member)
      end
      -- As lib/head.lua does.
      local score = string.format('%.0f', due_ms)
      if redis.pcall('ZCOUNT', timeouts, '-inf', '(' .. score) ~= 0
        or redis.pcall('ZCOUNT', timeouts, score, score) ~= 1
        and redis.pcall('ZRANK', timeouts, member) ~= 0 then
        return { 1, -1, server_now_us }
      end
      redis.pcall('PUBLISH', channel, score)
      return { 1, due_ms * 1000 - now_us, server_now_us }
    end
  end
end
