-- recover_deliveries: list the deliveries that a worker holds without knowing, because the reply to a claim was lost.
-- Redisson: none.
-- uses: check, clock, delivery, steady
--
-- KEYS[1] hash    rdq1_deliveries:{<name>}               origin -> payload
-- KEYS[2] zset    rdq1_delivery_leases:{<name>}          token -> when its lease runs out, unix ms
-- KEYS[3] string  rdq1_clock:{<name>}                    the clock by which leases end (see lib/steady.lua)
-- ARGV[1] 8 bytes: the worker's incarnation
-- ARGV[2] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[3] a payload of more bytes than this is large, and left out of the reply
-- ARGV    from 4 on: the tokens of all the leases that the worker knows
--
-- The client calls it again until it returns none.
--
-- Returns { { token, when its lease runs out in unix ms, us until then, bytes of the payload, payload or '' }, ... },
-- without leases that ran out.
-- Cost O(L): L leases.
local deliveries, leases, incarnation = KEYS[1], KEYS[2], ARGV[1]
local most_bytes, large_from = tonumber(ARGV[2]), tonumber(ARGV[3])

local refused = unfit(deliveries, 'hash', 'HGET', 'HSTRLEN') or unfit(leases, 'zset', 'ZRANGEBYSCORE')
if refused then
  return refused
end

local known = {}
for i = 4, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
now_us = now_us + steady(KEYS[3], now_us)
local now = string.format('%.0f', math.ceil(now_us / 1000))
local reply, replied, offset = {}, 0, 0
while replied < most_bytes do
  local page = redis.call('ZRANGEBYSCORE', leases, now, '+inf', 'WITHSCORES', 'LIMIT', offset, 1000)
  for i = 1, #page, 2 do
    local token = page[i]
    if string.sub(token, ORIGIN + 1, ORIGIN + 8) == incarnation and not known[token] and replied < most_bytes then
      local origin, deadline_ms = origin_of(token), tonumber(page[i + 1])
      local bytes = redis.call('HSTRLEN', deliveries, origin)
      local payload = bytes > large_from and '' or redis.call('HGET', deliveries, origin)
      -- Without a payload, somebody deleted the delivery and left its token.
      if payload then
        reply[#reply + 1] = { token, deadline_ms, deadline_ms * 1000 - now_us, bytes, payload }
        replied = replied + #token + #payload
      end
    end
  end
  if #page < 2000 then
    break
  end
  offset = offset + 1000
end
return reply
