-- payload: where the payload of a packed member stands.

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
