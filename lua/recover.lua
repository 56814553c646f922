-- recover: the leases that one client holds, for when the reply to a claim was lost.
-- Redisson: none.
--
-- KEYS[1] zset    rdq1_leases:{<name>}         lease -> when it runs out, unix ms
-- ARGV[1] 8 bytes: the client's incarnation
--
-- Returns { lease, us until it runs out, ... }, in the order of their claims; none that ran out.
-- Cost O(L log L): L leases.
local leases, incarnation = KEYS[1], ARGV[1]
local now_us = server_us()

local refused = unfit(leases, 'zset', 'ZRANGEBYSCORE')
if refused then
  return refused
end

local mine = {}
local now = string.format('%.0f', math.ceil(now_us / 1000))
local all = redis.call('ZRANGEBYSCORE', leases, now, '+inf', 'WITHSCORES')
for i = 1, #all, 2 do
  if string.sub(all[i], 2, 9) == incarnation then
    mine[#mine + 1] = { all[i], all[i + 1] * 1000 - now_us }
  end
end
table.sort(mine, function(a, b)
  return a[1] < b[1]
end)

local reply = {}
for _, lease in ipairs(mine) do
  reply[#reply + 1] = lease[1]
  reply[#reply + 1] = lease[2]
end
return reply
