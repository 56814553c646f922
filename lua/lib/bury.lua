-- bury: moving elements to a dead-letter queue.
-- uses: delivery, notes

-- Puts the payload of a delivery, whose token the caller has removed, at the tail of the dead-letter queue, and takes
-- it out of the deliveries. False if somebody deleted the payload. Needs HGET and HDEL on the deliveries, RPUSH on the
-- queue and the notes.
local function bury(token, now_ms, source, reason)
  local payload = redis.call('HGET', deliveries, origin_of(token))
  remove_payload(origin_of(token))
  if not payload then
    return false
  end
  redis.call('RPUSH', dead, payload)
  local ungrouped = string.sub(token, 1, UNGROUPED)
  local about = struct.pack('>L', now_ms) .. ungrouped .. struct.pack('>H', #source) .. source .. reason
  redis.call('RPUSH', dead_notes, digest_of(payload) .. about)
  return true
end
