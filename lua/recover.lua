-- recover: list the deliveries that a worker holds without knowing, because the reply to a claim was lost.
-- Redisson: none.
-- uses: check, clock, delivery, steady, walk
--
-- KEYS[1] set        zset   rdq1_leases:{<name>} or rdq1_delivery_leases:{<name>}
--                                                     token -> when its lease runs out, unix ms
-- KEYS[2] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1] incarnation  text    8 bytes: the worker's incarnation
-- ARGV[2] most_bytes   number  how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[3] large_from   number  a payload of more bytes than this is large, and left out of the reply
-- ARGV[4] from         text    where to go on, as the call before has said, or ''
-- ARGV[5] behind       number  of the entries with that score, how many are behind, or 0
-- ARGV[6] with_score   number  how many there were, or 0
-- ARGV    from 7 on: the tokens of all the leases that the worker knows
--
-- The client calls it again with the place that it returns, until there is none.
--
-- Returns { the place where to go on, or {}, { { token, us until its lease runs out, bytes of the payload, payload or
-- '' }, ... } }, without leases that ran out.
-- Cost O(log L): L leases. It reads 2000 of them, or as many payloads as the reply may hold.

local refused = unfit(deliveries, 'hash', 'HGET', 'HSTRLEN') or unfit(set, 'zset', 'ZRANGE', 'ZCOUNT')
if refused then
  return refused
end

local known = {}
for i = 7, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
now_us = now_us + steady(now_us)
local now = string.format('%.0f', math.ceil(now_us / 1000))
local reply, replied = {}, 0
local place = walk(set, from ~= '' and from or now, behind, with_score, function(token, deadline)
  if holder_of(token) == incarnation and not known[token] then
    local origin, left_us = origin_of(token), tonumber(deadline) * 1000 - now_us
    local bytes = redis.call('HSTRLEN', deliveries, origin)
    local payload = bytes > large_from and '' or redis.call('HGET', deliveries, origin)
    -- Without a payload, somebody deleted the delivery and left its token.
    if payload then
      reply[#reply + 1] = { token, left_us, bytes, payload }
      replied = replied + #token + #payload
    end
  end
  return replied >= most_bytes
end)
return { place, reply }
