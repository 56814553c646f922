-- tidy: taking unreadable members out of the ordering list.
-- uses: member, ordering
--
-- A member that left the timeout set may still stand anywhere in the ordering list. To search for each such member is
-- to scan the list once for each. So if they are many or the list is long, the script that takes them out of the
-- timeout set only notes in the field `untidy` of the queue's state that there is something to remove. The runs that
-- follow, of whatever client, go through the list once, from its newest entry to its oldest. They remove entries
-- that cannot be read and are not scheduled. `untidy` is the number of entries, counted from the oldest, that they
-- have yet to look at. A '+' behind it says that they must go through the whole list once more.
--
-- Other clients change the list in between. An entry that they append needs no look. An entry that they remove brings
-- the others nearer to the oldest, so each is still looked at. lua/put_back.lua puts entries in front of all others,
-- and adds their number to `untidy`.

-- How much to read at once, and how many newer entries are worth writing anew together with those that were read.
local TIDY_ENTRIES, TIDY_BYTES, TIDY_NEWER = 2500, 4194304, 1500

-- Removes those of these members that stand in the ordering list, or notes that this is to be done. Returns the new
-- `untidy`.
local function unlist_unreadable(untidy, members)
  local size = redis.call('LLEN', ordering)
  if size == 0 then
    return untidy
  end
  -- LREM scans the list for each of them, for some 4 ms in all.
  if #members <= 16 and #members * size <= 150000 then
    for _, member in ipairs(members) do
      redis.call('LREM', ordering, 0, member)
    end
    return untidy
  end
  local left = tonumber(string.match(untidy or '', '^%d+'))
  untidy = left and left < size and string.format('%.0f+', left) or string.format('%.0f', size)
  -- If Redis has no memory left it refuses this, and the next run looks at the same entries.
  return type(redis.pcall('HSET', state, 'untidy', untidy)) == 'number' and untidy or nil
end

-- Reads entries in growing portions, from the one in front of `place` on toward the oldest. Returns { entry, ... },
-- the newest first, the place of the last one, and how many bytes they have.
local function read_older(place)
  local entries, bytes, portion = {}, 0, 4
  while place > 0 and #entries < TIDY_ENTRIES and bytes < TIDY_BYTES do
    local first = math.max(0, place - portion)
    local page = redis.call('LRANGE', ordering, first, place - 1)
    for i = #page, 1, -1 do
      entries[#entries + 1] = page[i]
      bytes = bytes + #page[i]
    end
    place = first
    portion = math.min(4 * portion, 64, TIDY_ENTRIES - #entries)
  end
  return entries, place, bytes
end

-- Returns which of these entries can neither be read nor are scheduled: { index, ... }.
local function leftovers(entries)
  local odd, index = {}, {}
  for i, entry in ipairs(entries) do
    if not payload_places(entry) then
      odd[#odd + 1] = entry
      index[#odd] = i
    end
  end
  local scores = #odd > 0 and redis.call('ZMSCORE', timeouts, unpack(odd)) or {}
  local gone = {}
  for i = 1, #odd do
    if not scores[i] then
      gone[#gone + 1] = index[i]
    end
  end
  return gone
end

-- Cuts the list off in front of `place` and appends the entries again that stay: those of `entries`, the newest first,
-- that are not `gone`, and then `newer`.
local function rewrite_end(place, entries, gone, newer)
  local is_gone, stay = {}, {}
  for _, i in ipairs(gone) do
    is_gone[i] = true
  end
  for i = #entries, 1, -1 do
    if not is_gone[i] then
      stay[#stay + 1] = entries[i]
    end
  end
  for _, entry in ipairs(newer) do
    stay[#stay + 1] = entry
  end
  -- Frees memory first; see lib/check.lua.
  redis.call('LTRIM', ordering, place > 0 and 0 or 1, math.max(0, place - 1))
  if #stay > 0 then
    redis.call('RPUSH', ordering, unpack(stay))
  end
end

-- Overwrites entries that are `gone`, the newest first, as many as take some 5 ms, and removes them all at once.
-- `newest` is the place of the first of the entries. Returns how many it removed.
local function overwrite(size, newest, gone)
  -- Cuts nothing off, but counts as freeing memory, unlike LSET. Frees memory first; see lib/check.lua.
  redis.call('LTRIM', ordering, 0, -1)
  -- Each costs more the further it is from both ends. No clock says how long they take: on Redis 8 it stands still.
  local reach = math.min(newest, size - newest)
  local removed = math.min(#gone, math.max(50, math.floor(150000000 / (reach + 1000))))
  for i = 1, removed do
    redis.call('LSET', ordering, newest + 1 - gone[i], MARKER)
  end
  local is_newer_half = 2 * newest >= size
  redis.call('LREM', ordering, is_newer_half and -removed or removed, MARKER)
  return removed
end

-- Goes on through the ordering list. Returns the new `untidy`, or nil once the list is done.
local function tidy(untidy)
  local size = redis.call('LLEN', ordering)
  local left, again = string.match(untidy, '^(%d+)(%+?)$')
  local from = math.min(tonumber(left) or size, size)
  local entries, place, bytes = read_older(from)
  local gone = leftovers(entries)
  local newer = size - from
  if #gone > 50 and newer <= TIDY_NEWER and bytes * newer <= TIDY_BYTES * #entries then
    rewrite_end(place, entries, gone, redis.call('LRANGE', ordering, from, -1))
  elseif #gone > 0 then
    local removed = overwrite(size, from - 1, gone)
    if removed < #gone then
      place = from - gone[removed]
    end
  end

  if place == 0 and again ~= '+' then
    redis.call('HDEL', state, 'untidy')
    return nil
  end
  untidy = place > 0 and string.format('%.0f', place) .. (again or '')
    or string.format('%.0f', redis.call('LLEN', ordering))
  -- If Redis has no memory left it refuses this, and the next run looks at the same entries.
  return type(redis.pcall('HSET', state, 'untidy', untidy)) == 'number' and untidy or nil
end
