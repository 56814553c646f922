-- ungroup: move deliveries that wait for their groups to the head of the target queue.
--
-- KEYS[1] target     list <name>                    the target queue: payloads that are due
-- KEYS[2] deliveries hash rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] grouped    zset rdq1_grouped:{<name>}     deliveries that wait for their groups: a group (16 bytes), a number
--                                                   (8), and a token, which begins with the origin (26)
-- ARGV[1] most entries to move      ARGV[2] how many bytes of payload they may have; the last may exceed it
--
-- The last one goes first, so those of a group keep their order. An entry that is too short for a delivery stays.
--
-- Returns { how many it took out, 0 if none is left that can be moved; how many of these it moved: somebody may have
-- deleted the payloads of the others }.
-- Cost O(M log L): M moved, L waiting deliveries.
local most, most_bytes = tonumber(ARGV[1]), tonumber(ARGV[2])
local ORIGIN_AT, ORIGIN, SHORTEST = 25, 26, 70
-- The hash may count under the origin and this which claims came too late.
local LATE = '-'

local function holds(KEY, type)
  local is = redis.call('TYPE', KEY).ok
  return is == type or is == 'none'
end
if not (holds(target, 'list') and holds(deliveries, 'hash') and holds(grouped, 'zset')) then
  return redis.error_reply('WRONGTYPE Operation against a key holding the wrong kind of value')
end

local taken, moved, bytes, skipped = 0, 0, 0, 0
while taken < most and bytes < most_bytes and skipped < most do
  local entry = redis.call('ZRANGE', grouped, skipped, skipped, 'REV')[1]
  if not entry then
    break
  elseif #entry < SHORTEST then
    skipped = skipped + 1
  else
    local origin = string.sub(entry, ORIGIN_AT, ORIGIN_AT + ORIGIN - 1)
    local payload = redis.call('HGET', deliveries, origin)
    -- Frees memory first, so that Redis refuses no write behind a first one.
    redis.call('ZREM', grouped, entry)
    redis.call('HDEL', deliveries, origin, origin .. LATE)
    if payload then
      redis.call('LPUSH', target, payload)
      bytes = bytes + #payload
      moved = moved + 1
    end
    taken = taken + 1
  end
end
return { taken, moved }
