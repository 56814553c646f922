-- walk: going through a set in the order of its scores, in steps that hold Redis up for some ms.
--
-- A cursor says where the next step goes on: { score, how many entries with that score are behind, how many had it }.
-- If one of these has gone meanwhile, the next step begins with the first of them: it sees some again, and misses none.

-- How many entries a step reads, and how many bytes. The last entry may exceed that.
local STEP_ENTRIES, STEP_BYTES = 2000, 4194304

-- Passes entries and their scores to `visit`, from a cursor on, until that returns true or the step is long enough. Does
-- not read the first entry with a score in `avoided`, which ascend. Returns the cursor for the next step, or {} at the
-- end. Needs ZCOUNT and ZRANGE on the set.
local function walk(KEY, score, behind, had_it, avoided, visit)
  behind = tonumber(behind)
  if redis.call('ZCOUNT', KEY, score, score) < tonumber(had_it) then
    behind = 0
  end
  local function cursor()
    local has_it = redis.call('ZCOUNT', KEY, score, score)
    return { score, string.format('%.0f', behind), string.format('%.0f', has_it) }
  end
  local rank = redis.call('ZCOUNT', KEY, '-inf', '(' .. score) + behind
  local avoid = 1
  local function rank_of_avoided()
    return avoided[avoid] and redis.call('ZCOUNT', KEY, '-inf', '(' .. avoided[avoid]) or math.huge
  end
  -- One at first, because entries may be large.
  local count, bytes, size, stop = 0, 0, 1, rank_of_avoided()
  while count < STEP_ENTRIES and bytes < STEP_BYTES do
    local last = math.min(rank + size, stop)
    local page = last > rank and redis.call('ZRANGE', KEY, rank, last - 1, 'WITHSCORES') or {}
    for i = 1, #page, 2 do
      if page[i + 1] ~= score then
        score, behind = page[i + 1], 0
      end
      behind, count, bytes = behind + 1, count + 1, bytes + #page[i]
      if visit(page[i], score) then
        return cursor()
      end
    end
    rank = rank + #page / 2
    if rank == stop then
      score, behind, rank, avoid = avoided[avoid], 1, rank + 1, avoid + 1
      stop = rank_of_avoided()
    elseif rank < last then
      return {}
    end
    size = math.max(1, math.min(100, 4 * size, math.floor((STEP_BYTES - bytes) * count / math.max(bytes, 1))))
  end
  return cursor()
end
