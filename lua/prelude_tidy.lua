-- prelude_tidy: how the transfer takes unreadable members out of the ordering list; put behind prelude_leave.
--
-- A member that left the timeout set may still stand in the ordering list, anywhere. To look for each is one scan
-- of the list for each. So where they are many or the list is long, the field `untidy` of the queue's state
-- notes that there is something to remove, in the same script that takes them out of the timeout set. The runs
-- that follow, of whatever client, go through the list once, from its newest entry to its oldest. They remove what
-- cannot be read and is not scheduled. `untidy` is the number of entries, the oldest ones, that they have yet to
-- look at, and a '+' behind it if they must go through the whole list once more.
--
-- Others change the list in between. What they append is no concern, and what they remove brings an entry
-- nearer to the oldest one, so each is still looked at; lua/put_back.lua, which puts entries in front of all,
-- adds their number to `untidy`.

-- What is read in one go, for how long entries are overwritten in one go, and how many newer entries are worth
-- writing anew with what is read.
local TIDY_ENTRIES, TIDY_BYTES, TIDY_US, TIDY_NEWER = 2500, 4194304, 5000, 1500

-- Removes those of these members from the ordering list that stand there, or notes that this is to be done.
-- Returns what `untidy` is then.
local function unlist_unreadable(ordering, state, untidy, members)
  local size = redis.call('LLEN', ordering)
  if size == 0 then
    return untidy
  end
  -- Some 4 ms of LREM, which scans the list for each.
  if #members <= 16 and #members * size <= 150000 then
    for _, member in ipairs(members) do
      redis.call('LREM', ordering, 0, member)
    end
    return untidy
  end
  local left = tonumber(string.match(untidy or '', '^%d+'))
  untidy = left and left < size and string.format('%.0f+', left) or string.format('%.0f', size)
  redis.call('HSET', state, 'untidy', untidy)
  return untidy
end

-- Reads entries from the one in front of `place` on toward the oldest, in growing portions. Returns { entry, ... },
-- the newest first, the place of the last one, and how many bytes they have.
local function read_older(ordering, place)
  local entries, bytes, portion = {}, 0, 4
  while place > 0 and #entries < TIDY_ENTRIES and bytes < TIDY_BYTES do
    local first = math.max(0, place - portion)
    local page = redis.call('LRANGE', ordering, first, place - 1)
    for i = #page, 1, -1 do
      entries[#entries + 1] = page[i]
      bytes = bytes + #page[i]
    end
    place = first
    portion = math.min(4 * portion, TIDY_ENTRIES - #entries)
  end
  return entries, place, bytes
end

-- Which of these entries cannot be read and are not scheduled: { index, ... }.
local function leftovers(entries, timeouts)
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

-- Cuts the list off in front of `place` and appends again what stays: `newer`, and of `entries`, the newest first,
-- all but those that are `gone`.
local function rewrite_end(ordering, place, entries, gone, newer)
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
  -- LTRIM first: what frees memory is allowed while there is none, and then the rest is, too.
  redis.call('LTRIM', ordering, place > 0 and 0 or 1, math.max(0, place - 1))
  if #stay > 0 then
    redis.call('RPUSH', ordering, unpack(stay))
  end
end

-- Overwrites the entries that are `gone`, the newest first, until that has taken a while, and removes them at once.
-- `newest` is the place of the first of the entries. Returns how many it removed.
local function overwrite(ordering, size, newest, gone)
  -- Cuts nothing off, but frees memory as LTRIM in `rewrite_end` does, which LSET does not.
  redis.call('LTRIM', ordering, 0, -1)
  local began_us, removed = server_us(), 0
  for i, index in ipairs(gone) do
    redis.call('LSET', ordering, newest + 1 - index, MARKER)
    removed = i
    if i % 50 == 0 and server_us() - began_us > TIDY_US then
      break
    end
  end
  local is_newer_half = 2 * newest >= size
  redis.call('LREM', ordering, is_newer_half and -removed or removed, MARKER)
  return removed
end

-- Goes on through the ordering list. Returns what `untidy` is then, or nil once all of it is done.
local function tidy(ordering, timeouts, state, untidy)
  local size = redis.call('LLEN', ordering)
  local left, again = string.match(untidy, '^(%d+)(%+?)$')
  local from = math.min(tonumber(left) or size, size)
  local entries, place, bytes = read_older(ordering, from)
  local gone = leftovers(entries, timeouts)
  local newer = size - from
  if #gone > 50 and newer <= TIDY_NEWER and bytes * newer <= TIDY_BYTES * #entries then
    rewrite_end(ordering, place, entries, gone, redis.call('LRANGE', ordering, from, -1))
  elseif #gone > 0 then
    local removed = overwrite(ordering, size, from - 1, gone)
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
  redis.call('HSET', state, 'untidy', untidy)
  return untidy
end
