-- retain: remove elements from one page of the target queue unless they are among the payloads to keep.
-- Redisson: BaseRedissonList.retainAllAsync (4.7.0), which looks at the whole list in one script.
-- uses: check
--
-- KEYS[1] target list <name>  the target queue: payloads that are ready
-- ARGV[1] kept          number  how many elements, counted from the last, earlier calls looked at and kept
-- ARGV[2] most          number  most elements to look at, fewer if they are large
-- ARGV[3] most_removed  number  most elements to remove
-- ARGV[4] marker        text    bytes that no element equals
-- ARGV    from 5 on: the payloads to keep; if there are none, everything is removed
--
-- Returns { how many more stay, how many it removed, how many are still to be looked at }.
-- Cost O(P + R*D): P elements looked at, R removed, D the nodes of the list between them and its nearer end. LSET walks
-- there for each, and LREM once scans what these nodes hold.

local refused = unfit(target, 'list', 'LLEN', 'LRANGE', 'LTRIM', 'LSET', 'LREM')
if refused then
  return refused
end

local size = redis.call('LLEN', target)
if #ARGV < 5 then
  redis.call('LTRIM', target, 1, 0)
  return { 0, size, 0 }
end
local keep = {}
for i = 5, #ARGV do
  keep[ARGV[i]] = true
end

-- Reads from the last element on, because takers remove elements from the front, and that moves no place counted from
-- the end. Reads one at first and then more, because elements may be large.
local seen, bytes, step = {}, 0, 1
repeat
  local last = -kept - #seen - 1
  local page = redis.call('LRANGE', target, last - step + 1, last)
  for i = #page, 1, -1 do
    seen[#seen + 1] = page[i]
    bytes = bytes + #page[i]
  end
  local is_end = #page < step
  step = math.min(16 * step, 64, most - #seen)
until is_end or step == 0 or bytes > 1000000

local stay, removed = 0, 0
while stay + removed < #seen and removed < most_removed do
  local looked_at = stay + removed
  if keep[seen[looked_at + 1]] then
    stay = stay + 1
  else
    if removed == 0 then
      -- Cuts nothing off, but counts as freeing memory, unlike LSET. Frees memory first; see lib/check.lua.
      redis.call('LTRIM', target, 0, -1)
    end
    redis.call('LSET', target, -kept - looked_at - 1, marker)
    removed = removed + 1
  end
end
local left = math.max(0, size - kept - stay - removed)
if removed > 0 then
  redis.call('LREM', target, left < kept and removed or -removed, marker)
end
return { stay, removed, left }
