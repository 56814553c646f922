-- leased: read the tokens of deliveries in the order of their times, in steps: all of them, or those that a worker holds
-- without knowing, because the reply to a claim was lost.
-- Redisson: none.
-- uses: check, clock, delivery, steady, walk
--
-- KEYS[1] set        zset   rdq1_leases:{<name>} or rdq1_delivery_leases:{<name>}
--                                                     token -> when its lease runs out, unix ms; or
--                 rdq1_retries:{<name>}                  token -> when the next attempt is due, unix ms
-- KEYS[2] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1] from        text    where to go on, as the call before has said; or '-inf' for the first of all, '' for the
--                             first that has not run out
-- ARGV[2] behind      number  of the entries with that score, how many are behind, or 0
-- ARGV[3] with_score  number  how many there were, or 0
-- ARGV[4] most        number  most entries to return
-- ARGV[5] most_bytes  number  how many bytes of payload they may have; the last may exceed it
-- ARGV[6] large_from  number  a payload of more bytes than this is left out of the reply
-- ARGV[7] holder      text    8 bytes, the incarnation of the worker whose leases to return, or '' for everybody's
-- ARGV    from 8 on: the tokens of leases to leave out
--
-- Entries that are no tokens are passed over, and with a holder those whose payload is gone. No entry that stays is
-- left out. If entries with the last score leave between two calls, others with that score come again.
--
-- Returns { the place where to go on, or {}, { now in unix us by the clock of the scores,
-- { { token, score, bytes of the payload, payload or '' }, ... } } }.
-- Cost O(log N): N entries of the set. It reads 2000 of them at the most.

local refused = unfit(set, 'zset', 'ZCOUNT', 'ZRANGE') or unfit(deliveries, 'hash', 'HSTRLEN', 'HGET')
if refused then
  return refused
end

local known = {}
for i = 8, #ARGV do
  known[ARGV[i]] = true
end
local function is_wanted(token)
  if holder == '' then
    return is_token(token) or is_origin(token)
  end
  return holder_of(token) == holder and not known[token]
end
local now_us = server_us()
now_us = now_us + steady(now_us)
local first = from ~= '' and from or string.format('%.0f', math.ceil(now_us / 1000))
local reply, bytes = {}, 0
local place = walk(set, first, behind, with_score, function(token, score)
  if is_wanted(token) then
    local payload_bytes, payload = redis.call('HSTRLEN', deliveries, origin_of(token)), ''
    if payload_bytes <= large_from then
      -- Without a payload, somebody deleted the delivery and left its token.
      payload = redis.call('HGET', deliveries, origin_of(token))
    end
    if payload or holder == '' then
      reply[#reply + 1] = { token, score, payload_bytes, payload or '' }
      bytes = bytes + #token + #(payload or '')
    end
  end
  return #reply == most or bytes >= most_bytes
end)
return { place, { now_us, reply } }
