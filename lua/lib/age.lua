-- age: which of two members was offered first.

-- Returns when a member was offered, as a number that serves only to compare members, or nil if its id does not
-- tell. The ids of 16 and 25 bytes that this crate writes begin with that time; see src/wire/ids.rs.
local function offered_at(member)
  local size = string.byte(member, 1)
  if (size == 16 or size == 25) and #member > size then
    return (struct.unpack('>L', member, 2))
  end
end
