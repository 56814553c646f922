-- move: move elements from an end of one list to an end of another, one after the other.
-- Redisson: RedissonDeque.moveAsync (4.7.0) sends LMOVE, which moves one.
-- uses: check, ends
--
-- KEYS[1] target      list <name>        the target queue: payloads that are ready
-- KEYS[2] destination list <other name>  where they go; may be the same
-- ARGV[1] taking      text    LPOP or RPOP
-- ARGV[2] pushing     text    LPUSH or RPUSH
-- ARGV[3] most        number  most elements to move
-- ARGV[4] most_bytes  number  most bytes of an element that it moves
--
-- Returns { how many it moved, 1 if it stopped early because elements are large else 0, how many bytes the first
-- element has if it is too large to move, or 0 }.
-- Cost O(M): M moved.
local put_back = taking == 'LPOP' and 'LPUSH' or 'RPUSH'

local refused = unfit(target, 'list', 'LLEN', taking, put_back) or unfit(destination, 'list', pushing)
if refused then
  return refused
end

local count = math.min(most, redis.call('LLEN', target))
local moved, bytes = 0, 0
while moved < count and bytes < 1000000 do
  -- Not LMOVE. Frees memory first; see lib/check.lua.
  local element = pop(target, taking)
  if #element > most_bytes then
    push(target, put_back, element)
    return { moved, 1, moved == 0 and #element or 0 }
  end
  push(destination, pushing, element)
  moved, bytes = moved + 1, bytes + #element
end
return { moved, moved < count and 1 or 0, 0 }
