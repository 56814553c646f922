-- pace: whether the queue is paused, and how fast it lets elements go.

-- The longest time that a limit can be about, us. Somebody else may have put anything there.
local MOST_US = 9007199254740992

-- Returns how many of `wanted` elements consumers may take at `now_us`. If nothing limits their rate they may take
-- `ahead` more, if that is given. Returns also a function that notes how many they took and says how long they must
-- wait for the next, us: 0 for not at all, -1 while the queue is paused. Needs HMGET and HSET on the state.
local function admit(wanted, now_us, ahead)
  local held = redis.call('HMGET', state, 'paused', 'interval_us', 'burst', 'next_us')
  if held[1] then
    return 0, function() return -1 end
  end
  local interval, burst = tonumber(held[2]), math.floor(tonumber(held[3]) or 0)
  if not (interval and interval >= 1 and burst >= 1 and burst * interval < MOST_US) then
    return wanted + (ahead or 0), function() return 0 end
  end
  -- The generic cell rate algorithm: each element moves the time at which all are paid for by an
  -- interval, and that time may be ahead of now by `burst` intervals. If it is ahead by yet another
  -- second, the clock was set back, and the time says nothing any more.
  local paid_us = tonumber(held[4]) or 0
  if not (paid_us > now_us and paid_us <= now_us + burst * interval + 1000000) then
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
