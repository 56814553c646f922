-- score: when members become due, and the scores of the timeout set.
-- uses: member

-- The latest due time, unix ms: 2^53, up to which Lua's numbers are exact. Also LATEST_MS in src/link/clock.rs.
local LATEST_MS = 9007199254740992

-- Returns when a score is due, unix ms. A fractional score is due at the next whole ms. A huge or negative score,
-- which only a foreign client writes, is due at the nearest time that can be represented.
local function score_ms(score)
  return math.max(0, math.min(math.ceil(tonumber(score)), LATEST_MS))
end

-- Returns how long until a score is due, us: 0 if it is due already, and -1 without a score.
local function us_until(score, now_us)
  return score and math.max(0, score_ms(score) * 1000 - now_us) or -1
end

-- Returns when a member becomes due, unix ms, or nil and an error reply. `wanted` is a number of ms from now, or
-- '@' and a unix ms. A moment that has passed means now.
local function due_of(member, wanted, now_us)
  local due_ms = math.ceil(now_us / 1000)
  if string.byte(wanted) == 64 then
    due_ms = math.max(due_ms, tonumber(string.sub(wanted, 2)))
  else
    due_ms = due_ms + tonumber(wanted)
  end
  if due_ms > LATEST_MS then
    return nil, redis.error_reply('RDQRANGE due time past 2^53 ms')
  end
  if due_ms > (expires_of(member) or due_ms) then
    return nil, redis.error_reply('RDQEXPIRY the element would expire before it is due')
  end
  return due_ms
end
