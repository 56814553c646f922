-- unleased: find claimed payloads that no set names any more, and lease them again.
-- uses: clock, delivery
--
-- KEYS[1] deliveries      hash rdq1_deliveries:{<name>}       origin -> payload
-- KEYS[2] leases          zset rdq1_leases:{<name>}           origin -> when its lease runs out, unix ms
-- KEYS[3] delivery_leases zset rdq1_delivery_leases:{<name>}  token -> when its lease runs out, unix ms
-- KEYS[4] retries         zset rdq1_retries:{<name>}          token -> when the next attempt is due, unix ms
-- KEYS[5] grouped         zset rdq1_grouped:{<name>}          deliveries that wait for their groups: a group (16 bytes),
--                                                             a number (8), and a token
-- ARGV[1] leases_them  flag    to lease them; else to count them
-- ARGV[2] most         number  how many fields of the hash to read at most
--
-- A token begins with the origin of the delivery, 26 bytes. These end with the time of the first claim: a big-endian u64,
-- unix ms. Each script of this library moves payloads and tokens together, so somebody else deleted a set, or Redis
-- evicted it. The new lease ran out when the payload was first claimed, so the payload goes back to the target queue as
-- those of a killed client do, the oldest first.
--
-- Returns how many there are; if the hash has too many fields, how many more it has than the sets have members, as a
-- negative number: somewhat more than there are if it counts late claims, too.
-- Cost O(1) if the hash has no more fields than the sets have members or too many, else O(N): some 1 ms for each 1,000
-- of these.

-- Where a token stands in an entry of `grouped`, and the time in an origin.
local TOKEN, TIME = 25, 19

local claimed = redis.call('HLEN', deliveries)
local surplus = claimed - redis.call('ZCARD', leases) - redis.call('ZCARD', delivery_leases)
  - redis.call('ZCARD', retries) - redis.call('ZCARD', grouped)
if surplus <= 0 then
  return 0
elseif claimed > most then
  return -surplus
end

local named = {}
local function note(KEY, from)
  for _, entry in ipairs(redis.call('ZRANGE', KEY, 0, -1)) do
    named[origin_of(string.sub(entry, from))] = true
  end
end
note(leases, 1)
note(delivery_leases, 1)
note(retries, 1)
note(grouped, TOKEN)

local now_ms = math.floor(server_us() / 1000)
local unleased = 0
for _, field in ipairs(redis.call('HKEYS', deliveries)) do
  -- Longer fields count claims that came too late.
  if is_origin(field) and not named[field] then
    unleased = unleased + 1
    if leases_them then
      local ran_out = math.min(now_ms, (struct.unpack('>L', field, TIME)))
      redis.call('ZADD', leases, string.format('%.0f', ran_out), field)
    end
  end
end
return unleased
