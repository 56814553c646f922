-- rank: where to go on reading the timeout set.

-- Says whether a member comes behind another, as Redis compares them byte by byte. Lua's own `>` depends on the
-- language of the server.
local function follows(one, other)
  for at = 1, math.min(#one, #other) do
    local a, b = string.byte(one, at), string.byte(other, at)
    if a ~= b then
      return a > b
    end
  end
  return #one > #other
end

-- Returns the rank of the first entry behind the place of a member with this score, even if the member itself has
-- gone. Needs ZSCORE, ZRANK, ZCOUNT and ZRANGE.
local function rank_behind(score, member)
  if redis.call('ZSCORE', timeouts, member) == score then
    return redis.call('ZRANK', timeouts, member) + 1
  end
  local low = redis.call('ZCOUNT', timeouts, '-inf', '(' .. score)
  local high = redis.call('ZCOUNT', timeouts, '-inf', score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if follows(redis.call('ZRANGE', timeouts, middle, middle)[1], member) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
