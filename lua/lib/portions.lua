-- portions: reading entries that may be bulky.
--
-- A bulky member has BULKY bytes or more. A script should not copy it without need. (A large payload is something else:
-- it has more than 1 MiB, and travels on a socket of its own.)
--
-- An entry may have 64 MB, and Redis says no sizes beforehand. So a script reads entries in portions, which grow
-- while entries are small, and stops after about READ_BYTES. From then on Redis searches by itself, which takes
-- longer and copies nothing. Redis also searches for bulky members.

local READ_BYTES, BULKY = 4194304, 65536

-- Passes the entries from place `first` to `last` to `visit`, as a table and the place in front of its first entry,
-- until `visit` returns true or `room.bytes` is used up. Keeps a bulky entry in `room.bulky`.
local function each_portion(first, last, room, visit)
  local portion, read, bytes = 4, 0, 0
  while first <= last and room.bytes > 0 do
    local until_place = math.min(last, first + portion - 1)
    local entries = redis.call('LRANGE', ordering, first, until_place)
    local portion_bytes = 0
    for i = 1, #entries do
      portion_bytes = portion_bytes + #entries[i]
      room.bulky = #entries[i] >= BULKY and entries[i] or room.bulky
    end
    if visit(entries, first - 1) then
      return
    end
    bytes = bytes + portion_bytes
    room.bytes = room.bytes - portion_bytes
    read = read + portion
    first = until_place + 1
    portion = math.min(8 * portion, math.ceil(room.bytes * read / math.max(bytes, 1)))
  end
end
