-- due: when a member becomes due.
-- uses: id, score

-- Returns when a member becomes due, unix ms, or nil and an error reply. `wanted` is a number of ms from now, or
-- '@' and a unix ms. A moment that has passed means now.
local function due_of(member, wanted, now_us)
  local due_ms = math.ceil(now_us / 1000)
  if string.byte(wanted) == 64 then
    due_ms = math.max(due_ms, tonumber(string.sub(wanted, 2)))
  else
    due_ms = due_ms + tonumber(wanted)
  end
  if due_ms > LATEST_MS then
    return nil, redis.error_reply('RDQRANGE due time past 2^53 ms')
  end
  if due_ms > (expires_of(member) or due_ms) then
    return nil, redis.error_reply('RDQEXPIRY the element would expire before it is due')
  end
  return due_ms
end
