-- recover: the leases that one client holds and does not know of, for when the reply to a claim was lost.
-- Redisson: none.
--
-- KEYS[1] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- ARGV[1] 8 bytes: the client's incarnation
-- ARGV[2] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV    from 3 on: the ids of the leases that the client knows
--
-- Returns { lease, us until it runs out, ... }; none that ran out. To be asked again until it is empty.
-- Cost O(L): L leases.
local leases, incarnation, most_bytes = KEYS[1], ARGV[1], tonumber(ARGV[2])

local refused = unfit(leases, 'zset', 'ZRANGEBYSCORE')
if refused then
  return refused
end

local known = {}
for i = 3, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
local now = string.format('%.0f', math.ceil(now_us / 1000))
local PAGE = 100

local reply, bytes, offset = {}, 0, 0
repeat
  local page = redis.call('ZRANGEBYSCORE', leases, now, '+inf', 'WITHSCORES', 'LIMIT', offset, PAGE)
  for i = 1, #page, 2 do
    local lease = page[i]
    local is_mine = string.sub(lease, 2, 9) == incarnation
    if is_mine and not known[string.sub(lease, 2, 21)] and bytes < most_bytes then
      reply[#reply + 1] = lease
      reply[#reply + 1] = page[i + 1] * 1000 - now_us
      bytes = bytes + #lease
    end
  end
  offset = offset + PAGE
until #page == 0 or bytes >= most_bytes
return reply
