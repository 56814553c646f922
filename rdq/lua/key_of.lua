-- key_of: look for the key under which a member was offered, in a step through all keys.
--
-- KEYS[1] keyed hash rdq1_keyed:{<name>}  'k' and the key, or 'u' and a digest -> packed member
-- ARGV[1] cursor  text    where the step begins, 0 for the first
-- ARGV[2] member  text    the packed member
-- ARGV[3] most    number  how many keys to look at
--
-- Returns { cursor of the next step, 0 after the last; the field or '' }.
-- Cost O(K) for K keys.
local step = redis.call('HSCAN', keyed, cursor, 'COUNT', most)
for i = 1, #step[2], 2 do
  if step[2][i + 1] == member then
    return { step[1], step[2][i] }
  end
end
return { step[1], '' }
