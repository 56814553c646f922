-- put_back: undo a withdrawal whose caller has gone. The members get their scores back, and those that were in the
-- ordering list become the oldest there.
-- Redisson: none; if the caller of RedissonDelayedQueue.pollAsync has gone, the element is lost.
-- uses: check, clock, head, keyed, score, settled
--
-- KEYS[1] timeouts  zset redisson_delay_queue_timeout:{<name>}  packed member -> due time, unix ms
-- KEYS[2] ordering  list redisson_delay_queue:{<name>}          packed members in offer order
-- KEYS[3] settled   zset rdq1_settled:{<name>}                  what was done -> until when it counts, unix ms
-- KEYS[4] state     hash rdq1_state:{<name>}                    its field `untidy` counts entries of `ordering`, see
--                                                               lib/tidy.lua
-- KEYS[5] keyed     hash rdq1_keyed:{<name>}                    key -> packed member that was offered under it last
-- KEYS[6] keyed_due zset rdq1_keyed_due:{<name>}                key -> when to look whether its member is pending
-- ARGV[1] token        text    16 bytes that name the withdrawal
-- ARGV[2] remember_ms  number  how long to keep late attempts at it out, ms
-- ARGV[3] channel      text    channel redisson_delay_queue_channel:{<name>}, not in KEYS, where it would need a key
--                              right
-- ARGV    from 4 on: member, score or '', ...; those of the withdrawal in its order
--
-- The ids of the members stay in `settled`: a late attempt to offer one still has nothing to write.
--
-- Returns how many members it put back: those that the withdrawal took and that were not put back before.
-- Cost O(M log N): M members.

local refused = unfit(timeouts, 'zset', 'ZADD') or unfit(ordering, 'list', 'LPUSH')
  or unfit(settled, 'zset', 'ZREM', unpack(SETTLE)) or unfit(state, 'hash', 'HGET', 'HSET')
  or denied('PTTL', keyed) or denied('PEXPIRE', keyed, '1') or denied('PEXPIRE', keyed_due, '1')
if refused then
  return refused
end

settle(token, remember_ms)
local first_score, first, count, pushed = math.huge, {}, 0, 0
for i = #ARGV - 1, 4, -2 do
  local member, score = ARGV[i], ARGV[i + 1]
  local mine = token .. struct.pack('>H', (i - 4) / 2)
  local listed = redis.call('ZREM', settled, mine) == 1
  if listed or redis.call('ZREM', settled, mine .. 'u') == 1 then
    if score ~= '' then
      redis.call('ZADD', timeouts, score, member)
      score = tonumber(score)
      if score < first_score then
        first_score, first = score, {}
      end
      if score == first_score then
        first[#first + 1] = member
      end
    end
    if listed then
      redis.call('LPUSH', ordering, member)
      pushed = pushed + 1
    end
    count = count + 1
  end
end

local left, again = string.match(redis.call('HGET', state, 'untidy') or '', '^(%d+)(%+?)$')
if left and pushed > 0 then
  redis.call('HSET', state, 'untidy', string.format('%.0f', left + pushed) .. again)
end
local now_ms = math.ceil(server_us() / 1000)
keep_keyed(now_ms, now_ms)
if #first > 0 and is_head(first_score, unpack(first)) then
  publish(channel, score_ms(first_score))
end
return count
