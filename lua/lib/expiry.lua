-- expiry: whether a member is past the time that its id holds.
-- uses: id

-- Says whether the transfer would drop this member instead of moving it.
local function has_expired(member, now_us)
  local expires_ms = expires_of(member)
  return expires_ms and expires_ms < math.floor(now_us / 1000)
end
