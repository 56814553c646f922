-- ends: the two ends of a list, which callers name by the commands that push there and pop from there.

-- Adds an element at the end that LPUSH or RPUSH names.
local function push(KEY, command, element)
  if command == 'LPUSH' then
    redis.call('LPUSH', KEY, element)
  else
    redis.call('RPUSH', KEY, element)
  end
end

-- Takes the element out that LPOP or RPOP names. Returns it, or false if the list is empty.
local function pop(KEY, command)
  if command == 'LPOP' then
    return redis.call('LPOP', KEY)
  end
  return redis.call('RPOP', KEY)
end
