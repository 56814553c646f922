-- ungroup: move deliveries that wait for their groups to the head of the target queue.
-- uses: check, delivery
--
-- KEYS[1] target     list <name>                    the target queue: payloads that are due
-- KEYS[2] deliveries hash rdq1_deliveries:{<name>}  origin -> payload
-- KEYS[3] grouped    zset rdq1_grouped:{<name>}     deliveries that wait for their groups: a group (16 bytes), a number
--                                                   (8), and a token, which begins with the origin (26)
-- ARGV[1] most        number  most entries to move
-- ARGV[2] most_bytes  number  how many bytes of payload they may have; the last may exceed it
--
-- The last one goes first, so those of a group keep their order. An entry that is too short for a delivery stays.
--
-- Returns { how many it took out, 0 if none is left that can be moved; how many of these it moved: somebody may have
-- deleted the payloads of the others }.
-- Cost O(M log L): M moved, L waiting deliveries.
local refused = unfit(target, 'list', 'LPUSH') or unfit(deliveries, 'hash', 'HGET', 'HDEL')
  or unfit(grouped, 'zset', 'ZRANGE', 'ZREM')
if refused then
  return refused
end

-- Where the token stands in an entry.
local TOKEN = 25

local taken, moved, bytes, skipped = 0, 0, 0, 0
while taken < most and bytes < most_bytes and skipped < most do
  local entry = redis.call('ZRANGE', grouped, skipped, skipped, 'REV')[1]
  if not entry then
    break
  elseif #entry < TOKEN + UNGROUPED - 1 then
    skipped = skipped + 1
  else
    local origin = origin_of(string.sub(entry, TOKEN))
    local payload = redis.call('HGET', deliveries, origin)
    -- Frees memory first; see lib/check.lua.
    redis.call('ZREM', grouped, entry)
    remove_payload(origin)
    if payload then
      redis.call('LPUSH', target, payload)
      bytes = bytes + #payload
      moved = moved + 1
    end
    taken = taken + 1
  end
end
return { taken, moved }
