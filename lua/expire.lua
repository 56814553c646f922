-- expire: make all keys of a queue expire at one moment, or never.
-- Redisson: RedissonDelayedQueue.expireAsync, expireAtAsync and clearExpireAsync (4.7.0), which leave out the target
-- queue.
-- uses: clock, right, score
--
-- KEYS    the keys of the queue, except those that expire by themselves
-- ARGV[1] 'at' a moment, unix ms; 'in' a time from now, ms; or 'never'          ARGV[2] that moment or time, or 0
--
-- Returns how many keys were given the moment, or lost the one that they had.
-- Cost O(1); O(N) if the moment has passed, because that deletes the keys at once.
local kind, ms = ARGV[1], tonumber(ARGV[2])

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
local count = 0
for _, key in ipairs(KEYS) do
  if kind == 'never' then
    count = count + redis.call('PERSIST', key)
  else
    count = count + redis.call('PEXPIREAT', key, moment)
  end
end
return count
