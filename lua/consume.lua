-- consume: lease payloads to one worker whose callers acknowledge them. Deliveries that wait for another attempt go
-- first.
-- Redisson: none; RReliableQueue of Redisson PRO has acknowledgement, in keys of its own.
-- uses: bury, check, clock, delivery, front, groups, notes, pace, quarantine, steady
--
-- KEYS[1] target          list   <name>                            the target queue: payloads that are ready
-- KEYS[2] deliveries      hash   rdq1_deliveries:{<name>}          origin -> payload
-- KEYS[3] delivery_leases zset   rdq1_delivery_leases:{<name>}     token -> when its lease runs out, unix ms
-- KEYS[4] retries         zset   rdq1_retries:{<name>}             token -> when the next attempt is due, unix ms
-- KEYS[5] state           hash   rdq1_state:{<name>}               whether the queue is paused, and how fast it lets
--                                                                  elements go
-- KEYS[6] dead            list   <dead letters>                    payloads that nobody could handle
-- KEYS[7] dead_notes      list   rdq1_dead_notes:{<dead letters>}  a note about each of these
-- KEYS[8] groups          hash   rdq1_groups:{<name>}              group -> origin of the delivery that holds it
-- KEYS[9] grouped         zset   rdq1_grouped:{<name>}             deliveries that wait for their groups
-- KEYS[10] fence          string rdq1_fence:{<name>}               the last fence
-- KEYS[11] clock          string rdq1_clock:{<name>}               the clock by which leases end (see lib/steady.lua)
-- ARGV[1]  most            number  most payloads to lease, at most 1000
-- ARGV[2]  lease_ms        number  how long the leases last, ms
-- ARGV[3]  claimant        text    16 bytes: the worker's incarnation and the number of this claim
-- ARGV[4]  most_bytes      number  how many bytes of payload the reply may hold; the last payload may exceed it
-- ARGV[5]  ahead           number  how many more payloads to lease if the rate is not limited; at most 1000 in all
-- ARGV[6]  large_from      number  a payload of more bytes than this is large: it is leased, and the client fetches it
--                                  later
-- ARGV[7]  bytes_a_ms      number  the lease of a large payload lasts 1 ms longer for so many bytes
-- ARGV[8]  portion         number  most payloads to read at a time; 1 where large ones may come
-- ARGV[9]  leaves_large    flag    to lease no large payload
-- ARGV[10] delivery_limit  number  the most attempts at a delivery
-- ARGV[11] name            text    what users call the queue
-- ARGV[12] grouping        text    'p' to handle elements in parallel, 's' one at a time, 'k' one at a time for each
--                                  key
-- ARGV[13] compute_ms      number  how long the leases of payloads last while their keys are computed, ms; with a large
--                                  one, all of them last as its lease does
-- ARGV[14] most_waiting    number  how many deliveries may wait for their groups before no further payload is leased
--
-- lib/delivery.lua has the layout of origins and tokens, lib/groups.lua that of groups. A delivery that had its last
-- attempt goes to the dead letters instead of being leased again. With 'k', the worker computes the keys of what it
-- gets without a group, and calls `join`. Until then nobody else gets such a payload. If the worker dies, the payloads
-- are claimed again in the same order.
--
-- Returns a list of
--   { payload, ... }, without that of a large one
--   { origin, attempt, group, ... }, for each of the first payloads, which were claimed before. Every other payload is
--     at its first attempt, and its origin is `claimant`, its place among all that were leased now, and now in unix ms.
--   us until the rate allows the next one: 0 for now, -1 while paused
--   1 if more may be there, else 0
--   {} without a large payload, { bytes, 1 } if one was leased, as the last of all, { bytes } if one was left where it
--     is
--   now, unix ms
--   us until time alone brings something to claim, -1 for never
--   { token, reason, ... }, for each delivery that went to the dead letters
--   the fence of the first payload; that of each further one is higher by 1
--   how many dead letters there are
--   what it took out because it was no token (lib/quarantine.lua)
-- Cost O(M log L): L leases, retries and waiting deliveries, M leased. With 'k', the first claim after a worker died
-- also reads and sorts up to 5,000 leases that have ended.
local one_at_a_time, by_key = grouping == 's', grouping == 'k'
-- Consumers in parallel meet groups only after others that had some.
local has_groups = one_at_a_time or by_key or redis.call('EXISTS', groups) == 1

local refused = unfit(target, 'list', 'LRANGE', 'LTRIM', 'LLEN')
  or unfit(deliveries, 'hash', 'HGET', 'HSTRLEN', 'HSET', 'HDEL')
  or unfit(delivery_leases, 'zset', 'ZRANGEBYSCORE', 'ZRANGE', 'ZADD', 'ZREM')
  or unfit(retries, 'zset', 'ZRANGEBYSCORE', 'ZRANGE', 'ZREM')
  or unfit(state, 'hash', 'HMGET', 'HSET')
  or unfit(dead, 'list', 'RPUSH', 'LLEN', 'LINDEX')
  or unfit(dead_notes, 'list', 'RPUSH', 'LLEN', 'LINDEX', 'LRANGE', 'LTRIM')
  or has_groups and (unfit(groups, 'hash', 'HGET', 'HSET', 'HSETNX', 'HEXISTS', 'HDEL')
    or unfit(grouped, 'zset', 'ZADD', 'ZCARD', 'ZRANGEBYLEX', 'ZREM') or unfit(retries, 'zset', 'ZADD')
    or unfit(fence, 'string', 'GET', 'SET'))
