-- done: what an earlier attempt at the same offer did.

-- Returns the letter that was settled behind this id, or nil if none was:
--   'o' offered the member, 'r' replaced another, 'm' moved the due time of another, 'k' kept another.
-- If the id alone was settled, the member was offered and has been taken out since, so that is an 'o' as well.
local function done_under(id)
  local found = redis.call('ZMSCORE', settled, id .. 'r', id .. 'm', id .. 'k', id .. 'o', id)
  for i, letter in ipairs({ 'r', 'm', 'k', 'o', 'o' }) do
    if found[i] then
      return letter
    end
  end
end
