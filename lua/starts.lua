-- starts: the bytes that tell entries from others, of the ordering list or of the timeout set, in their order.
-- Redisson: none.
--
-- KEYS[1] list or zset  redisson_delay_queue:{<name>} or redisson_delay_queue_timeout:{<name>}
-- ARGV[1] LRANGE or ZRANGE      ARGV[2] the first place      ARGV[3] the last
--
-- Returns { of each entry the 16 bytes behind its first one, filled up with zeros, all in one string;
-- how many bytes the entries have }.
-- Cost O(N + M) for a list and O(log N + M) for a set: M entries.
local refused = unfit(KEYS[1], ARGV[1] == 'LRANGE' and 'list' or 'zset', ARGV[1])
if refused then
  return refused
end

local starts, bytes = {}, 0
for i, entry in ipairs(redis.call(ARGV[1], KEYS[1], ARGV[2], ARGV[3])) do
  bytes = bytes + #entry
  starts[i] = string.sub(entry, 2, 17)
  if #entry < 17 then
    starts[i] = starts[i] .. string.rep('\0', 16 - #starts[i])
  end
end
return { table.concat(starts), bytes }
