-- prelude_claim: what the scripts share that take elements for a caller; put behind the prelude and
-- prelude_quarantine.

-- How many of `wanted` elements the queue's state lets its consumers take at `now_us`, and of `ahead` more, if
-- given, while nothing limits their rate; and a function that notes how many they took and returns how long
-- they must wait for the next, us: 0 for not at all, -1 while the queue is paused. Needs HMGET and HSET on
-- the state.
local function admit(state, wanted, now_us, ahead)
  local held = redis.call('HMGET', state, 'paused', 'interval_us', 'burst', 'next_us')
  if held[1] then
    return 0, function() return -1 end
  end
  local interval, burst = tonumber(held[2]), tonumber(held[3])
  if not (interval and burst and interval >= 1 and burst >= 1) then
    return wanted + (ahead or 0), function() return 0 end
  end
  -- The generic cell rate algorithm: each element moves the time at which all are paid for by an
  -- interval, and that time may be ahead of now by `burst` intervals. If it is by more than another
  -- second, the clock was set back, and the time means nothing.
  local paid_us = math.max(tonumber(held[4]) or 0, now_us)
  if paid_us > now_us + burst * interval + 1000000 then
    paid_us = now_us
  end
  local allowed = math.max(0, burst - math.ceil((paid_us - now_us) / interval))
  return math.min(wanted, allowed), function(taken)
    if taken > 0 then
      paid_us = paid_us + taken * interval
      redis.call('HSET', state, 'next_us', string.format('%.0f', paid_us))
    end
    return math.max(0, paid_us - (burst - 1) * interval - now_us)
  end
end

-- The payload of a lease that ran out before `now_ms`, and which attempt at it comes next; the lease is
-- gone then. Nil if there is none. If the payload has more than `most` bytes the lease stays, and this returns nil,
-- nil and how many bytes that are. What is no lease goes to the quarantine.
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
    local is_lease = first and string.byte(member, 1) == 20
    if is_lease and last - first + 1 > most then
      return nil, nil, last - first + 1
    end
    redis.call('ZREM', leases, member)
    if is_lease then
      return string.sub(member, first, last), math.min(struct.unpack('>H', member, 20) + 1, 65535)
    end
    set_aside(quarantine, { member }, { abandoned[2] })
  end
end
