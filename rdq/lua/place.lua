-- place: look for an entry in a stretch of the ordering list.
--
-- KEYS[1] ordering list redisson_delay_queue:{<name>}  packed members in offer order
-- ARGV[1] first   number  first place of the stretch, from 0
-- ARGV[2] last    number  last place
-- ARGV[3] member  text    the packed member
--
-- Returns { its place or -1, how many bytes the entries have that the script looked at }.
-- Cost O(F + P): P the length of the stretch, F its distance from the nearer end of the list.
local bytes = 0
for i, entry in ipairs(redis.call('LRANGE', ordering, first, last)) do
  if entry == member then
    return { first + i - 1, bytes }
  end
  bytes = bytes + #entry
end
return { -1, bytes }
