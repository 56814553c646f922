-- return: giving payloads back whose leases ran out.
-- uses: check, delivery, quarantine

-- Returns how many leases of take() ran out before `now_ms`, and an error reply if the user lacks the rights to
-- return them. Needs ZCOUNT on the leases.
local function ran_out_before(now_ms)
  local count = redis.call('ZCOUNT', leases, '-inf', '(' .. string.format('%.0f', now_ms))
  return count, count > 0 and (unfit(leases, 'zset', 'ZRANGE', 'ZREM') or unfit(deliveries, 'hash', 'HGET', 'HDEL')
    or unfit(target, 'list', 'LPUSH') or unfit(quarantine, 'zset', unpack(SET_ASIDE)))
end

-- Moves the payloads of leases that ran out before `now_ms` to the head of the target queue, where consumers in any
-- language find them: 500 at the most, or some 1 MB. The last lease goes first, so each payload stands before those
-- that were claimed after it. An entry that is no token goes to the quarantine. Returns the entries that were no
-- tokens, how many of these did not fit into the quarantine, and how many entries it took out in all.
local function return_leases(now_ms)
  local before_now = '(' .. string.format('%.0f', now_ms)
  local count, bytes, size = 0, 0, 1
  local strangers, dropped = {}, 0
  while count < 500 and bytes < 1000000 do
    local page = redis.call('ZRANGE', leases, before_now, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, size, 'WITHSCORES')
    for i = 1, #page, 2 do
      local token = page[i]
      -- Frees memory first; see lib/check.lua.
      redis.call('ZREM', leases, token)
      local payload
      if is_origin(token) then
        payload = redis.call('HGET', deliveries, token)
        remove_payload(token)
      else
        strangers[#strangers + 1] = token
        dropped = dropped + set_aside({ token }, { page[i + 1] })
      end
      -- Without a payload, somebody deleted the delivery and left its token.
      if payload then
        redis.call('LPUSH', target, payload)
      end
      count = count + 1
      bytes = bytes + #token + #(payload or '')
      if count == 500 or bytes >= 1000000 then
        return strangers, dropped, count
      end
    end
    if #page < 2 * size then
      break
    end
    -- As many as fit if they are like those before.
    size = math.max(1, math.min(100, 8 * size, math.floor((1000000 - bytes) * count / bytes)))
  end
  return strangers, dropped, count
end
