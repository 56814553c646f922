-- reclaim: claiming the payload of a lease that ran out.
-- uses: lease, payload, quarantine

-- Ends the first lease that ran out before `now_ms`. Returns its payload and the number of the next attempt at it,
-- or nil if there is none. If the payload has more than `most` bytes, the lease stays, and this returns nil, nil and
-- the payload's size. An entry that is no lease goes to the quarantine. After 100 of these in all, it returns nil, nil,
-- nil and true.
-- Needs ZRANGEBYSCORE and ZREM on the leases, and SET_ASIDE on the quarantine.
local strangers = 0
local function reclaim(now_ms, most)
  local before_now = '(' .. string.format('%.0f', now_ms)
  while strangers < 100 do
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
    set_aside({ member }, { abandoned[2] })
    strangers = strangers + 1
  end
  return nil, nil, nil, true
end
