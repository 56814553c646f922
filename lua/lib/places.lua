-- places: finding where a member stands in the ordering list.
-- uses: age, portions

-- Returns where a member stands whose id tells when it was offered, or nil where that misleads. Some 15 probes
-- narrow a list of a million down to a few dozen entries, which it reads.
local function place_by_id(size, member, room)
  local offered = offered_at(member)
  local first, last = 0, size - 1
  while last - first > 32 do
    local middle = math.floor((first + last) / 2)
    local entry = redis.call('LINDEX', ordering, middle)
    room.bytes = room.bytes - #entry
    local then_offered = offered_at(entry)
    if not then_offered or room.bytes <= 0 then
      return nil
    elseif then_offered < offered then
      first = middle
    else
      last = middle
    end
  end
  -- Offers that were made at the same time are not quite in order.
  local place
  each_portion(math.max(0, first - 16), last + 16, room, function(entries, before)
    for i, entry in ipairs(entries) do
      if entry == member then
        place = before + i
        return true
      end
    end
  end)
  return place
end

-- Returns where a member stands that is among the oldest or newest 1000 entries, or nil if it is not, and how many
-- entries Redis compared. Redis copies nothing. A user without the right to LPOS gets nil.
local function place_by_search(size, member)
  local place = tonumber(redis.pcall('LPOS', ordering, member, 'MAXLEN', 1000))
  if place then
    return place, place + 1
  end
  place = tonumber(redis.pcall('LPOS', ordering, member, 'RANK', -1, 'MAXLEN', 1000))
  return place, 1000 + (place and size - place or 1000)
end
