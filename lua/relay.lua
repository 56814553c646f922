-- relay: move the last payload of one queue to the head of another.
-- Redisson: RedissonBlockingDeque.takeLastAndOfferFirstTo (4.7.0) sends BRPOPLPUSH, with the same effects.
-- uses: check, clock, pace, quarantine, return, steady
--
-- KEYS[1] target     list   <name>                    the target queue: payloads that are ready
-- KEYS[2] other      list   <other name>              the queue to move to, which may be the same
-- KEYS[3] leases     zset   rdq1_leases:{<name>}      origin -> when its lease runs out, unix ms
-- KEYS[4] quarantine zset   rdq1_quarantine:{<name>}  unreadable member -> the score that it had
-- KEYS[5] state      hash   rdq1_state:{<name>}       whether the queue is paused, and how fast it lets elements go
-- KEYS[6] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- KEYS[7] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- ARGV[1] most_bytes  number  most bytes of a payload that it moves
--
-- Returns { us until the state lets the next one go, or 0, or -1 while paused, the payload that it moved or nil, how
-- many bytes a payload has that is too large, or 0, what it took out because it was no token (lib/quarantine.lua) }.
-- Payloads whose leases ran out go back to the head first, as in claim.
-- Cost O(log L): L leases.

local refused = unfit(target, 'list', 'LINDEX', 'RPOP') or unfit(other, 'list', 'LPUSH')
  or unfit(leases, 'zset', 'ZCOUNT') or unfit(state, 'hash', 'HMGET', 'HSET')
if refused then
  return refused
end

local now_us = server_us()
local steady_ms = math.ceil((now_us + steady(now_us)) / 1000)
local ran_out, unreturnable = ran_out_before(steady_ms)
if unreturnable then
  return unreturnable
end
local allowed, taken = admit(1, now_us)
local payload, left_bytes = false, 0
local strangers, dropped = {}, 0
if allowed > 0 then
  if ran_out > 0 then
    strangers, dropped = return_leases(steady_ms)
  end
  local last = redis.call('LINDEX', target, -1)
  if last and #last > most_bytes then
    left_bytes = #last
  elseif last then
    -- Not LMOVE. Frees memory first; see lib/check.lua.
    redis.call('RPOP', target)
    redis.call('LPUSH', other, last)
    payload = last
  end
end
return { taken(payload and 1 or 0), payload, left_bytes, taken_out(strangers, dropped) }
