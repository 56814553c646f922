-- publish: telling all clients, in any language, when the head is due.

-- Publishes a due time, unix ms, and returns it as it was published: an integer, because Java parses it as one. Scripts
-- call it last. If the user may not publish, the script succeeds all the same: the clients that move elements also
-- poll.
local function publish(channel, due_ms)
  local due = string.format('%.0f', due_ms)
  redis.pcall('PUBLISH', channel, due)
  return due
end
