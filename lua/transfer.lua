-- transfer: move due elements to the target queue, return payloads whose leases ran out, remove elements that
-- expired, set aside members that cannot be read, and say when to come back. lua/transfer_rest.lua runs in front of it.
-- Redisson: RedissonDelayedQueue.pushTaskAsync (4.7.0), but this checks everything before the first write, so one bad
-- member neither stops the others nor delivers them twice.
-- uses: check, clock, keyed, leave, member, places, quarantine, return, score, steady, tidy
--
-- KEYS[1] target       list   <name>                                 the target queue: payloads that are ready
-- KEYS[2] timeouts     zset   redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[3] ordering     list   redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[4] quarantine   zset   rdq1_quarantine:{<name>}               unreadable member -> the score that it had
-- KEYS[5] leases       zset   rdq1_leases:{<name>}                   origin -> when its lease runs out, unix ms
-- KEYS[6] state        hash   rdq1_state:{<name>}                    `paused`; `untidy`, see lib/tidy.lua
-- KEYS[7] periodic_due zset   rdq1_periodic_due:{<name>}             name -> its next occurrence, unix ms
-- KEYS[8] keyed        hash   rdq1_keyed:{<name>}                    key -> packed member that was offered under it
--                                                                    last
-- KEYS[9] keyed_due    zset   rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- KEYS[10] counts      hash   rdq1_counts:{<name>}                   its field `expired` counts elements that came too
--                                                                    late, until none did for a week
-- KEYS[11] clock       string rdq1_clock:{<name>}                    the clock by which leases end (see lib/steady.lua)
-- KEYS[12] deliveries  hash   rdq1_deliveries:{<name>}               origin -> payload
-- ARGV[1]  clock_us     number  clock, unix us, or '' for Redis's own
-- ARGV[2]  limit        number  most members to move, 0 to 1000; fewer if they are large, but at least one
-- ARGV[3]  ahead_ms     number  how far ahead to look for unreadable members, ms; 0 for not at all, and not to sweep
--                               `keyed`
-- ARGV[4]  guesses      text    the members that come first in `timeouts` and where they stood in `ordering` (see
--                               lib/places.lua), or ''
-- ARGV[5]  channel      text    channel rdq1_moved.<database>:{<name>} to tell the other clients on, or '' to tell
--                               nobody
-- ARGV[6]  mover        text    16 hex digits: who runs this
-- ARGV[7]  takes        text    1 if callers take from the queue there, else 0; the message repeats it
-- ARGV[8]  wanted       number  how many elements callers wait for there
-- ARGV[9]  waiting      text    who waits for elements elsewhere, the one to be called first in front, 16 hex digits
--                               each
-- ARGV[10] bulky_score  text    the score of a bulky member as `timeouts` spells it, or '' (see lib/places.lua)
-- ARGV[11] measures     flag    to measure
--
-- Returns a table with these fields, named as in `Transferred` of src/wire/script/transfer.rs:
--    1 moved        how many elements it moved
--    2 head_us      us until the head is due; -1 if there is no head, or while paused
--    3 server_us    Redis's clock, unix us
--    4 claimable    how many payloads a taker could claim now; 0 while paused
--    5 quarantined  the unreadable members that it took out, and entries of `leases` that were no tokens
--                   (lib/quarantine.lua)
--    6 expired      { expired member, ... }
--    7 is_paused    1 or 0; while paused it moves nothing
--    8 occurs_us    us until the next occurrence of a periodic offer; -1 for none, or if it did not look ahead
--    9 unplaced     how many due members stay, because finding them in `ordering` would take long
--   10 had_moved    1 if members no longer stood where `guesses` put them, else 0
--   11 came_first   1 if the members that left are the first ones in `guesses`, else 0
--   12 bulky_score  `bulky_score` for the next run
--   13 lateness_us  { how long after its due time an element was moved, us, ... }; {} unless it measures
--   14 pending      how many members `timeouts` has now; -1 unless it measures
--   15 ran_out      how many leases ran out that this run did not return, because it returned many
--   16 is_untidy    1 if `ordering` may hold unreadable members, else 0
--
-- Publishes on `channel` if it moved something, or if a client in `waiting` has something to claim. The words of the
-- message, which src/delivery/peers/message.rs reads, are
--   'moved'
--   `mover`
--   `takes`
--   how many elements it moved
--   Redis's clock, unix us
--   when the head is due, unix ms, or '-' if there is no head
--   N, how many payloads other clients could claim
--   the first N clients of `waiting`
--
-- Cost O(M log N + L): M moved, returned or unreadable, at most some 4,000; L the length of `ordering`, if some of
-- them are neither its oldest nor its newest entries.

