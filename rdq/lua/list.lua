-- list: read on in the ordering list or in the target queue.
--
-- KEYS[1] list    redisson_delay_queue:{<name>} or <name>  packed members in offer order, or payloads that are due
-- KEYS[2] zset    redisson_delay_queue_timeout:{<name>}    packed member -> due time, unix ms
-- ARGV[1] place of the first entry to return, from 0      ARGV[2] the entry before it, '' if that does not matter
-- ARGV[3] most entries to return      ARGV[4] how many bytes they may have; the last may exceed it
--
-- Entries leave at the front meanwhile, and all others move up. So the script looks for the entry that was returned
-- last, up to 2,000 places before the one where it stood. If it is not between there and the front, all up to it have
-- left.
--
-- Returns { the place behind the last entry that it returns, { entry, its due time or '', ... } }.
-- Cost O(F + M) for M entries, F places from the nearer end.
local list, timeouts = KEYS[1], KEYS[2]
local place, before = tonumber(ARGV[1]), ARGV[2]
local most, most_bytes = tonumber(ARGV[3]), tonumber(ARGV[4])

local WINDOW, WINDOWS = 100, 20

if before ~= '' and redis.call('LINDEX', list, place - 1) ~= before then
  local stop = place - 1
  local found
  for _ = 1, WINDOWS do
    local start = math.max(stop - WINDOW, 0)
    local window = stop > start and redis.call('LRANGE', list, start, stop - 1) or {}
    for i = #window, 1, -1 do
      if not found and window[i] == before then
        found = start + i
      end
    end
    stop = start
    if found or stop == 0 then
      break
    end
  end
  place = found or (stop == 0 and 0) or place
end

-- One at first and then 16 at a time, because entries may be large.
local step_size = 1
local entries, bytes = {}, 0
while most > 0 and bytes < most_bytes do
  local step = redis.call('LRANGE', list, place, place + math.min(step_size, most) - 1)
  if #step == 0 then
    break
  end
  step_size = 16
  for _, entry in ipairs(step) do
    if bytes < most_bytes then
      entries[#entries + 1] = entry
      entries[#entries + 1] = redis.call('ZSCORE', timeouts, entry) or ''
      bytes = bytes + #entry
      place, most = place + 1, most - 1
    end
  end
end
return { place, entries }
