-- report: what a script says about members that it took out because they cannot be read.

-- Returns { how many they are, how many of them were dropped, { the first of them, if small, ... } }.
local function taken_out(members, dropped)
  local few, bytes = {}, 0
  for i = 1, math.min(#members, 16) do
    bytes = bytes + #members[i]
    if bytes > 65536 then
      break
    end
    few[i] = members[i]
  end
  return { #members, dropped, few }
end
