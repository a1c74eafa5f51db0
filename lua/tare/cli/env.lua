-- tare env: the fingerprint of machine and interpreter, how noisy the machine
-- is at this moment, and what helps.
local env = require "tare.env"
local json = require "tare.store.json"
local stdout = require "tare.cli.stdout"
local units = require "tare.base.units"

local command = {}

local function shown(name, value)
  if type(value) ~= "number" then return tostring(value) end
  if name:find("_bytes$") then return units.value(value, "bytes") end
  if name:find("_ns$") then return units.duration(value) end
  if name:find("_share$") then return units.percent(value) end
  return value % 1 == 0 and ("%d"):format(value) or units.number(value)
end

-- Lines of "name  value"; a table's fields are named after it.
local function flatten(lines, prefix, fields)
  local names = {}
  for name in pairs(fields) do names[#names + 1] = name end
  table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(names) do
    local value, full = fields[name], prefix .. tostring(name)
    if type(value) ~= "table" then
      lines[#lines + 1] = ("%-26s %s"):format(full, shown(full, value))
    elseif value[1] ~= nil then
      lines[#lines + 1] = ("%-26s %s"):format(full, table.concat(value, " "))
    else
      flatten(lines, full .. ".", value)
    end
  end
  return lines
end

local function as_text(told)
  local lines = flatten({}, "", told.env)
  if told.noise then flatten(lines, "noise.", told.noise) end
  lines[#lines + 1] = ""
  for _, found in ipairs(told.advice) do
    lines[#lines + 1] = ("%s: %s: %s."):format(
      found.level == "warn" and "warning" or "note", found.finding,
      found.advice)
  end
  if #told.advice == 0 then lines[#lines + 1] = "Nothing to advise." end
  return table.concat(lines, "\n") .. "\n"
end

--- Runs the command.
---@return integer exit code
function command.run(given, complain)
  local fingerprint = env.fingerprint { uv = require "luv" }
  local noise = env.noise_sample()
  local told = { env = fingerprint, noise = noise,
    advice = env.advice(fingerprint, noise) }
  local ok, message = stdout.write(given.json and json.encode(told) .. "\n"
    or as_text(told))
  if ok then return 0 end
  complain(message)
  return 1
end

return command
