-- groups: deliveries that consumers handle one at a time.
-- uses: delivery
--
-- A group has 16 bytes: the first hex digits of the SHA-1 of a key that a consumer drew from the value, or EVERYTHING
-- for consumers that handle one element at a time. Keys with the same digits share a group.
--
-- One delivery holds the group: the hash of groups has its origin under the group, and its token stands among the
-- leases or the retries. It holds the group until it is acknowledged or a dead letter. All other deliveries of the
-- group wait in a sorted set without scores: the group, a number that grows (8 bytes, big-endian), and the token.
--
-- A delivery whose key is still to be computed stands among the leases, unsorted. The hash has two more fields.
-- 'sorting' is there while a worker computes keys of what it claimed, and nobody else may claim what comes behind: its
-- incarnation (8 bytes), and until when that counts, as big-endian u64, unix ms. All leases of what it has unsorted end
-- at that ms. 'wanted' is there if a consumer found something that it may not claim yet.

local EVERYTHING = 'all_the_elements'
-- The most bytes of a payload.
local LARGEST = 536870912

-- Says whether a token has a group. Makes no text, so it costs next to nothing.
local function has_group(token)
  return #token > UNGROUPED
end

-- Returns the group of a token, or '' if it has none.
local function group_of(token)
  return string.sub(token, UNGROUPED + 1)
end

-- Returns the group of a key.
local function group_of_key(key)
  return string.sub(redis.sha1hex(key), 1, #EVERYTHING)
end

-- Returns two functions. The first gives so many numbers in a row, and returns the first of them. Each number is above
-- all that were given before, and at least `now_us`. The second function has Redis keep the last number for a day.
-- Needs GET and SET on the fence.
local function numbers(now_us)
  local last
  local function give(count)
    local before = last or tonumber(redis.call('GET', fence)) or 0
    -- Somebody else may have set it to anything. Up to here, Lua's numbers are exact.
    if not (before >= 0 and before < 9007199254740992 - count) then
      before = 0
    end
    local first = math.max(before + 1, now_us)
    last = first + count - 1
    return first
  end
  return give, function()
    if last then
      redis.call('SET', fence, string.format('%.0f', last), 'PX', 86400000)
    end
  end
end

-- Has a delivery, whose token the caller has removed, wait for a group that another one holds. The next claim counts as
-- the attempt after that of the token. Needs ZADD on the set.
local function await(group, number, token)
  redis.call('ZADD', grouped, 0, group .. struct.pack('>L', number) .. string.sub(token, 1, UNGROUPED) .. group)
end

-- Ends the hold of a delivery, whose token the caller has removed, on its group. The delivery that has waited longest
-- holds the group then, and is due at once. Needs HGET, HDEL and HSET on the groups, ZRANGEBYLEX and ZREM on those that
-- wait, ZADD on the retries.
local function release_group(token, now_ms)
  local group = group_of(token)
  if group == '' or redis.call('HGET', groups, group) ~= origin_of(token) then
    return
  end
  local first, following
  repeat
    first = redis.call('ZRANGEBYLEX', grouped, '[' .. group, '(' .. group .. '\255', 'LIMIT', 0, 1)[1]
    if not first then
      redis.call('HDEL', groups, group)
      return
    end
    following = string.sub(first, #group + 9)
    redis.call('ZREM', grouped, first)
    -- Somebody else may have put anything there.
  until is_token(following)
  redis.call('HSET', groups, group, origin_of(following))
  redis.call('ZADD', retries, string.format('%.0f', now_ms), following)
end

-- Returns the incarnation of the worker that computed keys last, and until when that counts, unix ms; or nil. Needs HGET
-- on the groups.
local function last_sorting()
  local sorting = redis.call('HGET', groups, 'sorting')
  if sorting and #sorting == 16 then
    return string.sub(sorting, 1, 8), struct.unpack('>L', sorting, 9)
  end
end

-- Says until when some worker computes keys, unix ms, or nil. It does not take longer than `most_ms`.
local function sorting_until(now_ms, most_ms)
  local _, until_ms = last_sorting()
  return until_ms and until_ms >= now_ms and until_ms <= now_ms + most_ms and until_ms or nil
end

-- Returns the unsorted ones of these tokens, which their scores follow, in the order in which they stood in the target
-- queue. A claim takes what stands first, and nobody claims before its leases have ended. So what was claimed again
-- later stood before what was left.
local function in_order(tokens)
  local unsorted = {}
  for i = 1, #tokens, 2 do
    if #tokens[i] == UNGROUPED then
      local place = struct.unpack('>H', tokens[i], ORIGIN + 17)
      unsorted[#unsorted + 1] = { token = tokens[i], score = tonumber(tokens[i + 1]), place = place }
    end
  end
  table.sort(unsorted, function(a, b)
    return a.score > b.score or a.score == b.score and a.place < b.place
  end)
  for i, it in ipairs(unsorted) do
    unsorted[i] = it.token
  end
  return unsorted
end

-- Tells all consumers that they may claim again, if one of them found something in vain. Returns whether it did. Needs
-- HDEL on the groups.
local function call_for_wanted(channel, now_ms)
  local is_wanted = redis.call('HDEL', groups, 'wanted') == 1
  if is_wanted then
    redis.pcall('PUBLISH', channel, 'retry ' .. string.format('%.0f', now_ms))
  end
  return is_wanted
end
