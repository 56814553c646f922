-- lease: the layout of a lease, an entry of the set of leases.
--
-- A lease is pack('<Bc0Lc0', #id, id, #payload, payload). Its id has 20 bytes: the client's incarnation (8 bytes), the
-- number of the claim (8), then as big-endian u16 the place in the claim, from 0, and the number of the attempt at the
-- payload, from 1.

-- Bytes of an id, and bytes in front of the payload.
local LEASE_ID, LEASE_HEAD = 20, 29

-- Returns the id of a lease.
local function lease_id(lease)
  return string.sub(lease, 2, 1 + LEASE_ID)
end
