-- score: the due time that a score of the timeout set stands for.

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
