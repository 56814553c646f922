-- claim: lease payloads to one client, or take them out without a lease. A payload whose lease ran out goes first.
-- Redisson: none; RedissonBlockingQueue.take sends BLPOP, which loses an element if the connection is cut.
-- uses: check, clock, front, pace, quarantine, reclaim, steady
--
-- KEYS[1] target     list   <name>                    the target queue: payloads that are due
-- KEYS[2] leases     zset   rdq1_leases:{<name>}      lease -> when it runs out, unix ms
-- KEYS[3] quarantine zset   rdq1_quarantine:{<name>}  unreadable member -> the score that it had
-- KEYS[4] state      hash   rdq1_state:{<name>}       whether the queue is paused, and how fast it lets elements go
-- KEYS[5] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1] most payloads to claim, at most 1000          ARGV[2] how long the leases last, ms; 0 for none
-- ARGV[3] 16 bytes: the client's incarnation and the number of this claim
-- ARGV[4] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[5] -1 to claim from the last payload on, 0 from the first
-- ARGV[6] how many more payloads to claim if the rate is not limited; at most 1000 in all
-- ARGV[7] a payload of more bytes than this is large: if it is leased, the client fetches it later
-- ARGV[8] the lease of a large payload lasts 1 ms longer per ARGV[8] bytes
-- ARGV[9] most payloads to read at a time; 1 where large ones may come
-- ARGV[10] 1 to claim no large payload, else 0
--
-- lib/lease.lua has the layout of a lease, whose id begins with ARGV[3].
--
-- Returns { { payload, ... }, { attempt, ... }, when the leases run out in unix ms, us until the rate allows the
-- next one, 0 for now and -1 while paused, 1 if more may be there else 0, large }. The payloads are in the order of
-- their places. If there is a payload and the state allows it, there is at least one. There are no more than the reply
-- may hold, because a client gives up on a reply that takes too long. The attempts are those of the first payloads;
-- every other payload is at its first attempt. `large` is {} for none, { bytes, when its lease runs out in unix ms }
-- for a payload that was leased last and is not in the reply, { bytes } for a payload that was left where it is.
-- Cost O(M log L): L leases, M claimed.
local most, lease_ms, claimant = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local from_last, is_pop = ARGV[5] == '-1', lease_ms == 0
local large_from, bytes_a_ms, may_be_large = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[10] == '0'

local refused = unfit(target, 'list', 'LRANGE', 'LTRIM', 'LLEN')
  or unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZADD', 'ZREM')
  or unfit(quarantine, 'zset', unpack(SET_ASIDE)) or unfit(state, 'hash', 'HMGET', 'HSET')
if refused then
  return refused
end

-- Only Rust clients use leases. They share Redis's clock, whichever clock dates the elements.
local now_us = server_us()
local ahead_us, keep_clock = steady(now_us)
local now_ms = math.ceil((now_us + ahead_us) / 1000)
local allowed, taken = admit(most, now_us, tonumber(ARGV[6]))
local claim = begin_claim(allowed, tonumber(ARGV[4]))
local claimed, payloads, attempts = {}, {}, {}
local head = string.char(#claimant + 4) .. claimant
local function lease(payload, attempt)
  local place = claim.count
  if not is_pop then
    claimed[place + 1] = head .. struct.pack('>HH<L', place, attempt, #payload) .. payload
  end
  if attempt > 1 then
    attempts[place + 1] = attempt
  end
  if #payload > large_from and not is_pop then
    claim.large = { #payload, now_ms + lease_ms + math.ceil(#payload / bytes_a_ms) }
  else
    payloads[place + 1] = payload
  end
  claim.count = place + 1
  claim.bytes = claim.bytes + #payload
end

local is_more = true
while may_lease(claim) do
  local payload, attempt, left_bytes, has_more = reclaim(now_ms, may_be_large and math.huge or large_from)
  if payload then
    lease(payload, attempt)
  elseif left_bytes then
    claim.large = { left_bytes }
  else
    is_more = has_more
    break
  end
end

local leased = lease_front(from_last, tonumber(ARGV[9]), claim, function(payload)
  if #payload > large_from and not may_be_large then
    claim.large = { #payload }
    return false
  end
  lease(payload, 1)
  return true
end)

-- Asked before the list changes: a read afterwards would make Redis report every later change to this client.
is_more = is_more or redis.call('LLEN', target) > leased
-- Frees memory first; see lib/check.lua.
if leased > 0 then
  redis.call('LTRIM', target, from_last and 0 or leased, from_last and -1 - leased or -1)
end
local count, large = claim.count, claim.large
local deadline_ms = now_ms + lease_ms
local reply = { payloads, attempts, deadline_ms, taken(count), is_more and 1 or 0, large }
if count == 0 or is_pop then
  return reply
end
keep_clock()
local deadline = string.format('%.0f', deadline_ms)
local MOST = 500
for from = 1, count, MOST do
  local entries, size = {}, 0
  for i = from, math.min(from + MOST - 1, count) do
    entries[size + 1] = large[2] and i == count and string.format('%.0f', large[2]) or deadline
    entries[size + 2] = claimed[i]
    size = size + 2
  end
  redis.call('ZADD', leases, unpack(entries))
end
return reply
