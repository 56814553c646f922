-- right: whether the user may run a command on a key of any type.

-- Returns an error reply if the user lacks the right to the command on this key, else nil.
local function denied(command, key, ...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(command, key, ...) then
    return redis.error_reply('NOPERM no right to ' .. command .. ' key ' .. key)
  end
end
