-- redis: what a script sees of Redis. Rust passes functions: `pack`, `unpack`, `sha1hex`, `located`. Each run passes
-- `call`, `pcall` and `may`.
local rust = ...

redis = { sha1hex = rust.sha1hex }

function redis.error_reply(text)
  text = string.gsub(text, '^%-', '')
  return { err = string.find(text, ' ', 1, true) and text or 'ERR ' .. text }
end

function redis.status_reply(text)
  return { ok = text }
end

struct = { pack = rust.pack, unpack = rust.unpack }

-- A script may use no other globals than these, its keys and its arguments.
setmetatable(_G, {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
  __newindex = function()
    error('Attempt to modify a readonly table', 2)
  end,
})

-- Runs a script. Returns true and its result, or false and a table with its error.
return function(script, call, pcall, may)
  redis.call, redis.pcall, redis.acl_check_cmd = call, pcall, may
  return xpcall(script, rust.located)
end
