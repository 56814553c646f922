-- remembered: how long to remember the id of a member that a script takes out.

-- Returns `while_ms` and a second more for each 4 MiB of the member: a late attempt to offer a large member may be
-- on its way that much longer. See src/options.rs.
local function remembered(while_ms, member)
  return while_ms + 1000 * math.floor(#member / 4194304)
end
