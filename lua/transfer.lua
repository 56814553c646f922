-- transfer: move what is due to the target list, return what a dead client had claimed, remove what expired, set
-- aside what cannot be read, say when to come back.
-- Redisson: RedissonDelayedQueue.pushTaskAsync (4.7.0), but everything is checked before the first
-- write, so that one bad member neither stops the others nor delivers them twice.
--
-- KEYS[1] list    <name>                                 the target queue: payloads that are due
-- KEYS[2] zset    redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[3] list    redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[4] zset    rdq1_quarantine:{<name>}               unreadable member -> the due time it had
-- KEYS[5] zset    rdq1_leases:{<name>}                   lease -> when it runs out, unix ms
-- KEYS[6] hash    rdq1_state:{<name>}                    its field paused says that the queue is; for untidy see
--                                                        prelude_tidy
-- KEYS[7] zset    rdq1_periodic_due:{<name>}             periodic offer -> its next occurrence, unix ms
-- KEYS[8] hash    rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[9] zset    rdq1_keyed_due:{<name>}                key -> when to look whether its member is there
-- KEYS[10] hash   rdq1_counts:{<name>}                   its field expired counts what came too late, until none
--                                                        did for a week
-- ARGV[1] clock, unix us, or '' for Redis's own          ARGV[2] most members to move, 0 to 1000; fewer if
--                                                        they are large, but one at least
-- ARGV[3] how far ahead to look for unreadable members, ms; 0 for not at all, and not to sweep KEYS[8]
-- ARGV[4] the members that come first in KEYS[2] and where they stood in KEYS[3], packed (see check), or ''
-- ARGV[5] channel rdq1_moved.<database>:{<name>} to tell the other clients on, or '' to tell nobody
-- ARGV[6] 16 hex digits: who runs this                  ARGV[7] 1 if callers take from it there, else 0
-- ARGV[8] how many elements callers wait for there      ARGV[9] who waits for elements elsewhere, the one to
--                                                        be called first in front, 16 hex digits each
-- ARGV[10] the score of a large member as KEYS[2] spells it, or ''
--
-- Returns { moved, us until the head is due or -1 for no head, Redis's clock in unix us, how many
-- payloads a taker could claim now, { how many unreadable members were taken out, how many of these did not
-- fit into KEYS[4], { the first of them, as far as they are small, ... }, 1 if KEYS[3] may hold some that were
-- taken out else 0 }, { expired member, ... }, 1 while paused else 0, us until the next occurrence of a periodic
-- offer or -1 for none or for a run that does not look ahead, how many are due and were left because to find
-- them in KEYS[3] would have taken long, 1 if those of ARGV[4] had moved else 0, 1 if what left is what ARGV[4]
-- begins with else 0, what to pass as ARGV[10] next }. While the queue is paused nothing is moved or claimable, and
-- there is no head to come back for.
-- Publishes after a move, and when there is something to claim for one of those who wait elsewhere: 'moved',
-- ARGV[6], ARGV[7], how many were moved, Redis's clock in unix us, when the head is due in unix ms or -,
-- how many payloads could be claimed elsewhere, and so many of ARGV[9]; see src/delivery/peers/message.rs.
-- Cost O(M log N + L): M moved, returned or unreadable, at most some 4,000; L the length of KEYS[3] if some are
-- neither its oldest nor its newest.
local target, timeouts, ordering, quarantine = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local leases, state, periodic_due, counts = KEYS[5], KEYS[6], KEYS[7], KEYS[10]
local keyed, keyed_due = KEYS[8], KEYS[9]
local limit, ahead_ms, guesses = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local channel, mover, takes, wanted, waiting = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local known = ARGV[10]

local refused = unfit(target, 'list', 'RPUSH', 'LLEN')
  or unfit(timeouts, 'zset', 'ZRANGEBYSCORE', 'ZREM', 'ZSCORE', 'ZRANGE', 'ZCOUNT')
  or unfit(quarantine, 'zset', 'ZADD')
  or unfit(leases, 'zset', 'ZCOUNT') or unfit(state, 'hash', 'HMGET')
if refused then
  return refused
end

local server_now_us = server_us()
local server_now_ms = math.floor(server_now_us / 1000)
local ran_out = redis.call('ZCOUNT', leases, '-inf', '(' .. string.format('%.0f', server_now_ms))
refused = ran_out > 0 and (unfit(leases, 'zset', 'ZRANGE', 'ZREM') or unfit(target, 'list', 'LPUSH')
  or unfit(quarantine, 'zset', unpack(SET_ASIDE)))
if refused then
  return refused
end
local now_us = tonumber(ARGV[1]) or server_now_us
local now_ms = math.floor(now_us / 1000)
local now = string.format('%.0f', now_ms)

local held = redis.call('HMGET', state, 'paused', 'untidy')
local paused, untidy = held[1] and 1 or 0, held[2]

