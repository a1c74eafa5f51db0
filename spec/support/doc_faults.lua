-- What a documented function lacks: a description, the types of its arguments,
-- the units of its numbers, and its errors.

-- Words that tell a unit, or that there is none.
local UNITS = { "nanosecond", "millisecond", "second", "byte", "call", "share",
  "cycle", "count", "row", "step", "how many", "instruction", "percent",
  "degrees of freedom", "unit", "probabilit", "ratio", "seed", "deviations",
  "correlation", "%[%-1, 1%]", "factor", "number over", "characters", "KiB",
  "operations", "number of" }

local function has_unit(text)
  for _, word in ipairs(UNITS) do
    if text:find(word) then return true end
  end
  return false
end

local function is_number(type)
  local plain = type:gsub("fun%b()[^|]*", ""):gsub("table<.->", "")
    :gsub("{.-}", "")
  return plain:find "number" ~= nil or plain:find "integer" ~= nil
    or plain:find "double" ~= nil or plain:find "size_t" ~= nil
end

local function check(faults, what, entry, text)
  if not entry.type or entry.type == "" then
    faults[#faults + 1] = what .. ": no type"
  elseif is_number(entry.type) and not has_unit(text) then
    faults[#faults + 1] = what .. ": no unit"
  end
end

local function check_arguments(faults, entry)
  for i, name in ipairs(entry.arguments) do
    local param = entry.params[i]
    if not param or param.name ~= name then
      faults[#faults + 1] = "argument " .. name .. ": not described"
    else
      check(faults, "argument " .. name, param, param.context or param.text)
    end
  end
  if #entry.params > #entry.arguments then
    faults[#faults + 1] = "describes arguments that it does not have"
  end
end

--- What the documentation of a function lacks.
---@param entry table of spec/support/meta.lua
---@return string[] faults
return function(entry)
  local faults = {}
  if #entry.description < 10 then faults[1] = "no description" end
  if not entry.raises then faults[#faults + 1] = "no errors ('Raises ...')" end
  check_arguments(faults, entry)
  for i, value in ipairs(entry.returns) do
    check(faults, "result " .. i, value, (value.name or "") .. " "
      .. value.text .. " " .. entry.description)
  end
  return faults
end
