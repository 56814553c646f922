-- restore: give payloads back whose leases were ended before they were handed over. Sending it again changes nothing.
-- Redisson: none.
-- uses: check, settled
--
-- KEYS[1] list    <name>                                 the target queue: payloads that are due
-- KEYS[2] zset    rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] LPUSH for the head of the target queue, RPUSH for its tail
-- ARGV[2] how long to remember what was given back, ms
-- ARGV    from 3 on pairs, the oldest first: the id of an ended lease, and its payload
--
-- Returns how many payloads it gave back now.
-- Cost O(M log S): M given back, S entries of KEYS[2].
local target, settled, push = KEYS[1], KEYS[2], ARGV[1]

local refused = unfit(target, 'list', push) or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end

local tokens = {}
for i = #ARGV - 1, 3, -2 do
  local token = ARGV[i] .. 'b'
  if not redis.call('ZSCORE', settled, token) then
    redis.call(push, target, ARGV[i + 1])
    tokens[#tokens + 1] = token
  end
end
settle_all(settled, tokens, tonumber(ARGV[2]))
return #tokens
