-- find: find the oldest member in one page of the ordering list that holds a payload.
-- Redisson: the search of RedissonDelayedQueue.removeAsync and containsAsync (4.7.0), in bounded pages.
-- uses: check, member
--
-- KEYS[1] ordering list redisson_delay_queue:{<name>}  packed members in offer order
-- ARGV[1] first    number  first place of the page, from 0
-- ARGV[2] last     number  last place of the page
-- ARGV[3] payload  text    payload
--
-- Returns { how many bytes the entries have that it looked at, the packed member or '' for none }.
-- Cost O(S + P): P the length of the page, S its distance from the nearer end of the list.

local refused = unfit(ordering, 'list', 'LRANGE')
if refused then
  return refused
end

local bytes = 0
for _, member in ipairs(redis.call('LRANGE', ordering, first, last)) do
  bytes = bytes + #member
  -- The size comes first, because comparing a payload copies it.
  if #member > #payload and payload_of(member) == payload then
    return { bytes, member }
  end
end
return { bytes, '' }
