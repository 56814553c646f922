-- leased: read leases, or the tokens of deliveries, in the order of their times, in steps.
-- Redisson: none.
-- uses: check, clock, delivery, lease, steady, walk
--
-- KEYS[1] set        zset   rdq1_leases:{<name>}      lease -> when it runs out, unix ms; or
--                 rdq1_delivery_leases:{<name>}          token -> when its lease runs out, unix ms; or
--                 rdq1_retries:{<name>}                  token -> when the next attempt is due, unix ms
-- KEYS[2] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1] 1 if `set` holds tokens, else 0
-- ARGV[2], ARGV[3], ARGV[4] where to go on, as the call before has said, or '-inf', 0 and 0
-- ARGV[5] most entries to return      ARGV[6] how many bytes of payload they may have; the last may exceed it
-- ARGV[7] a payload of more bytes than this is left out of the reply
--
-- A lease has its id for a name, a token itself. Entries that are neither are passed over. No entry that stays is left
-- out. If entries with the last score leave between two calls, others with that score come again.
--
-- Returns { the place where to go on, or {}, { now in unix ms by the clock of the scores,
-- { { name, score, bytes of the payload, payload or '' }, ... } } }.
-- Cost O(log N): N entries of the set. It reads 2000 of them at the most.
local has_tokens = ARGV[1] == '1'
local most, most_bytes, large_from = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

local refused = unfit(set, 'zset', 'ZCOUNT', 'ZRANGE') or unfit(deliveries, 'hash', 'HSTRLEN', 'HGET')
if refused then
  return refused
end

-- Returns the name of an entry, or nil if it is foreign.
local function name_of(entry)
  if has_tokens then
    return #entry >= UNGROUPED and entry
  end
  return string.byte(entry, 1) == LEASE_ID and #entry >= LEASE_HEAD and lease_id(entry)
end
-- Returns the number of bytes of the payload, and the payload or ''.
local function payload_at(entry)
  local bytes = has_tokens and redis.call('HSTRLEN', deliveries, origin_of(entry)) or #entry - LEASE_HEAD
  if bytes > large_from then
    return bytes, ''
  elseif has_tokens then
    -- Without a payload, somebody deleted the delivery and left its token.
    return bytes, redis.call('HGET', deliveries, origin_of(entry)) or ''
  end
  return bytes, string.sub(entry, LEASE_HEAD + 1)
end

local reply, bytes = {}, 0
local place = walk(set, ARGV[2], ARGV[3], ARGV[4], {}, function(entry, score)
  local name = name_of(entry)
  if name then
    local payload_bytes, payload = payload_at(entry)
    reply[#reply + 1] = { name, score, payload_bytes, payload }
    bytes = bytes + #payload
  end
  return #reply == most or bytes >= most_bytes
end)
local now_us = server_us()
return { place, { math.ceil((now_us + steady(now_us)) / 1000), reply } }
