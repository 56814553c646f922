-- purge_letters: delete the oldest dead letters with their notes, as long as they are those that were seen.
--
-- KEYS[1] list    <dead letters>                         payloads that nobody could handle
-- KEYS[2] list    rdq1_dead_notes:{<dead letters>}       a note about each of these
-- ARGV    two for each letter, the oldest first: its payload, and its note, or '' if it has none
--
-- Stops before the first letter that is not the oldest, or whose note is gone. Without letters, no note stays.
--
-- Returns how many letters it deleted.
-- Cost O(M), M letters, if their notes are the oldest, too.
local needed = {
  { 'LINDEX', KEYS[1], '0' }, { 'LPOP', KEYS[1] }, { 'LLEN', KEYS[1] },
  { 'LPOS', KEYS[2], 'x' }, { 'LREM', KEYS[2], '1', 'x' }, { 'LTRIM', KEYS[2], '1', '0' },
}
for _, command in ipairs(redis.acl_check_cmd and needed or {}) do
  if not redis.acl_check_cmd(unpack(command)) then
    return redis.error_reply('NOPERM no right to ' .. command[1] .. ' key ' .. command[2])
  end
end

local done = 0
for i = 1, #ARGV, 2 do
  local payload, note = ARGV[i], ARGV[i + 1]
  if redis.call('LINDEX', KEYS[1], 0) ~= payload or note ~= '' and not redis.call('LPOS', KEYS[2], note) then
    break
  end
  if note ~= '' then
    redis.call('LREM', KEYS[2], 1, note)
  end
  redis.call('LPOP', KEYS[1])
  done = done + 1
end
if redis.call('LLEN', KEYS[1]) == 0 then
  redis.call('LTRIM', KEYS[2], 1, 0)
end
return done
