-- reschedule: give a pending member another due time. Its bytes and its place in the offer order stay.
-- Redisson: none; with Redisson one removes the element and offers it again.
-- uses: check, clock, head, keyed, score, settled
--
-- KEYS[1] timeouts  zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] settled   zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[3] keyed     hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[4] keyed_due zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- ARGV[1] member       text    packed member
-- ARGV[2] id           text    its id
-- ARGV[3] when         text    when it is to be due (see lib/score.lua)
-- ARGV[4] never_later  flag    if it must not become due later than it is
-- ARGV[5] clock_us     number  clock for the due time, unix us, or '' for Redis's own
-- ARGV[6] channel      text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key
--                              right
-- ARGV[7] settled_ms   number  how long `settled` shall remember the id, if the member becomes due within that time, ms
-- ARGV[8] call         text    16 bytes that tell this call from any other, the same whenever it is sent again
-- ARGV[9] call_ms      number  how long `settled` shall remember that this call was done, ms
--
-- If the member has a key and becomes due later, it keeps that key as long.
--
-- Returns { 1 if it was pending, now or when this call was sent before, us until it is due if it is the head, else
-- -1, Redis's clock in unix us }.
-- Cost O(log N).

local server_now_us = server_us()
local now_us = clock_us or server_now_us

local refused = unfit(timeouts, 'zset', 'ZSCORE', 'ZADD')
  or unfit(settled, 'zset', 'ZSCORE', unpack(SETTLE))
  or denied('PTTL', keyed) or denied('PEXPIRE', keyed, '1') or denied('PEXPIRE', keyed_due, '1')
if refused then
  return refused
end

local is_earlier = false
local score = redis.call('ZSCORE', timeouts, member)
if not redis.call('ZSCORE', settled, id .. call) then
  if not score then
    return { 0, -1, server_now_us }
  end
  local due_ms, wrong = due_of(member, when, now_us)
  if wrong and never_later then
    -- A member that has expired was due already, and keeps its due time.
    due_ms = math.ceil(now_us / 1000)
  elseif wrong then
    return wrong
  end
  -- Redisson never moves a member with a negative score, so any other time counts as earlier.
  is_earlier = due_ms < tonumber(score) or tonumber(score) < 0
  if is_earlier or not never_later then
    score = string.format('%.0f', due_ms)
    redis.call('ZADD', timeouts, 'XX', score, member)
    keep_keyed(due_ms, math.ceil(now_us / 1000))
  end
  if due_ms * 1000 - now_us < settled_ms * 1000 then
    settle(id, settled_ms)
  end
  settle(id .. call, call_ms)
end

if not score or not is_head(score, member) then
  return { 1, -1, server_now_us }
end
if is_earlier then
  publish(channel, score_ms(score))
end
return { 1, us_until(score, now_us), server_now_us }
