-- id: what the id of a packed member says.
-- uses: payload
--
-- src/wire/ids.rs makes these ids. Members of the older layout may begin with any byte, so what an id says counts
-- only if the payload stands right behind it.

-- Returns the id of a member in the present layout, the only layout that this crate writes.
local function id_of(member)
  return string.sub(member, 2, 1 + string.byte(member))
end

-- Returns when a member expires, unix ms, or nil if it never does. Ids of 25 and 26 bytes hold that time.
local function expires_of(member)
  local size = string.byte(member)
  if (size == 25 or size == 26) and string.byte(member, 18) == 120 and payload_places(member) == 10 + size then
    return (struct.unpack('>L', member, 19))
  end
end

-- Says whether a member stands in the timeout set alone. Ids of 17 and 26 bytes mark such a member. Every script
-- that writes it back keeps it out of the ordering list, so nobody has to search for it there.
local function is_unlisted(member)
  local size = string.byte(member)
  return (size == 17 or size == 26) and string.byte(member, 1 + size) == 117 and payload_places(member) == 10 + size
end
