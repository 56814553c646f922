-- count: count what is in a queue, and when it is due, at one moment. Writes nothing, and reads no payload.
-- uses: clock, score
--
-- KEYS[1] timeouts        zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering        list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] target          list <name>                                 the target queue
-- KEYS[4] leases          zset rdq1_leases:{<name>}                   what take() has claimed
-- KEYS[5] delivery_leases zset rdq1_delivery_leases:{<name>}          what consumers have
-- KEYS[6] retries         zset rdq1_retries:{<name>}                  what waits for another attempt
-- KEYS[7] grouped         zset rdq1_grouped:{<name>}                  what waits for its turn
-- KEYS[8] dead            list {<name>}-dead                          dead letters
-- KEYS[9] quarantine      zset rdq1_quarantine:{<name>}               unreadable members
-- KEYS[10] deliveries     hash rdq1_deliveries:{<name>}               origin -> payload
-- KEYS[11] state          hash rdq1_state:{<name>}                    `paused`, `interval_us`, `burst`
-- ARGV[1] ahead_ms      number  how far the next mark is ahead of now
-- ARGV[2] last_mark_ms  number  the last mark, unix ms, or ''
-- ARGV[3] last_head_ms  number  when the head was due at the last count, unix ms, or ''
-- ARGV    from 4 on: how far the other marks are ahead of now, ms
--
-- Returns a table:
--   1 now, unix ms
--   2 the numbers of elements in `timeouts` to `quarantine`, and of fields in `deliveries`
--   3 when the head is due, unix ms, rounded up; -1 if nothing is pending
--   4 how many are due now, by the next mark, by the last mark (0 without one), and by each of the others
--   5 `paused`, `interval_us` and `burst`, as far as there are such fields
--   6 how many elements have due times in seconds, of 2001 to 2286: they count only in the first number of 2
--   7 how many leases have run out, and how many attempts are due, for more than 10 s by Redis's clock
--
-- Cost: some 20 commands of O(1) or O(log N) each, and ZCOUNT to find the head: two if it is where it was, some ten if
-- it is near now, up to 80. ZRANGE would find it at once, but copies its payload, and that may have 64 MB.
local now = math.floor(server_us() / 1000)

local SECONDS_FROM, SECONDS_UNTIL = 1000000000, 10000000000

local function due_between(first, last)
  return redis.call('ZCOUNT', timeouts, first, string.format('%.0f', last))
end

local in_seconds = due_between(SECONDS_FROM, SECONDS_UNTIL)

local function due_by(ms)
  if in_seconds == 0 then
    return due_between('-inf', ms)
  end
  local due = due_between('-inf', math.min(ms, SECONDS_FROM - 1))
  return ms > SECONDS_UNTIL and due + due_between('(' .. SECONDS_UNTIL, ms) or due
end

-- Returns the first whole ms by which something is due. At least one element has a due time in ms.
local function head()
  if last_head_ms and due_by(last_head_ms) > 0 and due_by(last_head_ms - 1) == 0 then
    return last_head_ms
  end
  -- Nothing is due by `before`, something is due by `by`: first some pair near now, then a closer one.
  local before, by, step = now, now, 1
  if due_by(now) > 0 then
    repeat
      by, before, step = before, math.max(now - step, -1), step * 4
    until before < 0 or due_by(before) == 0
  else
    repeat
      before, by, step = by, math.min(now + step, LATEST_MS), step * 4
    until by == LATEST_MS or due_by(by) > 0
  end
  while by - before > 1 do
    local middle = math.floor((before + by) / 2)
    if due_by(middle) > 0 then
      by = middle
    else
      before = middle
    end
  end
  return by
end

local counts = {
  redis.call('ZCARD', timeouts), redis.call('LLEN', ordering), redis.call('LLEN', target),
  redis.call('ZCARD', leases), redis.call('ZCARD', delivery_leases), redis.call('ZCARD', retries),
  redis.call('ZCARD', grouped), redis.call('LLEN', dead), redis.call('ZCARD', quarantine),
  redis.call('HLEN', deliveries),
}
local long_ago = string.format('%.0f', now - 10000)
local expired = redis.call('ZCOUNT', leases, '-inf', long_ago)
  + redis.call('ZCOUNT', delivery_leases, '-inf', long_ago) + redis.call('ZCOUNT', retries, '-inf', long_ago)
local due = { due_by(now), due_by(now + ahead_ms), last_mark_ms and due_by(last_mark_ms) or 0 }
for i = 4, #ARGV do
  due[#due + 1] = due_by(now + ARGV[i])
end
return {
  now, counts, counts[1] > in_seconds and head() or -1, due,
  redis.call('HMGET', state, 'paused', 'interval_us', 'burst'), in_seconds, expired,
}
