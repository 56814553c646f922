-- notes: the notes about the elements of a dead-letter queue.
--
-- The dead-letter queue is an ordinary target queue. Beside it stands a list with a note about each element, in the
-- same order. A note is the digest of the payload (40 hex digits), when the element came here as big-endian u64, unix
-- ms, its token without a group (lib/delivery.lua), the number of bytes of the name of its queue as big-endian u16, that
-- name, and the reason. When Redisson takes an element, its note stays behind; the digests tell which notes those are.

-- Bytes of a digest, and the most bytes of a payload that go into it whole.
local DIGEST, DIGESTED = 40, 65536

-- Returns the digest of a payload.
local function digest_of(payload)
  if #payload > DIGESTED then
    payload = #payload .. string.sub(payload, 1, DIGESTED / 2) .. string.sub(payload, -DIGESTED / 2)
  end
  return redis.sha1hex(payload)
end

-- Drops the notes about elements that left the dead-letter queue at its head, if there are more notes than elements.
-- Needs LLEN, LINDEX, LRANGE and LTRIM on the notes, LLEN and LINDEX on the queue.
local function trim_notes()
  local kept, length = redis.call('LLEN', dead_notes), redis.call('LLEN', dead)
  -- Every claim calls this, and reading the first element copies it, however large it is. So it is not read in vain.
  if kept <= length then
    return
  end
  if length == 0 then
    redis.call('LTRIM', dead_notes, kept, -1)
    return
  end
  local first = redis.call('LINDEX', dead, 0)
  local function drop(count)
    if count > 0 then
      redis.call('LTRIM', dead_notes, count, -1)
    end
  end
  -- Where the note stands if all elements that left were at the head.
  local surplus = kept - length
  -- No note too many stays, so that a large element is not read again.
  if #first > DIGESTED then
    return drop(surplus)
  end
  local digest = digest_of(first)
  if string.sub(redis.call('LINDEX', dead_notes, surplus), 1, DIGEST) == digest then
    return drop(surplus)
  end
  -- Others left as well, or the first element has no note. A few notes too many do no harm.
  for i, note in ipairs(redis.call('LRANGE', dead_notes, 0, 99)) do
    if string.sub(note, 1, DIGEST) == digest then
      return drop(math.max(i - 1, surplus - 10000))
    end
  end
  drop(surplus - 100)
end