if refused then
  return refused
end

local now_us = server_us()
local now_ms = math.ceil(now_us / 1000)
-- The time by which leases and retries end.
local ahead_us, keep_clock = steady(now_us)
local steady_us = now_us + ahead_us
local steady_ms = math.ceil(steady_us / 1000)
local allowed, taken = admit(most, now_us, ahead)
if one_at_a_time then
  allowed = math.min(allowed, 1)
end
local give_number, keep_number = numbers(now_us)
local claim = begin_claim(allowed, most_bytes)
-- The leased payloads, with those first that were claimed before. `again` is about these only.
local payloads, stored, tokens, again = {}, {}, {}, {}
-- Until when a worker computes keys, mostly another one, and until when this one will for this claim.
local others_sort_ms = by_key and sorting_until(
  steady_ms, math.max(lease_ms, compute_ms) + math.ceil(LARGEST / bytes_a_ms))
local sorting_ms
-- The places in this claim of what it has unsorted.
local unsorted = {}
local deadline_ms = steady_ms + lease_ms
local deadline = string.format('%.0f', deadline_ms)
local function lease(origin, attempt, size, payload, group)
  local place, at_ms = claim.count, deadline_ms
  if size > large_from then
    at_ms = at_ms + math.ceil(size / bytes_a_ms)
    claim.large = { size, 1 }
  else
    if by_key and group == '' then
      at_ms = math.min(at_ms, steady_ms + compute_ms)
    end
    payloads[place + 1] = payload
  end
  local at = deadline
  if by_key and group == '' then
    -- They end together, at the latest of these.
    sorting_ms = math.max(sorting_ms or 0, at_ms)
    unsorted[#unsorted + 1] = place
  elseif at_ms ~= deadline_ms then
    at = string.format('%.0f', at_ms)
  end
  tokens[2 * place + 1] = at
  tokens[2 * place + 2] = origin .. claimant .. struct.pack('>HH', place, attempt) .. group
  claim.count = place + 1
  claim.bytes = claim.bytes + size
end

-- The tokens of deliveries that went to the dead letters, each with the reason; how many these are, and their bytes.
local buried, buried_count, buried_bytes = {}, 0, 0
-- How many left the set without a lease, because somebody deleted them or because they wait for their group now.
local dropped = 0
-- How many stay where they are, because another worker computes keys.
local skipped = 0
-- How many are leased again for a first attempt, since no caller has seen them. The rate limit has counted them before.
local paid = 0
-- Takes the token of a delivery out of its set and leases the delivery again, unless another one holds its group.
local function lease_one_again(KEY, token, attempt, size, group)
  local origin = origin_of(token)
  -- Frees memory first; see lib/check.lua.
  redis.call('ZREM', KEY, token)
  local payload = size <= large_from and redis.call('HGET', deliveries, origin)
  local is_gone = not payload and size <= large_from
  if is_gone or group ~= group_of(token) then
    release_group(token, steady_ms)
  end
  if is_gone then
    -- Somebody deleted the delivery and left its token.
    remove_payload(origin)
    dropped = dropped + 1
  elseif group ~= group_of(token) and group ~= '' and redis.call('HSETNX', groups, group, origin) == 0 then
    await(group, give_number(1), at_attempt(token, attempt - 1))
    dropped = dropped + 1
  else
    again[#again + 1], again[#again + 2], again[#again + 3] = origin, attempt, group
    paid = paid + (attempt == 1 and 1 or 0)
    lease(origin, attempt, size, payload, group)
  end
end
-- Deals with a token whose time has come. Returns false if it stays for the next claim.
local function lease_token(KEY, token, reason)
  local origin, attempt, group = origin_of(token), attempt_of(token) + 1, group_of(token)
  local size = redis.call('HSTRLEN', deliveries, origin)
  if one_at_a_time then
    group = EVERYTHING
  elseif by_key and group == EVERYTHING then
    group = ''
  end
  local late = attempt > delivery_limit and late_claims(origin) or 0
  attempt = math.max(1, attempt - late)
  if attempt > delivery_limit then
    redis.call('ZREM', KEY, token)
    if bury(token, now_ms, name, reason) then
      buried[#buried + 1], buried[#buried + 2] = token, reason
    end
    release_group(token, steady_ms)
    buried_count, buried_bytes = buried_count + 1, buried_bytes + size
  elseif size > large_from and leaves_large then
    claim.large = { size }
    return false
  elseif by_key and group == '' and others_sort_ms then
    skipped = skipped + 1
  else
    lease_one_again(KEY, token, attempt, size, group)
    if late > 0 then
      forget_late(origin)
    end
  end
  return true
end
-- The entries that were no tokens. Nobody needs them, so they are dropped.
local strangers = {}
-- Leases the deliveries again whose tokens have scores up to `latest`. Those that had their last attempt go to the dead
-- letters for this reason. Returns false if it left some for the next claim, besides those that it skipped.
local function lease_again(KEY, latest, reason)
  local page, i, before = {}, 0, skipped
  local are_in_order = not by_key or others_sort_ms or KEY ~= delivery_leases
  while true do
    local passed = skipped - before
    if i == #page then
      page, i = redis.call('ZRANGEBYSCORE', KEY, '-inf', latest, 'LIMIT', passed, 100), 0
      if #page == 0 then
        return true
      end
    end
    if passed == 1000 then
      return true
    elseif not may_lease(claim) or buried_count + dropped >= 100 or buried_bytes >= 1000000 then
      return false
    end
    if not are_in_order and #page[i + 1] == UNGROUPED then
      -- A claim leaves at most 1,000 unsorted. Others may stand between these.
      page, i = in_order(redis.call('ZRANGEBYSCORE', KEY, '-inf', latest, 'WITHSCORES', 'LIMIT', 0, 5000)), 0
      are_in_order = true
    end
    i = i + 1
    local token = page[i]
    if is_token(token) then
      if not lease_token(KEY, token, reason) then
        return false
      end
    else
      redis.call('ZREM', KEY, token)
      strangers[#strangers + 1] = token
      dropped = dropped + 1
    end
  end
end

local is_more = not (
  lease_again(delivery_leases, '(' .. string.format('%.0f', steady_ms), 'the lease of the last attempt ended')
  and lease_again(retries, string.format('%.0f', steady_ms), 'no further attempt is allowed'))
-- Says whether this consumer must leave the target queue alone.
local function is_kept_off()
  if one_at_a_time then
    local holder = redis.call('HGET', groups, EVERYTHING)
    if holder and (#holder ~= ORIGIN or redis.pcall('HEXISTS', deliveries, holder) == 0) then
      -- Somebody deleted that delivery, or put anything there.
      redis.call('HDEL', groups, EVERYTHING)
      return false
    end
    return holder
  end
  return by_key and (others_sort_ms or redis.call('ZCARD', grouped) >= most_waiting)
end
local group = one_at_a_time and EVERYTHING or ''
local leased = 0
if not is_more and not is_kept_off() then
  leased = lease_front(false, portion, claim, function(payload)
    if #payload > large_from and leaves_large then
      claim.large = { #payload }
      return false
    end
    local origin = claimant .. struct.pack('>HL', claim.count, now_ms)
    stored[#stored + 1], stored[#stored + 2] = origin, payload
    lease(origin, 1, #payload, payload, group)
    return true
  end)
end

-- Asked before the list changes: a read afterwards would make Redis report every later change to this client.
local is_behind = skipped > 0 or redis.call('LLEN', target) > leased
if leased > 0 then
  redis.call('LTRIM', target, leased, -1)
end
local count = claim.count
local sorted_at = sorting_ms and string.format('%.0f', sorting_ms)
for _, place in ipairs(unsorted) do
  tokens[2 * place + 1] = sorted_at
end
store(delivery_leases, stored, tokens)
if one_at_a_time and stored[1] then
  redis.call('HSET', groups, EVERYTHING, stored[1])
elseif sorting_ms then
  redis.call('HSET', groups, 'sorting', string.sub(claimant, 1, 8) .. struct.pack('>L', sorting_ms))
end
if is_behind and is_kept_off() then
  -- Asking again is in vain until somebody calls for that. If Redis has no memory left it refuses this, and the
  -- consumer asks again by itself.
  redis.pcall('HSET', groups, 'wanted', 1)
else
  is_more = is_more or is_behind
end

trim_notes()

local first_fence = 0
if count > 0 and (one_at_a_time or by_key) then
  first_fence = give_number(count)
end
keep_number()
-- A lease has run out when its last millisecond has passed.
local lease_end_ms, retry_ms = earliest_ms(delivery_leases), earliest_ms(retries)
if count > 0 or retry_ms then
  -- A retry may be further away than Redis keeps the note.
  keep_clock()
end
local next_ms = math.min(lease_end_ms and lease_end_ms + 1 or math.huge, retry_ms or math.huge)
if others_sort_ms and is_behind then
  next_ms = skipped > 0 and others_sort_ms + 1 or math.min(next_ms, others_sort_ms + 1)
end
return {
  payloads, again, taken(count - paid), is_more and 1 or 0, claim.large, now_ms,
  next_ms < math.huge and math.max(0, next_ms * 1000 - steady_us) or -1, buried, first_fence,
  redis.call('LLEN', dead), taken_out(strangers, #strangers)
}
