-- recover: list the leases that a client holds without knowing, because the reply to a claim was lost.
-- Redisson: none.
-- uses: check, clock, lease, steady
--
-- KEYS[1] zset    rdq1_leases:{<name>}                   lease -> when it runs out, unix ms
-- KEYS[2] string  rdq1_clock:{<name>}                    the clock by which leases end (see lib/steady.lua)
-- ARGV[1] 8 bytes: the client's incarnation
-- ARGV[2] how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[3] a payload of more bytes than this is large, and left out of the reply
-- ARGV[4] how many large leases the client knows
-- ARGV    from 5 on: when each of these runs out, unix ms, the earliest first; then the ids of all the leases that the
--         client knows
--
-- The client calls it again until it returns none.
--
-- Returns { { id, when it runs out in unix ms, us until then, bytes of the payload, payload or '' }, ... }, without
-- leases that ran out.
-- Reads no large lease that the client knows, unless another one runs out in the same millisecond. To read a lease
-- is to copy its payload, and a payload of 256 MB holds up Redis for most of a second.
-- Cost O(L): L leases.
local leases, incarnation = KEYS[1], ARGV[1]
local most_bytes, large_from = tonumber(ARGV[2]), tonumber(ARGV[3])

local refused = unfit(leases, 'zset', 'ZRANGEBYSCORE', 'ZCOUNT')
if refused then
  return refused
end

local known, first_id = {}, 5 + tonumber(ARGV[4])
for i = first_id, #ARGV do
  known[ARGV[i]] = true
end
local now_us = server_us()
now_us = now_us + steady(KEYS[2], now_us)
local now_ms = math.ceil(now_us / 1000)

local reply, replied = {}, 0
-- Adds to the reply what the client does not know of the leases that run out from `first` to `last`.
local function look_through(first, last)
  -- Few at first: they may be large.
  local offset, size = 0, 2
  while replied < most_bytes do
    local page = redis.call('ZRANGEBYSCORE', leases, first, last, 'WITHSCORES', 'LIMIT', offset, size)
    if #page == 0 then
      return
    end
    local read = 0
    for i = 1, #page, 2 do
      local lease, id = page[i], lease_id(page[i])
      read = read + #lease
      if string.sub(id, 1, 8) == incarnation and not known[id] and replied < most_bytes then
        local deadline_ms, bytes = tonumber(page[i + 1]), #lease - LEASE_HEAD
        local payload = bytes > large_from and '' or string.sub(lease, LEASE_HEAD + 1)
        reply[#reply + 1] = { id, deadline_ms, deadline_ms * 1000 - now_us, bytes, payload }
        replied = replied + LEASE_HEAD + #payload
      end
    end
    offset = offset + size
    size = math.max(1, math.min(100, 2 * size, math.floor(1000000 * size / math.max(read, 1))))
  end
end

local first = string.format('%.0f', now_ms)
for i = 5, first_id - 1 do
  local large = ARGV[i]
  if tonumber(large) >= now_ms and redis.call('ZCOUNT', leases, large, large) == 1 then
    look_through(first, '(' .. large)
    first = '(' .. large
  end
end
look_through(first, '+inf')
return reply
