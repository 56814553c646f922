-- move: take elements from an end of one list and put them to an end of another, one after the other.
-- Redisson: RedissonDeque.moveAsync (4.7.0) sends LMOVE, which moves one.
--
-- KEYS[1] list    <name>                       the target queue: payloads that are due
-- KEYS[2] list    <other name>                 where they go; may be the same
-- ARGV[1] LPOP or RPOP         ARGV[2] LPUSH or RPUSH        ARGV[3] most elements to move
-- ARGV[4] the most bytes that one may have to be moved
--
-- Returns { how many were moved, 1 if there are more that were left, since those or the next are large, else 0,
-- how many bytes the first one has if it was left, or 0 }.
-- Cost O(M): M moved.
local source, destination, pop, push = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local most = tonumber(ARGV[4])
local put_back = pop == 'LPOP' and 'LPUSH' or 'RPUSH'

local refused = unfit(source, 'list', 'LLEN', pop, put_back) or unfit(destination, 'list', push)
if refused then
  return refused
end

local count = math.min(tonumber(ARGV[3]), redis.call('LLEN', source))
local moved, bytes = 0, 0
while moved < count and bytes < 1000000 do
  -- Not LMOVE: what frees memory is allowed while there is none, and then the rest is, too.
  local element = redis.call(pop, source)
  if #element > most then
    redis.call(put_back, source, element)
    return { moved, 1, moved == 0 and #element or 0 }
  end
  redis.call(push, destination, element)
  moved, bytes = moved + 1, bytes + #element
end
return { moved, moved < count and 1 or 0, 0 }
