-- reclaim: claiming the payload of a lease that ran out.
-- uses: lease, payload, quarantine

-- Ends the first lease that ran out before `now_ms`. Returns its payload and the number of the next attempt at it,
-- or nil if there is none. If the payload has more than `most` bytes, the lease stays, and this returns nil, nil and
-- the payload's size. An entry that is no lease goes to the quarantine.
-- Needs ZRANGEBYSCORE and ZREM on the leases, and SET_ASIDE on the quarantine.
local function reclaim(leases, quarantine, now_ms, most)
  local before_now = '(' .. string.format('%.0f', now_ms)
  while true do
    local abandoned = redis.call('ZRANGEBYSCORE', leases, '-inf', before_now, 'WITHSCORES', 'LIMIT', 0, 1)
    local member = abandoned[1]
    if not member then
      return nil
    end
    local first, last = payload_places(member)
    local is_lease = first == LEASE_HEAD + 1 and string.byte(member, 1) == LEASE_ID
    if is_lease and last - first + 1 > most then
      return nil, nil, last - first + 1
    end
    redis.call('ZREM', leases, member)
    if is_lease then
      return string.sub(member, first, last), math.min(struct.unpack('>H', lease_id(member), LEASE_ID - 1) + 1, 65535)
    end
    set_aside(quarantine, { member }, { abandoned[2] })
  end
end
