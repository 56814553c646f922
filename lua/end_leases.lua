-- end_leases: end leases whose payloads were handed over. Sending it again changes nothing.
-- Redisson: none.
-- uses: lease, leases
--
-- KEYS[1] leases zset rdq1_leases:{<name>}  lease -> when it runs out, unix ms
-- ARGV    pairs: when leases run out, unix ms, and their ids, 20 bytes each, in ascending order; at most 1000
--         leases in all
--
-- It does not use `check`: its first read fails if its only key has another type.
--
-- Returns how many leases it ended. It leaves a lease alone that another client has claimed since.
-- Cost O(M + log L) for neighbours, else O(M log L): M ended, L leases.

-- Returns the rank of the first of these n leases if they stand side by side, else nil. The leases of one claim have
-- consecutive places. If the first and the last id are n - 1 places apart, and the set holds these two leases n - 1
-- ranks apart, then the leases between them are the wanted ones, and it need not read them.
local function rank_of(deadline, ids, n)
  local span = struct.unpack('>H', ids, #ids - 3) - struct.unpack('>H', ids, 17)
  if n < 3 or span ~= n - 1 or string.sub(ids, 1, 16) ~= string.sub(ids, -20, -5) then
    return nil
  end
  local first = redis.call('ZRANGEBYSCORE', leases, deadline, deadline, 'LIMIT', 0, 1)[1]
  if not first or lease_id(first) ~= string.sub(ids, 1, LEASE_ID) then
    return nil
  end
  local rank = redis.call('ZRANK', leases, first)
  local last = redis.call('ZRANGE', leases, rank + n - 1, rank + n - 1, 'WITHSCORES')
  if last[2] == deadline and lease_id(last[1]) == string.sub(ids, -LEASE_ID) then
    return rank
  end
end

local count = 0
for i = 1, #ARGV, 2 do
  local deadline, ids = ARGV[i], ARGV[i + 1]
  local n = #ids / LEASE_ID
  local rank = rank_of(deadline, ids, n)
  if rank then
    count = count + redis.call('ZREMRANGEBYRANK', leases, rank, rank + n - 1)
  else
    local held = {}
    for _, lease in ipairs(find_leases(deadline, ids)) do
      held[#held + 1] = lease or nil
    end
    if #held > 0 then
      count = count + redis.call('ZREM', leases, unpack(held))
    end
  end
end
return count
