-- place: look for the first entry of a member in a stretch of the ordering list.
--
-- KEYS[1] ordering list redisson_delay_queue:{<name>}  packed members in offer order
-- ARGV[1] first   number  first place of the stretch, from 0
-- ARGV[2] last    number  last place
-- ARGV[3] member  text    the packed member
--
-- Returns { its place or -1, how many bytes the entries have }.
-- Cost O(F + P): P the length of the stretch, F its distance from the nearer end of the list.
local place, bytes = -1, 0
for i, entry in ipairs(redis.call('LRANGE', ordering, first, last)) do
  if place < 0 and entry == member then
    place = first + i - 1
  end
  bytes = bytes + #entry
end
return { place, bytes }