local refused = unfit(target, 'list', 'RPUSH', 'LLEN')
  or unfit(timeouts, 'zset', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE', 'ZRANGE', 'ZCOUNT')
  or unfit(quarantine, 'zset', 'ZADD')
  or unfit(leases, 'zset', 'ZCOUNT') or unfit(state, 'hash', 'HMGET')
if refused then
  return refused
end

local server_now_us = server_us()
-- The time by which leases end.
local steady_ms = math.floor((server_now_us + steady(server_now_us)) / 1000)
local ran_out, unreturnable = ran_out_before(steady_ms)
if unreturnable then
  return unreturnable
end
local now_us = clock_us or server_now_us
local now_ms = math.floor(now_us / 1000)
local now = string.format('%.0f', now_ms)

local held = redis.call('HMGET', state, 'paused', 'untidy')
local paused, untidy = held[1] and 1 or 0, held[2]

-- A run reads about MOST_BYTES of members, and takes out about MOST_UNREADABLE of them.
local MOST_BYTES, MOST_UNREADABLE = 4194304, 1500
local due, payloads, unreadable = {}, {}, {}
-- `bulky` is a bulky member that was read and stays. `has_bulky_left` says whether a bulky member left.
local bulky, has_bulky_left = nil, false
-- Sorts the members with scores from `first_score` to `last_score` into `due`, `payloads` and `unreadable`, until it
-- has found `most` readable ones. It reads in portions, which grow while members are small: a member may have 64 MB,
-- and Redis says no sizes beforehand. They grow to 64 at most, since large members may follow small ones.
local function sort_out(first_score, last_score, most, deliver)
  local portion, looked_at, readable, bytes = math.min(2, most), 0, 0, 0
  while portion > 0 do
    local found = redis.call('ZRANGEBYSCORE', timeouts, first_score, last_score, 'LIMIT', looked_at, portion)
    for _, member in ipairs(found) do
      if bytes >= MOST_BYTES then
        return
      end
      bytes = bytes + #member
      local first, last = payload_places(member)
      if not first then
        unreadable[#unreadable + 1] = member
      else
        readable = readable + 1
        if not deliver and #member >= BULKY then
          bulky = bulky or member
        elseif deliver and readable <= most then
          due[#due + 1] = member
          if (expires_of(member) or now_ms) >= now_ms then
            payloads[member] = string.sub(member, first, last)
          end
        end
      end
    end
    looked_at = looked_at + #found
    if #found < portion or readable >= most or bytes >= MOST_BYTES or #unreadable >= MOST_UNREADABLE then
      return
    end
    local missing = most - readable
    if readable < looked_at then
      -- Unreadable members come before the readable ones, and small portions would take long to pass them.
      missing = math.min(math.max(missing, 100), 500)
    end
    portion = math.min(4 * portion, 64, missing, math.ceil((MOST_BYTES - bytes) * looked_at / math.max(bytes, 1)))
  end
end
-- The same for members that stay. Passes over the member that is known to be bulky, and those due with it.
local function look_through(first_score, from_ms, last_ms, most)
  local last_score = string.format('%.0f', last_ms)
  local known_ms = tonumber(bulky_score)
  if known_ms and known_ms > from_ms and known_ms <= last_ms then
    sort_out(first_score, '(' .. bulky_score, most, false)
    first_score = '(' .. bulky_score
  end
  sort_out(first_score, last_score, most, false)
end
-- From -inf, because a foreign negative score is due as well. Redisson starts at 0 and spins on such a score.
if paused == 0 then
  sort_out('-inf', now, limit, true)
else
  look_through('-inf', -math.huge, now_ms, limit)
end
local is_cut = #unreadable >= MOST_UNREADABLE
if ahead_ms > 0 and not is_cut then
  look_through('(' .. now, now_ms, now_ms + ahead_ms, 100)
end

local tidies = #unreadable > 0 or untidy and limit > 0
refused = (#due > 0 or tidies) and unfit(ordering, 'list', unpack(LEAVE))
  or #unreadable > 0 and unfit(quarantine, 'zset', unpack(SET_ASIDE))
  or tidies and (unfit(timeouts, 'zset', 'ZMSCORE') or unfit(state, 'hash', 'HSET', 'HDEL'))
if refused then
  return refused
end
local moved, expired, unplaced, had_moved, came_first = {}, {}, 0, false, true
local count, places, size = 0
if #due > 0 then
  local entry
  count, places, size, had_moved, came_first, entry = locate(due, guesses, bulky_score ~= '')
  bulky = bulky or entry
  for i = 1, count do
    local member = due[i]
    has_bulky_left = has_bulky_left or #member >= BULKY
    if member == bulky then
      bulky = nil
    end
    if payloads[member] then
      moved[#moved + 1] = payloads[member]
    else
      expired[#expired + 1] = member
    end
  end
  refused = #expired > 0 and unfit(counts, 'hash', 'HINCRBY', 'PEXPIRE')
  if refused then
    return refused
  end
end

local strangers, dropped = {}, 0
if ran_out > 0 then
  local returned
  strangers, dropped, returned = return_leases(steady_ms)
  ran_out = ran_out - returned
end
local lateness_us = {}
if #due > 0 then
  if measures and #moved > 0 then
    -- If the right is missing, elements move unmeasured.
    local scores = redis.pcall('ZMSCORE', timeouts, unpack(due, 1, count))
    for i = 1, scores.err and 0 or count do
      if payloads[due[i]] then
        lateness_us[#lateness_us + 1] = now_us - score_ms(scores[i]) * 1000
      end
    end
  end
  -- Frees memory first; see lib/check.lua.
  redis.call('ZREM', timeouts, unpack(due, 1, count))
  if #moved > 0 then
    redis.call('RPUSH', target, unpack(moved))
  end
  leave(due, count, places, size)
  if #expired > 0 then
    -- If the field is no number this fails, and the move must stand all the same.
    redis.pcall('HINCRBY', counts, 'expired', #expired)
    redis.call('PEXPIRE', counts, 604800000)
  end
  if count < #due then
    unplaced = redis.call('ZCOUNT', timeouts, '-inf', now)
  end
end
if #unreadable > 0 then
  -- They leave the timeout set, where they block others, all at once, and then the ordering list.
  local scores = redis.call('ZMSCORE', timeouts, unpack(unreadable))
  redis.call('ZREM', timeouts, unpack(unreadable))
  dropped = dropped + set_aside(unreadable, scores)
  untidy = unlist_unreadable(untidy, unreadable)
end
if untidy and limit > 0 and not is_cut then
  untidy = tidy(untidy)
end
for _, stranger in ipairs(strangers) do
  unreadable[#unreadable + 1] = stranger
end
local quarantined, is_untidy = taken_out(unreadable, dropped), untidy and 1 or 0
if ahead_ms > 0 and not (unfit(keyed, 'hash', unpack(SWEEP)) or unfit(keyed_due, 'zset', unpack(SWEEP_DUE))) then
  sweep_keyed(now_ms, 100)
  keep_while_pending(now_ms)
end
local occurs_us = -1
if ahead_ms > 0 then
  -- Not checked before: a key of another type must not stop the transfer. The script that fires reports it.
  local first = redis.pcall('ZRANGE', periodic_due, 0, 0, 'WITHSCORES')
  if first.err then
    occurs_us = 0
  else
    occurs_us = us_until(first[2], now_us)
  end
end
if bulky then
  -- A member that left, or that only the ordering list has, has no score.
  bulky_score = redis.call('ZSCORE', timeouts, bulky) or bulky_score
end
-- Without failing for a missing right, since elements may have moved.
local pending = measures and tonumber(redis.pcall('ZCARD', timeouts)) or -1
if paused == 1 then
  return { 0, -1, server_now_us, 0, quarantined, {}, paused, occurs_us, 0, 0, 1, bulky_score, {}, pending, ran_out,
    is_untidy }
end

-- lua/transfer_rest.lua explains why the bulky member is not read.
local head
local known_ms = tonumber(bulky_score)
local is_known_due = known_ms and known_ms * 1000 <= now_us
-- A bulky member that is due leaves after all that were due before it, and is not read again until then.
local may_stand = #due > 0 and (#due >= limit or #moved + #expired < #due) and not has_bulky_left
if not known_ms or is_known_due and not may_stand then
  bulky_score = ''
end
if bulky_score ~= '' and not is_known_due and redis.call('ZCOUNT', timeouts, '-inf', '+inf') > 0
  and redis.call('ZCOUNT', timeouts, '-inf', '(' .. bulky_score) == 0 then
  head = bulky_score
else
  local first = redis.call('ZRANGE', timeouts, 0, 0, 'WITHSCORES')
  head = first[2]
  if head and #first[1] >= BULKY then
    bulky_score = head
  end
end
local claimable = redis.call('LLEN', target) + ran_out
local spare = math.max(0, claimable - wanted)
local called = string.sub(waiting, 1, 16 * spare)
if channel ~= '' and (#moved > 0 or called ~= '') then
  local due_ms = head and string.format('%.0f', score_ms(head)) or '-'
  -- Last, and without failing for a missing right: then every client moves and claims for itself.
  redis.pcall('PUBLISH', channel, string.format('moved %s %s %.0f %.0f %s %.0f %s', mover, takes, #moved,
    server_now_us, due_ms, spare, called))
end
return {
  #moved, us_until(head, now_us), server_now_us, claimable, quarantined, expired, paused, occurs_us, unplaced,
  had_moved and 1 or 0, came_first and 1 or 0, bulky_score, lateness_us, pending, ran_out, is_untidy,
}
