-- settled: the set rdq1_settled:{<name>}, which remembers for a while what was done.
-- uses: clock
--
-- Each entry is a token, with the moment as its score until which it counts. If Redis's clock goes back it counts longer,
-- which costs memory and changes nothing, because no token comes twice. Here are all tokens; parts that stand
-- side by side are joined without anything in between:
--
--   id                  offer, remove, sift, withdraw, poll_last, reschedule, offer_keyed, offer_unique_listed: the
--                       member was written before, or was taken out; no late attempt at its offer writes it
--   id 'o'              offer_keyed, offer_unique_listed: the offer stored its member
--   id 'r'              the same scripts: the offer replaced another member
--   id 'm'              offer_keyed: the offer moved the due time of another member
--   id 'k'              the same scripts: the offer kept another member
--   id call             remove, sift, reschedule: this call removed or rescheduled the member
--   call                put_back: this withdrawal was undone; a late attempt at it takes nothing
--   call place          withdraw: this withdrawal took the member at that place of its arguments
--   call place 'u'      withdraw: the same, and the member was not in the ordering list
--   import count 'i'    import of the program rdq: so many records of this file were written
--   name 'p'            fire: the last occurrence of this periodic offer that was offered; see lib/occurrences.lua
--
-- An id names a member and has up to 255 bytes, 8 to 26 if this crate wrote it. A call is 16 random bytes. A place is a
-- big-endian u16 that counts from 0. A count is a big-endian u64, and an import 16 random bytes.

-- The commands that settle and settle_all need on the set. TIME stands among them because some scripts ask for the
-- right to it nowhere else.
local SETTLE = { 'TIME', 'ZREMRANGEBYSCORE', 'ZADD', 'PTTL', 'PEXPIRE' }

-- How many tokens a call forgets at once, if more than these are over.
local FORGOTTEN = 1000

-- Forgets tokens whose time is over, once a script. Without the rights to count, read and remove them, it forgets all.
local has_forgotten = false
local function forget_settled(now)
  if has_forgotten then
    return
  end
  has_forgotten = true
  local over = redis.pcall('ZCOUNT', settled, '-inf', now)
  if type(over) == 'number' and over > FORGOTTEN then
    local first = redis.pcall('ZRANGEBYSCORE', settled, '-inf', now, 'LIMIT', 0, FORGOTTEN)
    if not first.err and type(redis.pcall('ZREM', settled, unpack(first))) == 'number' then
      return
    end
  end
  redis.call('ZREMRANGEBYSCORE', settled, '-inf', now)
end

-- Remembers these tokens, at most 500, for `while_ms`, and forgets tokens whose time is over.
local function settle_all(tokens, while_ms)
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
  forget_settled(string.format('%.0f', now_ms))
  redis.call('ZADD', settled, unpack(entries))
  if redis.call('PTTL', settled) < while_ms then
    redis.call('PEXPIRE', settled, string.format('%.0f', while_ms))
  end
end

-- Remembers one token.
local function settle(token, while_ms)
  settle_all({ token }, while_ms)
end

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

-- Returns `while_ms` and a second more for each 4 MiB of the member: a late attempt to offer a large member may be
-- on its way that much longer. See src/options.rs.
local function remembered(while_ms, member)
  return while_ms + 1000 * math.floor(#member / 4194304)
end
