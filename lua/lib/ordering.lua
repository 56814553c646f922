-- ordering: adding members to the ordering list and removing them.
-- uses: member

-- A script writes MARKER over the entries that it removes, and then removes all markers with one LREM. Nobody else
-- ever sees a marker. It is a packed member all the same, so no reader would fail on one.
local MARKER = '\015removed by rdq1\0\0\0\0\0\0\0\0'

-- Appends a member to the ordering list, unless its id says that it is unlisted.
local function append(member)
  if not is_unlisted(member) then
    redis.call('RPUSH', ordering, member)
  end
end

-- Removes one entry from the ordering list and returns how many entries it found: 0 or 1. An unlisted member is not
-- searched for. If the ids of the member and of the middle entry tell which is older, LREM scans from the end that
-- is nearer to the member, else from the newest entry. A misleading id costs time and does no other harm.
local function unlist(member)
  local size = is_unlisted(member) and 0 or redis.call('LLEN', ordering)
  if size == 0 then
    return 0
  end
  local count = -1
  -- In a short list the middle is not worth reading: it may be large.
  local offered = size > 16 and offered_at(member)
  if offered then
    local middle = redis.call('LINDEX', ordering, math.floor(size / 2))
    local then_offered = middle and offered_at(middle)
    if then_offered and offered < then_offered then
      count = 1
    end
  end
  return redis.call('LREM', ordering, count, member)
end

-- The commands that unlist needs on the ordering list.
local UNLIST = { 'LLEN', 'LINDEX', 'LREM' }
