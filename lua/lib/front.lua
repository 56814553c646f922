-- front: reading payloads from one end of the target queue.

-- Calls `lease` with the payloads of the target queue one after the other, from the first on or, if `from_last`, from
-- the last on. Ends when `wanted` returns false, when `lease` returns false because the payload is to stay, or with
-- the list. Returns how many payloads it leased, which still stand in the list. It reads at most `most` at a time, and
-- no more than `room` says there is room for, so it reads little more than the caller can use.
local function lease_front(target, from_last, most, wanted, room, lease)
  local leased, portion = 0, 1
  while wanted() do
    local size = math.min(portion, room())
    local page
    if from_last then
      page = redis.call('LRANGE', target, -leased - size, -1 - leased)
    else
      page = redis.call('LRANGE', target, leased, leased + size - 1)
    end
    for i = 1, #page do
      if not wanted() or not lease(page[from_last and #page + 1 - i or i]) then
        return leased
      end
      leased = leased + 1
    end
    if #page < size then
      return leased
    end
    portion = math.min(8 * portion, most)
  end
  return leased
end
