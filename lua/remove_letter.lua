-- remove_letter: take one dead letter out with its note, and offer it again if wanted.
-- Redisson: none.
-- uses: check, marker, notes
--
-- KEYS[1] list    <dead letters>                         payloads that nobody could handle
-- KEYS[2] list    rdq1_dead_notes:{<dead letters>}       a note about each of these
-- KEYS[3] list    <name>                                 the target queue to offer it to
-- ARGV[1] its payload      ARGV[2] its note, or '' if it has none      ARGV[3] 1 to offer it again, else 0
--
-- Equal letters stand in the order of their notes. So the n-th newest note with a digest is about the n-th newest
-- letter with that payload.
--
-- Returns 1, or 0 if it is not there any more.
-- Cost O(N), N letters.
local dead, notes, target = KEYS[1], KEYS[2], KEYS[3]
local payload, note, again = ARGV[1], ARGV[2], ARGV[3] == '1'

local refused = unfit(dead, 'list', 'LPOS', 'LSET', 'LREM') or unfit(notes, 'list', 'LPOS', 'LRANGE', 'LREM')
  or unfit(target, 'list', 'RPUSH')
if refused then
  return refused
end

local place
if note == '' then
  place = redis.call('LPOS', dead, payload)
else
  local at = redis.call('LPOS', notes, note)
  if not at then
    return 0
  end
  local behind, digest = 0, string.sub(note, 1, DIGEST)
  for first = at + 1, math.huge, 1000 do
    local page = redis.call('LRANGE', notes, first, first + 999)
    for _, later in ipairs(page) do
      if string.sub(later, 1, DIGEST) == digest then
        behind = behind + 1
      end
    end
    if #page < 1000 then
      break
    end
  end
  place = redis.call('LPOS', dead, payload, 'RANK', -1 - behind)
end
if note ~= '' then
  -- Frees memory first; see lib/check.lua.
  redis.call('LREM', notes, -1, note)
end
if not place then
  return 0
end
redis.call('LSET', dead, place, MARKER)
redis.call('LREM', dead, 1, MARKER)
if again then
  redis.call('RPUSH', target, payload)
end
return 1
