-- clock: the time by Redis's clock.

-- The time now, unix us.
local function server_us()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
