-- return: giving payloads back whose leases ran out.
-- uses: lease, payload, quarantine

-- Moves the payloads of leases that ran out before `now_ms` to the head of the target queue, where consumers in any
-- language find them: 1000 at the most, or some 1 MB. The last lease goes first, so each payload stands before those
-- that were claimed after it. An entry that is no lease goes to the quarantine. Returns how many entries it took
-- out. Needs ZRANGE and ZREM on the leases, LPUSH on the target queue and SET_ASIDE on the quarantine.
local function return_leases(now_ms)
  local before_now = '(' .. string.format('%.0f', now_ms)
  local count, bytes, size = 0, 0, 1
  while count < 1000 and bytes < 1000000 do
    local page = redis.call('ZRANGE', leases, before_now, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, size, 'WITHSCORES')
    for i = 1, #page, 2 do
      local lease = page[i]
      redis.call('ZREM', leases, lease)
      local first = payload_places(lease)
      local payload = first == LEASE_HEAD + 1 and string.byte(lease, 1) == LEASE_ID and payload_of(lease)
      if payload then
        redis.call('LPUSH', target, payload)
      else
        set_aside({ lease }, { page[i + 1] })
      end
      count = count + 1
      bytes = bytes + #lease
    end
    if #page < 2 * size then
      break
    end
    -- As many as fit if they are like those before.
    size = math.max(1, math.min(100, 8 * size, math.floor((1000000 - bytes) * count / bytes)))
  end
  return count
end
