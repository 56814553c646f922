-- move: take elements from an end of one list and put them to an end of another, one after the other.
-- Redisson: RedissonDeque.moveAsync (4.7.0) sends LMOVE, which moves one.
--
-- KEYS[1] list    <name>                       the target queue: payloads that are due
-- KEYS[2] list    <other name>                 where they go; may be the same
-- ARGV[1] LPOP or RPOP         ARGV[2] LPUSH or RPUSH        ARGV[3] most elements to move
--
-- Returns how many were moved.
-- Cost O(M): M moved.
local source, destination, pop, push = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

local refused = unfit(source, 'list', 'LLEN', pop) or unfit(destination, 'list', push)
if refused then
  return refused
end

local count = math.min(tonumber(ARGV[3]), redis.call('LLEN', source))
for _ = 1, count do
  -- Not LMOVE: what frees memory is allowed while there is none, and then the rest is, too.
  redis.call(push, destination, redis.call(pop, source))
end
return count
