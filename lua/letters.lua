-- letters: read dead letters with their notes, the newest first.
-- Redisson: none.
-- uses: check, notes
--
-- KEYS[1] list    <dead letters>                         payloads that nobody could handle
-- KEYS[2] list    rdq1_dead_notes:{<dead letters>}       a note about each of these
-- ARGV[1] how many letters, and ARGV[2] how many notes to pass over from the newest on
-- ARGV[3] most letters to return      ARGV[4] how many bytes they may have; the last may exceed it
--
-- A letter without a note was put there by somebody else. A note without a letter is about one that somebody else took.
-- Letters that come meanwhile move the rest, so a letter may be returned twice.
--
-- Returns { { payload, note or '', ... }, letters, notes }: how many of both to pass over next.
-- Cost O(P + M): P passed over, M returned.
local dead, notes = KEYS[1], KEYS[2]
local letter, note, most, most_bytes = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])

local refused = unfit(dead, 'list', 'LRANGE') or unfit(notes, 'list', 'LRANGE')
if refused then
  return refused
end

-- The notes from the next one back. A note is small.
local near = redis.call('LRANGE', notes, -note - 2 * most - 100, -note - 1)
-- Returns the newest note about a payload, and passes over the notes behind it; '' if there is none.
local function note_about(payload)
  local digest = digest_of(payload)
  for i = #near, 1, -1 do
    if string.sub(near[i], 1, DIGEST) == digest then
      local found = near[i]
      for last = #near, i, -1 do
        near[last] = nil
        note = note + 1
      end
      return found
    end
  end
  return ''
end

local reply, bytes, portion = {}, 0, 1
local page = {}
while #reply < 2 * most and bytes < most_bytes do
  if #page == 0 then
    page = redis.call('LRANGE', dead, -letter - portion, -letter - 1)
    -- One at first, because letters may be large.
    portion = 16
  end
  local payload = table.remove(page)
  if not payload then
    break
  end
  letter = letter + 1
  bytes = bytes + #payload
  reply[#reply + 1] = payload
  reply[#reply + 1] = note_about(payload)
end
return { reply, letter, note }
