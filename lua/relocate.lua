-- relocate: give the keys of a queue, or copies of them, the names of another queue.
-- Redisson: renameAsync, renamenxAsync and copyAsync of RedissonObject (4.7.0), which move the target queue alone, or
-- copy the ordering list to where the target queue belongs.
-- uses: publish, right, score
--
-- KEYS    N of the old name, the timeout set first; as many of the new name in the same order; and those of the new
--         name that have no counterpart and go when it is replaced
-- ARGV[1] RENAME or COPY      ARGV[2] N      ARGV[3] '1' to replace what the new name holds
-- ARGV[4] channel redisson_delay_queue_channel:{<new name>}
--
-- Returns 1, or 0 if there is nothing to relocate, or something is in the way that must not be replaced.
-- Cost O(1), and O(N) to copy.
local command, count, replace, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', ARGV[4]

for i, key in ipairs(KEYS) do
  local refused = i <= count and denied(command, key, KEYS[count + i]) or i > count and denied('UNLINK', key)
  if refused then
    return refused
  end
end
if redis.call('EXISTS', unpack(KEYS, 1, count)) == 0 then
  return 0
end
if replace then
  redis.call('UNLINK', unpack(KEYS, count + 1))
elseif redis.call('EXISTS', unpack(KEYS, count + 1)) > 0 then
  return 0
end

for i = 1, count do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    redis.call(command, KEYS[i], KEYS[count + i])
  end
end
local head = redis.pcall('ZRANGE', KEYS[count + 1], 0, 0, 'WITHSCORES')
if head[1] then
  publish(channel, score_ms(head[2]))
end
return 1