-- A run reads about so many bytes of members, and takes out about so many unreadable ones.
local MOST_BYTES, MOST_UNREADABLE = 4194304, 1500
local due, payloads, unreadable = {}, {}, {}
-- A member that was read, stays and is large, and whether a large one left.
local large, has_large_left = nil, false
-- Sorts out the members with scores from `first` to `last`, until `most` of them can be read. It reads in
-- portions, which grow while members are small: a member may have 64 MB, and Redis says no sizes beforehand.
local function sort_out(first_score, last_score, most, deliver)
  local portion, looked_at, readable, bytes = math.min(2, most), 0, 0, 0
  while portion > 0 do
    local found = redis.call('ZRANGEBYSCORE', timeouts, first_score, last_score, 'LIMIT', looked_at, portion)
    for _, member in ipairs(found) do
      bytes = bytes + #member
      local first, last = payload_places(member)
      if not first then
        unreadable[#unreadable + 1] = member
      else
        readable = readable + 1
        if not deliver and #member >= LARGE then
          large = large or member
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
    local wanted = most - readable
    if readable < looked_at then
      -- Unreadable ones lie in front of the readable ones: in small portions they would take long.
      wanted = math.min(math.max(wanted, 100), 500)
    end
    portion = math.min(4 * portion, wanted, math.ceil((MOST_BYTES - bytes) * looked_at / math.max(bytes, 1)))
  end
end
-- The same for members that stay. Passes over the one that is known to be large, and what is due with it.
local function look_through(first_score, from_ms, last_ms, most)
  local last_score = string.format('%.0f', last_ms)
  local known_ms = tonumber(known)
  if known_ms and known_ms > from_ms and known_ms <= last_ms then
    sort_out(first_score, '(' .. known, most, false)
    first_score = '(' .. known
  end
  sort_out(first_score, last_score, most, false)
end
-- From -inf, for a foreign negative score is due as well; Redisson starts at 0 and spins on one.
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
  or #unreadable > 0 and (unfit(timeouts, 'zset', 'ZMSCORE') or unfit(quarantine, 'zset', unpack(SET_ASIDE)))
  or tidies and unfit(state, 'hash', 'HSET', 'HDEL')
if refused then
  return refused
end
if ran_out > 0 then
  ran_out = ran_out - return_leases(target, leases, quarantine, server_now_ms)
end
local moved, expired, unplaced, had_moved, came_first = {}, {}, 0, false, true
if #due > 0 then
  local count, places, size, entry
  count, places, size, had_moved, came_first, entry = locate(ordering, due, guesses, known ~= '')
  large = large or entry
  for i = 1, count do
    local member = due[i]
    has_large_left = has_large_left or #member >= LARGE
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
  -- ZREM first: what frees memory is allowed while there is none, and then the rest is, too.
  redis.call('ZREM', timeouts, unpack(due, 1, count))
  if #moved > 0 then
    redis.call('RPUSH', target, unpack(moved))
  end
  leave(ordering, due, count, places, size)
  if #expired > 0 then
    -- What is no number there must not fail what stands.
    redis.pcall('HINCRBY', counts, 'expired', #expired)
    redis.call('PEXPIRE', counts, 604800000)
  end
  if count < #due then
    unplaced = redis.call('ZCOUNT', timeouts, '-inf', now)
  end
end
local dropped = 0
if #unreadable > 0 then
  -- What blocks goes first, all of it at once, and then what is left of it in the ordering list.
  local scores = redis.call('ZMSCORE', timeouts, unpack(unreadable))
  redis.call('ZREM', timeouts, unpack(unreadable))
  dropped = set_aside(quarantine, unreadable, scores)
  untidy = unlist_unreadable(ordering, state, untidy, unreadable)
end
if untidy and limit > 0 and not is_cut then
  untidy = tidy(ordering, timeouts, state, untidy)
end
local quarantined = { #unreadable, dropped, #unreadable > 0 and first_few(unreadable) or {}, untidy and 1 or 0 }
if ahead_ms > 0 and not (unfit(keyed, 'hash', unpack(SWEEP)) or unfit(keyed_due, 'zset', unpack(SWEEP_DUE))) then
  sweep_keyed(keyed, keyed_due, timeouts, now_ms, 100)
  keep_while_pending(keyed, keyed_due, timeouts, now_ms)
end
local occurs_us = -1
if ahead_ms > 0 then
  -- Not checked before, for a key of another type must not stop the transfer; firing reports it.
  local first = redis.pcall('ZRANGE', periodic_due, 0, 0, 'WITHSCORES')
  if first.err then
    occurs_us = 0
  else
    occurs_us = us_until(first[2], now_us)
  end
end
if large then
  -- None of one that left, or that only the ordering list has.
  known = redis.call('ZSCORE', timeouts, large) or known
end
if paused == 1 then
  return { 0, -1, server_now_us, 0, quarantined, {}, paused, occurs_us, 0, 0, 1, known }
end

-- As in lua/transfer_rest.lua.
local head
local known_ms = tonumber(known)
local is_known_due = known_ms and known_ms * 1000 <= now_us
-- One that is due leaves behind all that were due before it, and until then it is not to be read again.
local may_stand = #due > 0 and (#due >= limit or #moved + #expired < #due) and not has_large_left
if not known_ms or is_known_due and not may_stand then
  known = ''
end
if known ~= '' and not is_known_due and redis.call('EXISTS', timeouts) == 1
  and redis.call('ZCOUNT', timeouts, '-inf', '(' .. known) == 0 then
  head = known
else
  local first = redis.call('ZRANGE', timeouts, 0, 0, 'WITHSCORES')
  head = first[2]
  if head and #first[1] >= LARGE then
    known = head
  end
end
local claimable = redis.call('LLEN', target) + ran_out
local spare = math.max(0, claimable - tonumber(wanted))
local called = string.sub(waiting, 1, 16 * spare)
if channel ~= '' and (#moved > 0 or called ~= '') then
  local due_ms = head and string.format('%.0f', score_ms(head)) or '-'
  -- Last, and a missing right fails nothing: without it every client moves and claims for itself.
  redis.pcall('PUBLISH', channel, string.format('moved %s %s %.0f %.0f %s %.0f %s', mover, takes, #moved,
    server_now_us, due_ms, spare, called))
end
return {
  #moved, us_until(head, now_us), server_now_us, claimable, quarantined, expired, paused, occurs_us, unplaced,
  had_moved and 1 or 0, came_first and 1 or 0, known,
}
