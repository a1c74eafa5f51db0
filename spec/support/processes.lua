-- Which processes a run has started, by a mark in their environment.
local processes = {}

local function contents(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text or ""
end

--- Whether processes can be looked for here.
processes.available = contents("/proc/self/environ") ~= ""

--- A new mark, to be put in front of a command: "TARE_SPEC=...".
---@return string
function processes.mark()
  return "TARE_SPEC=" .. os.tmpname():gsub("%W", "")
end

--- Numbers of the processes that have it, none of them waiting to be reaped.
---@param mark string
---@return integer[]
function processes.with(mark)
  local found = {}
  local pipe = io.popen "ls /proc"
  for name in pipe:lines() do
    if name:find "^%d+$" and contents("/proc/" .. name .. "/environ")
      :find(mark, 1, true) then
      found[#found + 1] = tonumber(name)
    end
  end
  pipe:close()
  return found
end

--- Waits until none has the mark any more; what is left after some seconds.
---@param mark string
---@return integer[]
function processes.left(mark)
  local found = processes.with(mark)
  for _ = 1, 40 do
    if #found == 0 then break end
    os.execute "sleep 0.1"
    found = processes.with(mark)
  end
  return found
end

return processes
