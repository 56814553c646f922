-- settled: the set rdq1_settled:{<name>}, which remembers for a while what was done.
-- uses: clock
--
-- Each entry is a token, with the moment as its score until which it counts. If Redis's clock goes back it counts longer,
-- which costs memory and changes nothing, because no token comes twice. Here are all tokens; parts that stand
-- side by side are joined without anything in between:
--
--   id                  offer, remove, sift, withdraw, poll_last, reschedule, offer_keyed, offer_unique,
--                       offer_unique_listed: the member was written before, or was taken out; no late attempt at its
--                       offer writes it
--   id 'o'              offer_keyed, offer_unique, offer_unique_listed: the offer stored its member
--   id 'r'              the same scripts: the offer replaced another member
--   id 'm'              offer_keyed: the offer moved the due time of another member
--   id 'k'              the same scripts: the offer kept another member
--   id call             remove, sift, reschedule: this call removed or rescheduled the member
--   call                put_back: this withdrawal was undone; a late attempt at it takes nothing
--   call place          withdraw: this withdrawal took the member at that place of its arguments
--   call place 'u'      withdraw: the same, and the member was not in the ordering list
--   process number 'e'  settle_leases: this call ended its leases
--   lease 'b'           restore: the payload of this lease was given back
--   import count 'i'    import of the program rdq: so many records of this file were written
--   name 'p'            fire: the last occurrence of this periodic offer that was offered; see lib/occurrences.lua
--
-- An id names a member and has up to 255 bytes, 8 to 26 if this crate wrote it. A call is 16 random bytes. A place is a
-- big-endian u16 that counts from 0. A process has 8 bytes. A number and a count are big-endian u64. A lease is its id of
-- 20 bytes, and an import 16 random bytes.

-- The commands that settle and settle_all need on the set. TIME stands among them because some scripts ask for the
-- right to it nowhere else.
local SETTLE = { 'TIME', 'ZREMRANGEBYSCORE', 'ZADD', 'PTTL', 'PEXPIRE' }

-- Remembers these tokens, at most 500, for `while_ms`, and forgets all tokens whose time is over.
local function settle_all(settled, tokens, while_ms)
  if #tokens == 0 then
    return
  end
  local now_ms = math.ceil(server_us() / 1000)
  local over = string.format('%.0f', now_ms + while_ms)
  local entries = {}
  for _, token in ipairs(tokens) do
    entries[#entries + 1] = over
    entries[#entries + 1] = token
  end
  redis.call('ZREMRANGEBYSCORE', settled, '-inf', string.format('%.0f', now_ms))
  redis.call('ZADD', settled, unpack(entries))
  if redis.call('PTTL', settled) < while_ms then
    redis.call('PEXPIRE', settled, string.format('%.0f', while_ms))
  end
end

-- Remembers one token.
local function settle(settled, token, while_ms)
  settle_all(settled, { token }, while_ms)
end
