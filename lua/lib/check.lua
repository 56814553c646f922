-- check: what a script checks before its first write, because Redis never rolls back.
--
-- A script cannot check whether Redis has memory left. Without memory, Redis refuses the first write of a script,
-- unless that command only frees memory. Then Redis also runs the rest of the script. So where a script both frees and
-- needs memory, its first write is one that frees, as ZREM, LTRIM and pops do. Comments say "Frees memory first".

-- How many arguments these commands take behind the key. All others of our scripts take two, or more if there are more.
-- Redis 8.0.2 of Debian 13, and whoever checks the number as it does, answers a wrong one with an error.
local ARGUMENTS = {
  ['GET'] = 0, ['HEXISTS'] = 1, ['HGET'] = 1, ['HSTRLEN'] = 1, ['LINDEX'] = 1, ['LINSERT'] = 3,
  ['LLEN'] = 0, ['PTTL'] = 0, ['ZCARD'] = 0, ['ZRANK'] = 1, ['ZSCORE'] = 1,
}

-- Says whether the user may run a command on a key. Redis 7.0 and later can tell beforehand.
local function may(command, key)
  if command == 'TIME' then
    return redis.acl_check_cmd(command)
  end
  local arguments = ARGUMENTS[command]
  if arguments == 0 then
    return redis.acl_check_cmd(command, key)
  elseif arguments == 1 then
    return redis.acl_check_cmd(command, key, '1')
  elseif arguments == 3 then
    return redis.acl_check_cmd(command, key, '1', '1', '1')
  end
  return redis.acl_check_cmd(command, key, '1', '1')
end

-- Returns the error reply for a user who lacks the right to a command on a key.
local function no_right(command, key)
  return redis.error_reply('NOPERM no right to ' .. command .. ' key ' .. key)
end

-- Returns an error reply if a key that holds a `held` should hold a `wanted`, or if the user lacks the right to one of
-- the commands on it, else nil.
local function misfit(held, key, wanted, ...)
  if held ~= wanted and held ~= 'none' then
    return redis.error_reply('RDQTYPE key ' .. key .. ' holds a ' .. held .. ', not a ' .. wanted)
  end
  for _, command in ipairs(redis.acl_check_cmd and { ... } or {}) do
    if not may(command, key) then
      return no_right(command, key)
    end
  end
end

-- The same, whatever the key holds.
local function unfit(KEY, wanted, ...)
  return misfit(redis.call('TYPE', KEY).ok, KEY, wanted, ...)
end

-- Returns an error reply if the user lacks the right to the command on this key, else nil.
local function denied(command, key, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, key, ...) then
    return no_right(command, key)
  end
end
