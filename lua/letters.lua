-- letters: read dead letters with their notes, the newest first.
-- Redisson: none.
-- uses: check, notes
--
-- KEYS[1] dead       list <dead letters>                    payloads that nobody could handle
-- KEYS[2] dead_notes list rdq1_dead_notes:{<dead letters>}  a note about each of these
-- ARGV[1] letter      number  how many letters to pass over, from the newest on
-- ARGV[2] note        number  how many notes to pass over
-- ARGV[3] most        number  most letters to return
-- ARGV[4] most_bytes  number  how many bytes they may have; the last may exceed it
--
-- A letter without a note was put there by somebody else. A note without a letter is about one that somebody else took.
-- Letters that come meanwhile move the rest, so a letter may be returned twice.
--
-- Returns { { payload, note or '', ... }, letters, notes }: how many of both to pass over next.
-- Cost O(P + M): P passed over, M returned.

local refused = unfit(dead, 'list', 'LRANGE') or unfit(dead_notes, 'list', 'LRANGE')
if refused then
  return refused
end

-- The notes from the next one back, the newest first, as far as they were read.
local near, first, chunks, size = {}, 1, 0, 4
-- Returns the digest in a note; nil if there is none so far back, or too many are between.
local function digest_at(i)
  if i > #near and chunks < 20 then
    local read = note + #near - first + 1
    local chunk, bytes = redis.call('LRANGE', dead_notes, -read - size, -read - 1), 0
    for place = #chunk, 1, -1 do
      near[#near + 1] = chunk[place]
      bytes = bytes + #chunk[place]
    end
    -- Somebody else may have put anything there. The search ends at what is no note by its size.
    chunks = bytes > 65536 * size and 20 or chunks + 1
    size = math.min(4 * size, 500)
  end
  return near[i] and string.sub(near[i], 1, DIGEST)
end
-- Returns the newest note with this digest, and passes over those before it; '' if there is none.
local function note_about(digest)
  local i = first
  while true do
    local found = digest_at(i)
    if not found then
      return ''
    elseif found == digest then
      note = note + i - first + 1
      first = i + 1
      return near[i]
    end
    i = i + 1
  end
end

local reply, bytes = {}, 0
-- One at first, and as many as there is room for later: letters may be large.
local page, portion, read, read_bytes = {}, 1, 0, 0
local function next_payload()
  if #page == 0 then
    page = redis.call('LRANGE', dead, -letter - portion, -letter - 1)
    for _, payload in ipairs(page) do
      read_bytes = read_bytes + #payload
    end
    read = read + #page
    portion = math.max(1, math.min(16, math.floor(most_bytes * read / math.max(read_bytes, 1))))
  end
  return page[#page]
end
local payload = next_payload()
while payload and #reply < 2 * most and bytes < most_bytes do
  letter = letter + 1
  bytes = bytes + #payload
  page[#page] = nil
  local digest, following = digest_of(payload), next_payload()
  reply[#reply + 1] = payload
  -- If the next note is about the letter that follows, this one came from somebody else.
  local is_foreign = digest_at(first) ~= digest and following and digest_at(first) == digest_of(following)
  reply[#reply + 1] = is_foreign and '' or note_about(digest)
  payload = following
end
return { reply, letter, note }
