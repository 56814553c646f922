-- leases: finding leases by their ids.
-- uses: lease

-- Returns the leases that run out at `deadline`, unix ms, and whose ids stand in `ids`, 20 bytes each: { lease, ... }
-- in the order of the ids, with false for each lease that is gone. The leases of one claim stand side by side in the
-- order of their ids, and callers end them from the first on, so the first page mostly holds them all.
local function find_leases(deadline, ids)
  local wanted, found, missing = {}, {}, #ids / LEASE_ID
  for i = 1, missing do
    found[i] = false
    wanted[string.sub(ids, LEASE_ID * (i - 1) + 1, LEASE_ID * i)] = i
  end
  local first, size = 0, missing
  while missing > 0 do
    local page = redis.call('ZRANGEBYSCORE', leases, deadline, deadline, 'LIMIT', first, size)
    for _, lease in ipairs(page) do
      local i = wanted[lease_id(lease)]
      if i then
        found[i] = lease
        missing = missing - 1
      end
    end
    if #page < size then
      break
    end
    first, size = first + size, 100
  end
  return found
end
