-- head: whether a member leads the timeout set, and telling all clients, in any language, when that one is due.

-- Says whether one of these members, which all stand in the timeout set with this score, is its head. Returns false
-- if the user lacks the right to look. It does not read the head: Lua takes some 0.3 s to copy a head of 64 MB.
local function is_head(score, ...)
  score = string.format('%.17g', score)
  if redis.pcall('ZCOUNT', timeouts, '-inf', '(' .. score) ~= 0 then
    return false
  elseif redis.pcall('ZCOUNT', timeouts, score, score) == select('#', ...) then
    return true
  end
  for _, member in ipairs({ ... }) do
    if redis.pcall('ZRANK', timeouts, member) == 0 then
      return true
    end
  end
  return false
end

-- Publishes a due time, unix ms, and returns it as it was published: an integer, because Java parses it as one. Scripts
-- call it last. If the user may not publish, the script succeeds all the same: the clients that move elements also
-- poll.
local function publish(channel, due_ms)
  local due = string.format('%.0f', due_ms)
  redis.pcall('PUBLISH', channel, due)
  return due
end
