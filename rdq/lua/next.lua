-- next: read the elements that become due next, but no large ones. Writes nothing.
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- ARGV[1] most        number  most members to read
-- ARGV[2] whole       number  most bytes of a member to return
-- ARGV[3] most_bytes  number  how many bytes to read before it stops
--
-- Returns { { score, size, member }, ... } in the order of the scores. The member is '' if it has more bytes than
-- `whole`.
-- Cost O(log N) for each, and a copy of each inside Redis, however large it is.
local found, bytes = {}, 0
for i = 0, most - 1 do
  local member = redis.call('ZRANGE', timeouts, i, i, 'WITHSCORES')
  if not member[1] or bytes >= most_bytes then
    break
  end
  bytes = bytes + #member[1]
  found[#found + 1] = { member[2], #member[1], #member[1] <= whole and member[1] or '' }
end
return found
