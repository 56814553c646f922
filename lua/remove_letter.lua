-- remove_letter: take one dead letter out with its note, and offer it again if wanted.
-- Redisson: none.
-- uses: check, notes, ordering
--
-- KEYS[1] dead       list <dead letters>                    payloads that nobody could handle
-- KEYS[2] dead_notes list rdq1_dead_notes:{<dead letters>}  a note about each of these
-- KEYS[3] target     list <name>                            the target queue to offer it to
-- ARGV[1] payload      text    its payload
-- ARGV[2] note         text    its note, or '' if it has none
-- ARGV[3] again        flag    to offer it again
-- ARGV[4] notes_read   number  how many notes behind its note earlier calls have read
-- ARGV[5] equal_notes  number  how many of these have its digest
--
-- Equal letters stand in the order of their notes. So the n-th newest note with a digest is about the n-th newest
-- letter with that payload.
--
-- Returns { 1, or 0 if it is not there any more, or -1 if there are more notes to read, `notes_read` and `equal_notes`
-- for the next call }.
-- Cost O(N), N letters: Redis searches for the letter and for its note. It reads 5000 notes at the most.
local MOST, MOST_BYTES, PAGE = 5000, 4194304, 1000

local refused = unfit(dead, 'list', 'LPOS', 'LSET', 'LREM') or unfit(dead_notes, 'list', 'LPOS', 'LRANGE', 'LREM')
  or unfit(target, 'list', 'RPUSH')
if refused then
  return refused
end

local place
if note == '' then
  place = redis.call('LPOS', dead, payload)
else
  local at = redis.call('LPOS', dead_notes, note)
  if not at then
    return { 0, 0, 0 }
  end
  local digest, until_read = string.sub(note, 1, DIGEST), notes_read + MOST
  -- One at first: somebody else may have put anything there.
  local size, bytes, is_end = 1, 0, false
  repeat
    if notes_read >= until_read or bytes >= MOST_BYTES then
      return { -1, notes_read, equal_notes }
    end
    local page = redis.call('LRANGE', dead_notes, at + 1 + notes_read, at + notes_read + size)
    for _, later in ipairs(page) do
      bytes = bytes + #later
      if string.sub(later, 1, DIGEST) == digest then
        equal_notes = equal_notes + 1
      end
    end
    notes_read = notes_read + #page
    is_end = #page < size
    size = math.min(4 * size, PAGE)
  until is_end
  place = redis.call('LPOS', dead, payload, 'RANK', -1 - equal_notes)
end
if note ~= '' then
  -- Frees memory first; see lib/check.lua.
  redis.call('LREM', dead_notes, -1, note)
end
if not place then
  return { 0, 0, 0 }
end
redis.call('LSET', dead, place, MARKER)
redis.call('LREM', dead, 1, MARKER)
if again then
  redis.call('RPUSH', target, payload)
end
return { 1, 0, 0 }
