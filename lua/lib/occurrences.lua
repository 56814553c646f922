-- occurrences: which occurrences of a periodic offer somebody has offered.
--
-- The occurrences of one name ascend, whatever its schedule is, or was: one that is not after the last that was offered
-- never becomes an element. The set rdq1_settled remembers that one under the name and 'p', for a minute after its
-- time, even if the periodic offer has ended or was replaced in the meantime.

-- How long the last occurrence counts after its time, ms.
local OCCURRED_MS = 55000

-- Returns the last occurrence that was offered, unix ms, or nil. Needs ZSCORE on the set.
local function last_occurrence(name)
  local over = redis.call('ZSCORE', settled, name .. 'p')
  return over and tonumber(over) - OCCURRED_MS
end

-- Remembers an occurrence. Needs ZADD, PTTL and PEXPIRE on the set.
local function note_occurrence(name, ms)
  redis.call('ZADD', settled, string.format('%.0f', ms + OCCURRED_MS), name .. 'p')
  if redis.call('PTTL', settled) < 61000 then
    redis.call('PEXPIRE', settled, 61000)
  end
end
