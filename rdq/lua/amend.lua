-- amend: change where members of a queue stand, each only if it still stands where it was seen.
-- uses: check, head, ordering, places, quarantine, score
--
-- KEYS[1] timeouts   zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering   list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] quarantine zset rdq1_quarantine:{<name>}               unreadable member -> the score that it had
-- KEYS[4] state      hash rdq1_state:{<name>}                    its field `untidy` counts entries of `ordering` that a
--                                                                clean-up has yet to look at, from the oldest on
-- ARGV[1] channel  text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key right
-- ARGV    from 2 on, nine for each change:
--    1 member
--    2 the member that it becomes; mostly the same
--    3 its score; '' if it must have none, '*' if it must have one
--    4 the score that it gets; '' for none, '=' for the same
--    5 its place in `ordering`, from 0; '-' if it must not stand there, 'last' if it must stand near the newest
--      entries, '' if that does not matter
--    6 another place where it must stand as well, or ''
--    7 'remove' its entry, 'push' one, 'write' what it becomes over its entry, a place to insert one there, or
--      '' for nothing
--    8 the score that it gets in `quarantine`, 'out' if it must be there and leaves, or ''
--    9 how often it stands in `ordering` once an entry is inserted: if it does already, nothing is inserted; else ''
--
-- Examples of these nine, with M for the member and N for another that it becomes:
--    an odd score is replaced           M M '-5' '0' '' '' '' '' ''
--    an unreadable member is set aside  M M '17' '' '4' '' 'remove' '17' ''
--    a second entry is removed          M M '*' '=' '9' '4' 'remove' '' ''
--    a ghost is removed                 M M '' '' '4' '' 'remove' '' ''
--    a ghost becomes due                M M '' '17' '4' '' '' '' ''
--    an entry is appended               M M '*' '=' '-' '' 'push' '' ''
--    an unlisted member is removed      M M '17' '' '-' '' '' '' ''
--    an old member becomes a new one    M N '*' '=' '4' '' 'write' '' ''
--    an unreadable member comes back    M M '' '17' '-' '' '4' 'out' '1'
--    a second entry comes back          M M '*' '=' '4' '' '9' '' '2'
--    a ghost comes back                 M M '' '' '-' '' '4' '' '1'
--    an appended entry is removed       M M '*' '=' 'last' '' 'remove' '' ''
--
-- A place is a hint: entries that left meanwhile brought others nearer to the oldest. The script looks around it, and
-- then lets Redis search some 200,000 entries in all, so it may not find an entry in the middle of a long list. For the
-- same reason it can only make sure that a member does not stand near the ends of a long list, or near the place where
-- an entry is to be inserted.
--
-- Publishes the score of the head if a change made it earlier.
--
-- Returns for each change 'done'; or, if it wrote nothing for it, 'changed' if the member does not stand as it was
-- seen, 'lost' if its entry was not found, or 'full' if the quarantine takes no more.
-- Cost O(M * (log N + D) + 200,000): M changes, D the distance of an entry from the nearer end of `ordering`.
local FIELDS = 9
local changes = (#ARGV - 1) / FIELDS

local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZADD', 'ZREM', 'ZCOUNT', 'ZRANK')
  or unfit(ordering, 'list', 'LLEN', 'LINDEX', 'LRANGE', 'LPOS', 'LSET', 'LTRIM', 'LREM', 'RPUSH', 'LINSERT')
  or unfit(quarantine, 'zset', 'ZSCORE', 'ZADD', 'ZREM', 'ZCARD') or unfit(state, 'hash', 'HGET', 'HSET')
if refused then
  return refused
end

local size = redis.call('LLEN', ordering)
-- How many entries Redis may search, and how far entries stand before the places where they were seen.
local allowance, shift = 200000, 0

-- Lets Redis search from one end. Returns a place, or nil.
local function search(member, rank, most)
  most = math.min(size, math.floor(most))
  if most < 1 then
    return nil
  end
  allowance = allowance - most
  return redis.call('LPOS', ordering, member, 'RANK', rank, 'MAXLEN', most) or nil
end

-- Returns where a member stands that was seen at `place`, or nil.
local function find(member, place)
  local near = math.max(0, place - shift)
  local entry = redis.call('LINDEX', ordering, near)
  if entry == member then
    return near
  end
  if #member < BULKY and (not entry or #entry < BULKY) then
    local start = math.max(0, near - 100)
    local window = redis.call('LRANGE', ordering, start, near + 10)
    for i = #window, 1, -1 do
      if window[i] == member then
        shift = place - (start + i - 1)
        return start + i - 1
      end
    end
  end
  local found = search(member, 2 * near < size and 1 or -1, allowance)
  if found then
    shift = place - found
  end
  return found
end

-- Says whether a member stands near this place.
local function is_near(member, place)
  local entry = redis.call('LINDEX', ordering, place)
  if #member >= BULKY or entry and #entry >= BULKY then
    return entry == member
  end
  for _, near in ipairs(redis.call('LRANGE', ordering, math.max(0, place - 250), place + 250)) do
    if near == member then
      return true
    end
  end
  return false
end

-- Says whether a member stands in the list so many times, as far as that can be told.
local function is_listed(member, times)
  local most = math.max(1000, 100000 / changes)
  return search(member, times, most) or size > most and search(member, -times, most)
end

local is_freeing, older, newer, inserted = false, 0, 0, 0
local earliest, heads = math.huge, {}

-- Comes before the first write. It cuts nothing off, but counts as freeing memory: without memory, Redis refuses the
-- first write of a script unless it frees memory, and then lets the rest pass.
local function free_first()
  if not is_freeing then
    is_freeing = true
    redis.call('LTRIM', ordering, 0, -1)
  end
end

local function insert(place, member)
  size = redis.call('LLEN', ordering)
  -- LINSERT scans the list from the oldest entry on.
  if place >= size or place > 200000 then
    redis.call('RPUSH', ordering, member)
    return
  end
  local entry = redis.call('LINDEX', ordering, place)
  redis.call('LSET', ordering, place, MARKER)
  redis.call('LINSERT', ordering, 'BEFORE', MARKER, member)
  redis.call('LSET', ordering, place + 1, entry)
  inserted = inserted + 1
end

-- Makes one change. Returns what became of it.
local function amend(member, becomes, score, new_score, seen, other, action, quarantined, times)
  local held = redis.call('ZSCORE', timeouts, member)
  -- Commands spell one score in several ways, as 4.6e+18 or with all digits.
  if score == '' and held or score ~= '' and not held
    or score ~= '' and score ~= '*' and tonumber(held) ~= tonumber(score)
    or becomes ~= member and redis.call('ZSCORE', timeouts, becomes)
    or quarantined == 'out' and not redis.call('ZSCORE', quarantine, member) then
    return 'changed'
  end
  local place
  if seen == '-' then
    if is_listed(member, 1) or tonumber(action) and is_near(member, tonumber(action)) then
      return 'changed'
    end
  elseif seen == 'last' then
    place = search(member, -1, allowance)
  elseif seen ~= '' then
    place = find(member, tonumber(seen))
  end
  if seen ~= '' and seen ~= '-' and not place then
    return 'lost'
  end
  if other ~= '' then
    local second = find(member, tonumber(other))
    if not second or second == place then
      return 'lost'
    end
  end
  if place and tonumber(action) and is_listed(member, tonumber(times)) then
    return 'changed'
  end
  local joins = quarantined ~= '' and quarantined ~= 'out'
  if joins then
    local kept = redis.call('ZCARD', quarantine)
    if kept >= MOST_KEPT or kept * #member > KEPT_BYTES then
      return 'full'
    end
  end

  free_first()
  if new_score == '=' then
    new_score = held or ''
  end
  if held and (becomes ~= member or new_score == '') then
    redis.call('ZREM', timeouts, member)
  end
  if new_score ~= '' and (new_score ~= held or becomes ~= member) then
    redis.call('ZADD', timeouts, new_score, becomes)
    local due, was = tonumber(new_score), tonumber(held)
    -- Redisson never moves a member with a negative score, so any other due time is earlier.
    if not was or due < was or was < 0 then
      if due < earliest then
        earliest, heads = due, {}
      end
      if due == earliest then
        heads[#heads + 1] = becomes
      end
    end
  end
  if action == 'remove' then
    redis.call('LSET', ordering, place, MARKER)
    older, newer = 2 * place < size and older + 1 or older, 2 * place < size and newer or newer + 1
  elseif action == 'write' then
    redis.call('LSET', ordering, place, becomes)
  elseif action == 'push' then
    redis.call('RPUSH', ordering, member)
  elseif action ~= '' then
    insert(tonumber(action), member)
  end
  if joins then
    redis.call('ZADD', quarantine, quarantined, member)
  elseif quarantined == 'out' then
    redis.call('ZREM', quarantine, member)
  end
  return 'done'
end

local outcomes = {}
for i = 2, #ARGV, FIELDS do
  outcomes[#outcomes + 1] = amend(unpack(ARGV, i, i + FIELDS - 1))
end
if older > 0 then
  redis.call('LREM', ordering, older, MARKER)
end
if newer > 0 then
  redis.call('LREM', ordering, -newer, MARKER)
end
local left, again = string.match(inserted > 0 and redis.call('HGET', state, 'untidy') or '', '^(%d+)(%+?)$')
if left then
  redis.call('HSET', state, 'untidy', string.format('%.0f', left + inserted) .. again)
end

if #heads > 0 and is_head(earliest, unpack(heads)) then
  publish(channel, score_ms(earliest))
end
return outcomes
