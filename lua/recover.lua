-- recover: list the leases that a client holds without knowing, because the reply to a claim was lost.
-- Redisson: none.
-- uses: check, clock, lease, steady, walk
--
-- KEYS[1] leases zset   rdq1_leases:{<name>}  lease -> when it runs out, unix ms
-- KEYS[2] clock  string rdq1_clock:{<name>}   the clock by which leases end (see lib/steady.lua)
-- ARGV[1] 8 bytes: the client's incarnation
-- ARGV[2] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[3] a payload of more bytes than this is large, and left out of the reply
-- ARGV[4], ARGV[5], ARGV[6] where to go on, as the call before has said, or '', 0 and 0
-- ARGV[7] how many large leases the client knows
-- ARGV    from 8 on: when each of these runs out, unix ms, the earliest first; then the ids of all the leases that the
--         client knows
--
-- The client calls it again with the place that it returns, until there is none.
--
-- Returns { the place where to go on, or {}, { { id, when it runs out in unix ms, us until then, bytes of the payload,
-- payload or '' }, ... } }, without leases that ran out.
-- Reads no large lease that the client knows, unless another one runs out in the same millisecond. To read a lease
-- is to copy its payload, and a payload of 256 MB holds up Redis for most of a second.
-- Cost O(log L): L leases. It reads 2000 of them, or some 4 MB.
local incarnation = ARGV[1]
local most_bytes, large_from = tonumber(ARGV[2]), tonumber(ARGV[3])

local refused = unfit(leases, 'zset', 'ZRANGE', 'ZCOUNT')
if refused then
  return refused
end

local known, avoided, first_id = {}, {}, 8 + tonumber(ARGV[7])
for i = first_id, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
now_us = now_us + steady(now_us)
local now_ms = math.ceil(now_us / 1000)
local from = ARGV[4] ~= '' and ARGV[4] or string.format('%.0f', now_ms)
for i = 8, first_id - 1 do
  local large = ARGV[i]
  if tonumber(large) > tonumber(from) and redis.call('ZCOUNT', leases, large, large) == 1 then
    avoided[#avoided + 1] = large
  end
end

local reply, replied = {}, 0
local place = walk(leases, from, ARGV[5], ARGV[6], avoided, function(lease, deadline)
  local id = lease_id(lease)
  if string.sub(id, 1, 8) == incarnation and not known[id] then
    local deadline_ms, bytes = tonumber(deadline), #lease - LEASE_HEAD
    local payload = bytes > large_from and '' or string.sub(lease, LEASE_HEAD + 1)
    reply[#reply + 1] = { id, deadline_ms, deadline_ms * 1000 - now_us, bytes, payload }
    replied = replied + LEASE_HEAD + #payload
  end
  return replied >= most_bytes
end)
return { place, reply }
