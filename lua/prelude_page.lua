-- prelude_page: what the scripts share that read the timeout set in pages; put behind the prelude.

-- As Redis compares members; Lua's own order of strings is that of the server's language.
local function follows(one, other)
  for at = 1, math.min(#one, #other) do
    local a, b = string.byte(one, at), string.byte(other, at)
    if a ~= b then
      return a > b
    end
  end
  return #one > #other
end

-- The rank of the first entry behind the place of a member with this score, which need not be there any
-- more. Needs ZSCORE, ZRANK, ZCOUNT and ZRANGE.
local function rank_behind(timeouts, score, member)
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

