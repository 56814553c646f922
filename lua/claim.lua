-- claim: lease payloads to one worker whose callers take them, or take them out without a lease. A payload whose lease
-- ran out goes first.
-- Redisson: none; RedissonBlockingQueue.take sends BLPOP, which loses an element if the connection is cut.
-- uses: check, clock, delivery, front, pace, quarantine, return, steady
--
-- KEYS[1] target     list   <name>                    the target queue: payloads that are ready
-- KEYS[2] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] leases     zset   rdq1_leases:{<name>}      origin -> when its lease runs out, unix ms
-- KEYS[4] quarantine zset   rdq1_quarantine:{<name>}  unreadable member -> the score that it had
-- KEYS[5] state      hash   rdq1_state:{<name>}       whether the queue is paused, and how fast it lets elements go
-- KEYS[6] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1]  most          number  most payloads to claim, at most 1000
-- ARGV[2]  lease_ms      number  how long the leases last, ms; 0 for none
-- ARGV[3]  claimant      text    16 bytes: the worker's incarnation and the number of this claim
-- ARGV[4]  most_bytes    number  how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[5]  ahead         number  how many more payloads to claim if the rate is not limited; at most 1000 in all
-- ARGV[6]  large_from    number  a payload of more bytes than this is large: if it is leased, the client fetches it
--                                later
-- ARGV[7]  bytes_a_ms    number  the lease of a large payload lasts 1 ms longer for so many bytes
-- ARGV[8]  portion       number  most payloads to read at a time; 1 where large ones may come
-- ARGV[9]  leaves_large  flag    to claim no large payload
-- ARGV[10] from_last     flag    to claim from the last payload on, not from the first
--
-- lib/delivery.lua has the layout of origins. The origin of a payload is `claimant`, its place in the claim, and now in
-- unix ms.
--
-- Returns a list of
--   { payload, ... }, in the order of their places. If there is a payload and the state allows it, there is at least
--     one, unless more leases ran out than one call returns. There are no more than the reply may hold, because a
--     client gives up on a reply that takes too long.
--   us until the rate allows the next one: 0 for now, -1 while paused
--   1 if more may be there, else 0
--   {} without a large payload, { bytes, 1 } if one was leased last, which is not in the reply, { bytes } if one was
--     left where it is
--   now, unix ms
--   what it took out because it was no token (lib/quarantine.lua)
-- Cost O(M log L): L leases, M claimed.
local is_pop = lease_ms == 0

local refused = unfit(target, 'list', 'LRANGE', 'LTRIM', 'LLEN') or unfit(deliveries, 'hash', 'HSET')
  or unfit(leases, 'zset', 'ZCOUNT', 'ZADD') or unfit(state, 'hash', 'HMGET', 'HSET')
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
-- The time by which leases end. Only Rust clients use them, so they share Redis's clock, whichever clock dates the
-- elements.
local ahead_us, keep_clock = steady(now_us)
local steady_ms = math.ceil((now_us + ahead_us) / 1000)
local ran_out, unreturnable = ran_out_before(steady_ms)
if unreturnable then
  return unreturnable
end
local allowed, taken = admit(most, now_us, ahead)
local strangers, dropped = {}, 0
if ran_out > 0 and allowed > 0 then
  local returned
  strangers, dropped, returned = return_leases(steady_ms)
  ran_out = ran_out - returned
  if ran_out > 0 and returned > #strangers and not from_last then
    -- The leases that are left are older, so their payloads come first. If this call met only strangers, callers do
    -- not wait for the end of these: there may be a million.
    allowed = 0
  end
end

local claim = begin_claim(allowed, most_bytes)
local payloads, stored, leased_until = {}, {}, {}
local deadline_ms = steady_ms + lease_ms
local deadline = string.format('%.0f', deadline_ms)
local claimed_at = struct.pack('>L', now_ms)
local leased = lease_front(from_last, portion, claim, function(payload)
  local count, is_large, at = claim.count, #payload > large_from, deadline
  if is_large and leaves_large then
    claim.large = { #payload }
    return false
  elseif is_large and not is_pop then
    at = string.format('%.0f', deadline_ms + math.ceil(#payload / bytes_a_ms))
    claim.large = { #payload, 1 }
  else
    payloads[count + 1] = payload
  end
  if not is_pop then
    local origin = claimant .. struct.pack('>H', count) .. claimed_at
    stored[2 * count + 1], stored[2 * count + 2] = origin, payload
    leased_until[2 * count + 1], leased_until[2 * count + 2] = at, origin
  end
  claim.count = count + 1
  claim.bytes = claim.bytes + #payload
  return true
end)

-- Asked before the list changes: a read afterwards would make Redis report every later change to this client.
local is_more = ran_out > 0 or redis.call('LLEN', target) > leased
-- Frees memory first; see lib/check.lua.
if leased > 0 then
  redis.call('LTRIM', target, from_last and 0 or leased, from_last and -1 - leased or -1)
end
if #stored > 0 then
  keep_clock()
  store(leases, stored, leased_until)
end
return { payloads, taken(leased), is_more and 1 or 0, claim.large, now_ms, taken_out(strangers, dropped) }
