-- prelude_lease: how scripts find leases by their ids; it uses nothing of the prelude.

-- The leases that run out at `deadline`, unix ms, and whose ids stand in `ids`, 20 bytes each: { lease, ... } in
-- the order of the ids, with false for each lease that is gone. The leases of one claim stand side by side in the
-- order of their ids, and their callers end them from the first on, so the first page mostly holds them all.
local function find_leases(leases, deadline, ids)
  local wanted, found, missing = {}, {}, #ids / 20
  for i = 1, missing do
    found[i] = false
    wanted[string.sub(ids, 20 * i - 19, 20 * i)] = i
  end
  local first, size = 0, missing
  while missing > 0 do
    local page = redis.call('ZRANGEBYSCORE', leases, deadline, deadline, 'LIMIT', first, size)
    for _, lease in ipairs(page) do
      local i = wanted[string.sub(lease, 2, 21)]
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
