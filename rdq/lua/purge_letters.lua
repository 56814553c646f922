-- purge_letters: delete the oldest dead letters with their notes, as long as they are those that were seen.
-- uses: check
--
-- KEYS[1] dead       list <dead letters>                    payloads that nobody could handle
-- KEYS[2] dead_notes list rdq1_dead_notes:{<dead letters>}  a note about each of these
-- ARGV    two for each letter, the oldest first: its payload, and its note, or '' if it has none
--
-- Stops before the first letter that is not the oldest, or whose note is gone. Without letters, no note stays.
--
-- Returns how many letters it deleted.
-- Cost O(M), M letters, if their notes are the oldest, too.
local refused = unfit(dead, 'list', 'LINDEX', 'LPOP', 'LLEN') or unfit(dead_notes, 'list', 'LPOS', 'LREM', 'LTRIM')
if refused then
  return refused
end

local done = 0
for i = 1, #ARGV, 2 do
  local payload, note = ARGV[i], ARGV[i + 1]
  if redis.call('LINDEX', dead, 0) ~= payload or note ~= '' and not redis.call('LPOS', dead_notes, note) then
    break
  end
  if note ~= '' then
    redis.call('LREM', dead_notes, 1, note)
  end
  redis.call('LPOP', dead)
  done = done + 1
end
if redis.call('LLEN', dead) == 0 then
  redis.call('LTRIM', dead_notes, 1, 0)
end
return done
