-- starts: read the bytes that tell entries from others, of the ordering list or of the timeout set, in their order.
-- Redisson: none.
-- uses: check
--
-- KEYS[1] source list redisson_delay_queue:{<name>}, or zset redisson_delay_queue_timeout:{<name>}
-- ARGV[1] command     text    LRANGE or ZRANGE
-- ARGV[2] first       number  the first place
-- ARGV[3] last        number  the last place
-- ARGV[4] most_bytes  number  after how many bytes of entries to stop
--
-- Returns { for each entry the 16 bytes behind its first one, filled up with zeros, all in one string; 1 if the bytes
-- of the entries stopped it before the last place, else 0 }.
-- Cost O(N + M) for a list and O(log N + M) for a set: M entries.
local refused = unfit(source, command == 'LRANGE' and 'list' or 'zset', command)
if refused then
  return refused
end

local function read(first, last)
  if command == 'LRANGE' then
    return redis.call('LRANGE', source, first, last)
  end
  return redis.call('ZRANGE', source, first, last)
end

-- Reads in portions, which grow while entries are small, because an entry may have 64 MB.
local starts, bytes, portion = {}, 0, 2
while first <= last and bytes < most_bytes do
  local until_place = math.min(last, first + portion - 1)
  local entries = read(first, until_place)
  for _, entry in ipairs(entries) do
    bytes = bytes + #entry
    local start = string.sub(entry, 2, 17)
    if #start < 16 then
      start = start .. string.rep('\0', 16 - #start)
    end
    starts[#starts + 1] = start
  end
  first = until_place + 1
  portion = math.min(8 * portion, 64, math.ceil((most_bytes - bytes) * #starts / math.max(bytes, 1)))
  if #entries == 0 then
    break
  end
end
return { table.concat(starts), first <= last and bytes >= most_bytes and 1 or 0 }
