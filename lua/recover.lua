-- recover: the leases that one client holds and does not know of, for when the reply to a claim was lost.
-- Redisson: none.
--
-- KEYS[1] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- ARGV[1] 8 bytes: the client's incarnation
-- ARGV[2] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[3] a payload of more bytes than this is large, and left out of the reply
-- ARGV    from 4 on: the ids of the leases that the client knows
--
-- Returns { { id, when it runs out in unix ms, us until then, bytes of the payload, payload or '' }, ... }; none
-- that ran out. To be asked again until it is empty.
-- Cost O(L): L leases.
local leases, incarnation = KEYS[1], ARGV[1]
local most_bytes, large_from = tonumber(ARGV[2]), tonumber(ARGV[3])

local refused = unfit(leases, 'zset', 'ZRANGEBYSCORE')
if refused then
  return refused
end

local known = {}
for i = 4, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
local now = string.format('%.0f', math.ceil(now_us / 1000))

local reply, replied, offset = {}, 0, 0
-- Few at first: they may be large.
local size = 2
repeat
  local page = redis.call('ZRANGEBYSCORE', leases, now, '+inf', 'WITHSCORES', 'LIMIT', offset, size)
  local read = 0
  for i = 1, #page, 2 do
    local lease, id = page[i], string.sub(page[i], 2, 21)
    read = read + #lease
    if string.sub(id, 1, 8) == incarnation and not known[id] and replied < most_bytes then
      local deadline_ms, bytes = tonumber(page[i + 1]), #lease - 29
      local payload = bytes > large_from and '' or string.sub(lease, 30)
      reply[#reply + 1] = { id, deadline_ms, deadline_ms * 1000 - now_us, bytes, payload }
      replied = replied + 29 + #payload
    end
  end
  offset = offset + size
  size = math.max(1, math.min(100, 2 * size, math.floor(1000000 * size / math.max(read, 1))))
until #page == 0 or replied >= most_bytes
return reply
