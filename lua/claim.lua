-- claim: lease payloads to one client; a payload whose lease ran out goes first.
-- Redisson: none; RedissonBlockingQueue.take sends BLPOP, which loses what a cut connection carried.
--
-- KEYS[1] list    <name>                       the target queue: payloads that are due
-- KEYS[2] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- KEYS[3] zset    rdq1_quarantine:{<name>}     unreadable member -> the time it had
-- KEYS[4] hash    rdq1_state:{<name>}          whether the queue is paused, and how many it lets go when
-- ARGV[1] most payloads to claim, at most 1000          ARGV[2] how long the lease lasts, ms
-- ARGV[3] 16 bytes: the client's incarnation and the number of this claim
-- ARGV[4] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[5] LPOP for the first payloads, RPOP for the last
--
-- A lease is pack('<Bc0Lc0', #id, id, #payload, payload); its id is ARGV[3], then as big-endian u16 its
-- place in the claim and which attempt it is, counted from 1.
--
-- Returns { { lease, ... }, us until the state lets the next one go, or 0, or -1 while paused }. The leases
-- are in the order of the payloads: one at least if there is any and the state allows it, and then no
-- more than the reply may hold, for one that outlasts the client's patience is lost and claimed in vain.
-- Cost O(M log L): L leases, M claimed.
local target, leases, quarantine, state = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local count, lease_ms, claimant = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local most_bytes, pop = tonumber(ARGV[4]), ARGV[5]

local refused = unfit(target, 'list', pop)
  or unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZADD', 'ZREM')
  or unfit(quarantine, 'zset', 'ZADD') or unfit(state, 'hash', 'HMGET', 'HSET')
if refused then
  return refused
end

-- Leases are between Rust clients, which have this clock in common whatever clock dates elements.
local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
local deadline = string.format('%.0f', now_ms + lease_ms)
local allowed, taken = admit(state, count, now_us)
local claimed, bytes = {}, 0
local function lease(payload, attempt)
  local id = claimant .. struct.pack('>HH', #claimed, attempt)
  local member = struct.pack('<Bc0Lc0', #id, id, #payload, payload)
  redis.call('ZADD', leases, deadline, member)
  claimed[#claimed + 1] = member
  bytes = bytes + #payload
end
local function wanted()
  return #claimed < allowed and bytes < most_bytes
end

while wanted() do
  local payload, attempt = reclaim(leases, quarantine, now_ms)
  if not payload then
    break
  end
  lease(payload, attempt)
end

while wanted() do
  -- The pop before ZADD: what frees memory is allowed while there is none, and then the rest is, too.
  local payload = redis.call(pop, target)
  if not payload then
    break
  end
  lease(payload, 1)
end
return { claimed, taken(#claimed) }
