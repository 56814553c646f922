-- front: how much a claim may lease, and reading payloads from one end of the target queue.
--
-- A claim counts in a table what it leases: `count` payloads, at most `allowed`, with `bytes` in all. The last payload
-- may bring these past `most_bytes`. A large payload ends the claim: `large` is {} before, then { bytes, 1 } if it was
-- leased, or { bytes } if it was left where it is.

-- Returns the count of a claim that has leased nothing.
local function begin_claim(allowed, most_bytes)
  local claim = {}
  claim.allowed, claim.most_bytes = allowed, most_bytes
  claim.count, claim.bytes, claim.large = 0, 0, {}
  return claim
end

-- Says whether a claim may lease one more payload.
local function may_lease(claim)
  return claim.count < claim.allowed and claim.bytes < claim.most_bytes and not claim.large[1]
end

-- Returns how many more payloads a claim may lease, of the size of those before.
local function room_left(claim)
  local fitting = math.ceil((claim.most_bytes - claim.bytes) * claim.count / math.max(claim.bytes, 1))
  return math.min(claim.allowed - claim.count, math.max(1, fitting))
end

-- Calls `lease` with the payloads of the target queue one after the other, from the first on or, if `from_last`, from
-- the last on. Ends when the claim may lease no more, when `lease` returns false because the payload is to stay, or
-- with the list. Returns how many payloads it leased, which still stand in the list. It reads at most `most` at a time,
-- and no more than there is room for, so it reads little more than the claim can use.
local function lease_front(from_last, most, claim, lease)
  local leased, portion = 0, 1
  while may_lease(claim) do
    local size = math.min(portion, room_left(claim))
    local page
    if from_last then
      page = redis.call('LRANGE', target, -leased - size, -1 - leased)
    else
      page = redis.call('LRANGE', target, leased, leased + size - 1)
    end
    for i = 1, #page do
      if not may_lease(claim) or not lease(page[from_last and #page + 1 - i or i]) then
        return leased
      end
      leased = leased + 1
    end
    if #page < size then
      return leased
    end
    portion = math.min(8 * portion, 64, most)
  end
  return leased
end
