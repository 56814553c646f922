-- check: what a script checks before its first write, because Redis never rolls back.
--
-- A script cannot check whether Redis has memory left. Without memory, Redis refuses the first write of a script,
-- unless that command only frees memory. Then Redis also runs the rest of the script. So where a script both frees and
-- needs memory, its first write is one that frees, as ZREM, LTRIM and pops do. Comments say "Frees memory first".

-- Returns an error reply if a key holds another type than `wanted`, or if the user lacks the right to one of the
-- commands on it, else nil.
local function unfit(key, wanted, ...)
  local held = redis.call('TYPE', key).ok
  if held ~= wanted and held ~= 'none' then
    return redis.error_reply('RDQTYPE key ' .. key .. ' holds a ' .. held .. ', not a ' .. wanted)
  end
  -- Redis 7.0 and later can tell beforehand.
  for _, command in ipairs(redis.acl_check_cmd and { ... } or {}) do
    if not redis.acl_check_cmd(command, key, '1', '1') then
      return redis.error_reply('NOPERM no right to ' .. command .. ' key ' .. key)
    end
  end
end
