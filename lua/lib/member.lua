-- member: what a packed member says: its payload, and the id in front of it.
--
-- src/wire/ids.rs makes these ids. Members of the older layout may begin with any byte, so what an id says counts
-- only if the payload stands right behind it.

-- Returns the first and the last place of a packed member's payload. Returns nil when neither Redisson's present
-- layout (Bc0Lc0) nor the one of 3.21.0 and older (dLc0) explains the member. The total length tells the layouts
-- apart. Where both explain all of it, the eighth byte decides; src/wire/packed.rs says why.
local function payload_places(member)
  local size = #member
  local id, _, _, _, _, _, _, eighth = string.byte(member, 1, 8)
  local last
  if id and size >= 9 + id then
    last = 9 + id + struct.unpack('<L', member, 2 + id)
    if last == size and eighth ~= 0x43 and eighth ~= 0xC3 then
      return 10 + id, last
    end
  end
  if size >= 16 and size == 16 + struct.unpack('<L', member, 9) then
    return 17, size
  end
  if last and last <= size then
    return 10 + id, last
  end
end

-- Returns the payload of a packed member, or nil if the member cannot be read.
local function payload_of(member)
  local first, last = payload_places(member)
  return first and string.sub(member, first, last)
end

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

-- Returns when a member was offered, as a number that serves only to compare members, or nil if its id does not
-- tell. The ids of 16 and 25 bytes that this crate writes begin with that time; see src/wire/ids.rs.
local function offered_at(member)
  local size = string.byte(member, 1)
  if (size == 16 or size == 25) and #member > size then
    return (struct.unpack('>L', member, 2))
  end
end

-- Says whether the transfer would drop this member instead of moving it.
local function has_expired(member, now_us)
  local expires_ms = expires_of(member)
  return expires_ms and expires_ms < math.floor(now_us / 1000)
end
