-- offer: schedule values, all or none. Sending the same offer again while they are pending changes nothing.
-- lua/offer_one.lua runs in front of it, in one script.
-- Redisson: RedissonDelayedQueue.offerAsync (4.7.0), same effects in the same order, for one value.
-- uses: check, clock, head, member, score, settled
--
-- KEYS[1] timeouts zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled  zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- ARGV[1] clock_us        number  clock for the due times, unix us, or '' for Redis's own
-- ARGV[2] channel         text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key
--                                 right
-- ARGV[3] fresh_until_us  number  a first attempt that runs before this moment (unix us, Redis's clock) need not look
--                                 at `settled`
-- ARGV[4] write_until_us  number  an attempt that runs after this moment (unix us, Redis's clock) writes nothing
-- ARGV[5] remember_ms     number  how long `settled` shall remember the ids, ms; 0 for not at all
-- ARGV    from 6 on, for each value, at most 500, none twice: the packed member, and when it is due
--         (see lib/score.lua)
--
-- It does not write a member that is pending, or was before. It keeps unlisted members out of `ordering`.
--
-- Returns { how many it wrote or -1 for too late, us until the new head is due or -1 if none of them is the head,
-- Redis's clock in unix us }.
-- Cost O(M log N): M values.

local server_now_us = server_us()
local now_us = clock_us or server_now_us
if server_now_us > write_until_us then
  return { -1, -1, server_now_us }
end

local may_be_settled = server_now_us > fresh_until_us or remember_ms > 0
-- LLEN answers with a number and TYPE with a table, which costs more. Only a failure is worth a closer look.
local may_push = type(redis.pcall('LLEN', ordering)) == 'number'
  and redis.acl_check_cmd and redis.acl_check_cmd('RPUSH', ordering, '1')
local refused = not may_push and unfit(ordering, 'list', 'RPUSH')
  or may_be_settled and unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
if refused then
  return refused
end

-- Calls and tables for each value are the cost of an offer, so there are few. A score goes to Redis as a number, which
-- Redis writes in full and Lua would not. If several values in a row share a score, it is formatted once and goes as
-- text. `entries` are the scores and members as ZADD takes them.
local members, entries, count = {}, {}, 0
local any_marked = false
local last_wanted, last_due_ms, last_score
local first_ms = math.huge
for i = 6, #ARGV, 2 do
  local member, wanted = ARGV[i], ARGV[i + 1]
  if not (may_be_settled and redis.call('ZSCORE', settled, id_of(member))) then
    -- Only longer ids are marked; see lib/member.lua.
    local is_marked = string.byte(member) > 16
    any_marked = any_marked or is_marked
    local score, wrong
    if wanted == last_wanted and not is_marked then
      last_score = last_score or string.format('%.0f', last_due_ms)
      score = last_score
    else
      score, wrong = due_of(member, wanted, now_us)
      last_wanted, last_due_ms, last_score = score and wanted, score, nil
      first_ms = math.min(first_ms, score or first_ms)
    end
    if score then
      count = count + 1
      members[count] = member
      entries[2 * count - 1] = score
      entries[2 * count] = member
    elseif type(redis.pcall('ZSCORE', timeouts, member)) ~= 'string' then
      -- A member that an earlier attempt has stored does not fail this attempt, which may just be too late for it.
      return wrong
    end
  end
end

-- For a single member ZADD itself says whether it was there.
local written = count
if count > 1 then
  local there = redis.pcall('ZMSCORE', timeouts, unpack(members))
  if there.err then
    return unfit(timeouts, 'zset', 'ZMSCORE') or there
  end
  written = 0
  for i = 1, count do
    if not there[i] then
      written = written + 1
      if written < i then
        members[written] = members[i]
        entries[2 * written - 1] = entries[2 * i - 1]
        entries[2 * written] = members[i]
      end
    end
  end
  if written < count then
    first_ms = math.huge
    for i = 1, written do
      first_ms = math.min(first_ms, tonumber(entries[2 * i - 1]))
    end
  end
end
local added = written > 0 and redis.pcall('ZADD', timeouts, 'NX', unpack(entries, 1, 2 * written)) or 0
if added == 0 then
  return { 0, -1, server_now_us }
elseif type(added) ~= 'number' then
  return unfit(timeouts, 'zset', 'ZADD') or added
end

local listed, listed_count = members, written
if any_marked then
  listed, listed_count = {}, 0
  for i = 1, written do
    if not is_unlisted(members[i]) then
      listed_count = listed_count + 1
      listed[listed_count] = members[i]
    end
  end
end
if listed_count > 0 then
  redis.call('RPUSH', ordering, unpack(listed, 1, listed_count))
end
if remember_ms > 0 then
  local ids = {}
  for i = 1, written do
    ids[i] = id_of(members[i])
  end
  settle_all(ids, remember_ms)
end

-- If any of the new members is the head, it is one of those that are due first.
if redis.pcall('ZCOUNT', timeouts, '-inf', string.format('(%.0f', first_ms)) == 0 then
  local first = {}
  for i = 1, written do
    if tonumber(entries[2 * i - 1]) == first_ms then
      first[#first + 1] = members[i]
    end
  end
  if is_head(first_ms, unpack(first)) then
    return { written, us_until(publish(channel, first_ms), now_us), server_now_us }
  end
end
return { written, -1, server_now_us }
