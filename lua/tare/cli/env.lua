-- tare env: the fingerprint of machine and interpreter, how noisy the machine
-- is at this moment, and what helps.
local EXIT = require "tare.cli.exit"
local advice = require "tare.env.advice"
local clock = require "tare.env.clock"
local core = require "tare.core"
local env = require "tare.env"
local files = require "tare.cli.files"
local json = require "tare.base.json"
local lists = require "tare.base.lists"
local noise = require "tare.env.noise"
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
  for _, name in ipairs(lists.keys(fields)) do
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

local function as_text(facts)
  local lines = flatten({}, "", facts.env)
  if facts.noise then flatten(lines, "noise.", facts.noise) end
  lines[#lines + 1] = ""
  for _, found in ipairs(facts.advice) do
    lines[#lines + 1] = ("%s: %s: %s."):format(
      found.level == "warn" and "warning" or "note", found.finding,
      found.advice)
  end
  if #facts.advice == 0 then lines[#lines + 1] = "Nothing to advise." end
  return table.concat(lines, "\n") .. "\n"
end

local READING = { uv = require "luv", read = files.read_regular }
local READINGS = 64 -- of the core's clock, at this moment

-- The reference clock, and the core's clock at this moment.
local function clock_now()
  local known, steps = clock.load(READING), core.chain_steps()
  for _ = 1, steps and steps > 0 and READINGS or 0 do
    local cycle_ns, width = core.chain_read(steps)
    if cycle_ns then known:observe(cycle_ns, width) end
  end
  return known:fields()
end

--- Runs the command; what it returns is read in tare.cli.
function command.run(given)
  if given.reset then
    local was_known, message = clock.reset(READING)
    if was_known == nil then return nil, message end
    local done, why = stdout.write(was_known
      and "forgot the reference clock of this machine\n"
      or "no reference clock of this machine was remembered\n")
    return done and EXIT.done, why
  end
  local fingerprint = env.fingerprint { uv = require "luv" }
  fingerprint.clock, fingerprint.counters = clock_now(), env.counters()
  local sample = noise.sample()
  local found = { env = fingerprint, noise = sample,
    advice = advice.findings(fingerprint, sample) }
  local ok, message = stdout.write(given.json and json.encode(found) .. "\n"
    or as_text(found))
  return ok and EXIT.done, message
end

return command
