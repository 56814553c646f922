-- leased: read leases, or the tokens of deliveries, in the order of their times, from behind a place on.
-- Redisson: none.
-- uses: check, clock, delivery, lease, rank, steady
--
-- KEYS[1] set        zset   rdq1_leases:{<name>}      lease -> when it runs out, unix ms; or
--                 rdq1_delivery_leases:{<name>}          token -> when its lease runs out, unix ms; or
--                 rdq1_retries:{<name>}                  token -> when the next attempt is due, unix ms
-- KEYS[2] deliveries hash   rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] clock      string rdq1_clock:{<name>}       the clock by which leases end (see lib/steady.lua)
-- ARGV[1] 1 if `set` holds tokens, else 0
-- ARGV[2] score of the entry behind which to begin, '-inf' to begin with the first; ARGV[3] its name
-- ARGV[4] most entries to return      ARGV[5] how many bytes of payload they may have; the last may exceed it
-- ARGV[6] a payload of more bytes than this is left out of the reply
--
-- A lease has its id for a name, a token itself. Entries that are neither are passed over. No entry that stays is left
-- out, and none comes twice unless its score has grown.
--
-- Returns { 1 if there is more else 0, now in unix ms by the clock of the scores,
-- { { name, score, bytes of the payload, payload or '' }, ... } }.
-- Cost O(log N + M) for M entries; O(E) more, E entries with the score in ARGV[2].
local has_tokens, score, name = ARGV[1] == '1', ARGV[2], ARGV[3]
local most, most_bytes, large_from = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

local refused = unfit(set, 'zset', 'ZRANGEBYSCORE') or unfit(deliveries, 'hash', 'HSTRLEN', 'HGET')
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

-- Few at first: they may be large.
local reply, bytes, offset, size = {}, 0, 0, 2
local is_more = true
while is_more and #reply < most and bytes < most_bytes do
  local page = redis.call('ZRANGEBYSCORE', set, score, '+inf', 'WITHSCORES', 'LIMIT', offset, size)
  local read = 0
  for i = 1, #page, 2 do
    local entry, entry_name = page[i], name_of(page[i])
    read = read + #entry
    if #reply == most or bytes >= most_bytes then
      break
    elseif entry_name and (page[i + 1] ~= score or follows(entry_name, name)) then
      local payload_bytes, payload = payload_at(entry)
      reply[#reply + 1] = { entry_name, page[i + 1], payload_bytes, payload }
      bytes = bytes + #payload
    end
    offset = offset + 1
  end
  is_more = #page == 2 * size or #reply == most or bytes >= most_bytes
  size = math.max(1, math.min(100, 4 * size, math.floor(1000000 * size / math.max(read, 1))))
end
local now_us = server_us()
return { is_more and 1 or 0, math.ceil((now_us + steady(now_us)) / 1000), reply }
