-- claim: lease payloads to one client; a payload whose lease ran out goes first.
-- Redisson: none; RedissonBlockingQueue.take sends BLPOP, which loses what a cut connection carried.
--
-- KEYS[1] list    <name>                       the target queue: payloads that are due
-- KEYS[2] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- KEYS[3] zset    rdq1_quarantine:{<name>}     unreadable member -> the time it had
-- ARGV[1] most payloads to claim, at most 1000          ARGV[2] how long the lease lasts, ms
-- ARGV[3] 16 bytes: the client's incarnation and the number of this claim
--
-- A lease is pack('<Bc0Lc0', #id, id, #payload, payload); its id is ARGV[3], then as big-endian u16 its
-- place in the claim and which attempt it is, counted from 1.
--
-- Returns { lease, ... }, the oldest first.
-- Cost O(log L + M): L leases, M claimed.
local target, leases, quarantine = KEYS[1], KEYS[2], KEYS[3]
local count, lease_ms, claimant = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]

local refused = unfit(target, 'list', 'LRANGE', 'LTRIM')
  or unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZADD', 'ZREM')
  or unfit(quarantine, 'zset', 'ZADD')
if refused then
  return refused
end

-- Leases are between Rust clients, which have this clock in common whatever clock dates elements.
local now_ms = math.ceil(server_us() / 1000)
local deadline = string.format('%.0f', now_ms + lease_ms)
local claimed = {}
local function lease(payload, attempt)
  local id = claimant .. struct.pack('>HH', #claimed, attempt)
  local member = struct.pack('<Bc0Lc0', #id, id, #payload, payload)
  redis.call('ZADD', leases, deadline, member)
  claimed[#claimed + 1] = member
end

local abandoned = redis.call('ZRANGEBYSCORE', leases, '-inf', '(' .. string.format('%.0f', now_ms),
  'WITHSCORES', 'LIMIT', 0, count)
for i = 1, #abandoned, 2 do
  local member = abandoned[i]
  local payload = payload_of(member)
  redis.call('ZREM', leases, member)
  if payload and string.byte(member, 1) == 20 then
    local attempt = struct.unpack('>H', member, 20)
    lease(payload, math.min(attempt + 1, 65535))
  else
    redis.call('ZADD', quarantine, abandoned[i + 1], member)
  end
end

local wanted = count - #claimed
if wanted > 0 then
  local payloads = redis.call('LRANGE', target, 0, wanted - 1)
  if #payloads > 0 then
    -- First: what frees memory is allowed while there is none, and then the rest is, too.
    redis.call('LTRIM', target, #payloads, -1)
    for _, payload in ipairs(payloads) do
      lease(payload, 1)
    end
  end
end
return claimed
