-- steady: a clock of the queue that does not go back when Redis's does.
--
-- Leases, retries and the time to compute keys end by this clock. Somebody may set Redis's own clock back, or a
-- failover may lead to a master whose clock is behind. By that clock they would last longer, by as much as it went
-- back. So a key holds a note of two numbers, us: what the steady clock showed when it was noted, and by how much it is
-- ahead of Redis's.

-- A clock that goes back by less does not count, and a note is that old at the most when an end is written, us. Redis
-- keeps the note for a week.
local NOTICED_US, NOTE_MS = 1000000, 604800000
-- Also LATEST_MS of lib/score.lua: up to here, Lua's numbers are exact.
local LATEST_US = 9007199254740992

-- Returns by how much the steady clock is ahead of Redis's, us, and a function for scripts that write an end: it notes
-- the clock. Whoever lacks the rights to GET and SET on the key has Redis's clock.
local function steady(now_us)
  local held = redis.pcall('GET', clock)
  local noted_us, ahead_us = string.match(type(held) == 'string' and held or '', '^(%d+) (%d+)$')
  noted_us, ahead_us = tonumber(noted_us) or 0, tonumber(ahead_us) or 0
  if noted_us > LATEST_US or now_us + ahead_us > LATEST_US then
    noted_us, ahead_us = 0, 0
  end
  local function keep()
    redis.pcall('SET', clock, string.format('%.0f %.0f', now_us + ahead_us, ahead_us), 'PX', NOTE_MS)
  end
  local behind_us = noted_us - now_us - ahead_us
  if behind_us > NOTICED_US then
    ahead_us = ahead_us + behind_us
    keep()
  end
  return ahead_us, function()
    if now_us + ahead_us - noted_us > NOTICED_US then
      keep()
    end
  end
end
