-- requeue_letters: offer the oldest dead letters again, without their notes.
-- Redisson: none; RQueue.pollLastAndOfferFirstTo moves one element, from the other end.
-- uses: check, notes
--
-- KEYS[1] dead       list <dead letters>                    payloads that nobody could handle
-- KEYS[2] dead_notes list rdq1_dead_notes:{<dead letters>}  a note about each of these
-- KEYS[3] target     list <name>                            the target queue to offer them to
-- ARGV[1] most        number  most letters to move
-- ARGV[2] most_bytes  number  how many bytes to move; the last letter may exceed it
--
-- Returns how many it moved.
-- Cost O(M), M moved.

local refused = unfit(dead, 'list', 'LPOP', 'LLEN', 'LINDEX')
  or unfit(dead_notes, 'list', 'LLEN', 'LINDEX', 'LRANGE', 'LTRIM') or unfit(target, 'list', 'RPUSH')
if refused then
  return refused
end

local moved, bytes = 0, 0
while moved < most and bytes < most_bytes do
  -- Frees memory first; see lib/check.lua.
  local payload = redis.call('LPOP', dead)
  if not payload then
    break
  end
  redis.call('RPUSH', target, payload)
  moved = moved + 1
  bytes = bytes + #payload
end
trim_notes()
return moved
