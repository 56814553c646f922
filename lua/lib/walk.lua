-- walk: going through a set in the order of its scores, in steps that hold Redis up for some ms.
--
-- A cursor says where the next step goes on: { score, how many entries with that score are behind, how many had it }.
-- If one of these has gone meanwhile, the next step begins with the first of them: it sees some again, and misses none.

-- How many entries a step reads, and how many bytes. The last entry may exceed that.
local STEP_ENTRIES, STEP_BYTES = 2000, 4194304

-- Passes entries and their scores to `visit`, from a cursor on, until that returns true or the step is long enough.
-- Returns the cursor for the next step, or {} at the end. Needs ZCOUNT and ZRANGE on the set.
local function walk(KEY, score, behind, with_score, visit)
  if redis.call('ZCOUNT', KEY, score, score) < with_score then
    behind = 0
  end
  local function cursor()
    local has_it = redis.call('ZCOUNT', KEY, score, score)
    return { score, string.format('%.0f', behind), string.format('%.0f', has_it) }
  end
  local rank = redis.call('ZCOUNT', KEY, '-inf', '(' .. score) + behind
  -- One at first, because entries may be large.
  local count, bytes, size = 0, 0, 1
  while count < STEP_ENTRIES and bytes < STEP_BYTES do
    local page = redis.call('ZRANGE', KEY, rank, rank + size - 1, 'WITHSCORES')
    for i = 1, #page, 2 do
      if page[i + 1] ~= score then
        score, behind = page[i + 1], 0
      end
      behind, count, bytes = behind + 1, count + 1, bytes + #page[i]
      if visit(page[i], score) then
        return cursor()
      end
    end
    if #page < 2 * size then
      return {}
    end
    rank = rank + size
    size = math.max(1, math.min(100, 4 * size, math.floor((STEP_BYTES - bytes) * count / math.max(bytes, 1))))
  end
  return cursor()
end
