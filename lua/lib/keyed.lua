-- keyed: how long the two keys live that know what is pending under a key.
-- uses: score
--
-- Both keys expire by themselves, because nobody may ever come again to sweep them. They outlive the last due time of
-- all pending members by KEEP_MS. That is a week, because a member can be pending longer than its due time says, and
-- a client that does not know of these keys can give it another due time: a sweep looks at each member only once a
-- day, and only if some client sweeps.
-- lib/sweep.lua ends them once nothing is pending.

local DAY_MS = 86400000
local KEEP_MS = 7 * DAY_MS

-- Makes both keys live on until KEEP_MS after this due time.
local function keep_keyed(due_ms, now_ms)
  local left = redis.call('PTTL', keyed)
  local needed = math.max(0, due_ms - now_ms) + KEEP_MS
  if left == -2 or left >= needed then
    return
  end
  if left < KEEP_MS then
    -- No time to live yet, or one from when the queue was empty: neither covers the pending members.
    local last = redis.pcall('ZRANGE', timeouts, -1, -1, 'WITHSCORES')[2]
    needed = math.max(needed, last and score_ms(last) - now_ms + KEEP_MS or 0)
  end
  -- A day more, so that the next offers need not set it again.
  local left_ms = string.format('%.0f', needed + DAY_MS)
  redis.call('PEXPIRE', keyed, left_ms)
  redis.call('PEXPIRE', keyed_due, left_ms)
end
