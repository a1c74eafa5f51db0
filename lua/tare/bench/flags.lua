-- The flags that a bench file adds to its command line: a table with names and
-- defaults, which the benches read. The command line replaces the defaults.
local flags = {}

local KINDS = { string = true, number = true, boolean = true }

local given = {} -- the values of this process, by name

--- Values that were given on the command line, for files that are loaded from
--- here on.
---@param values table<string, any>?
function flags.give(values) given = values or {} end

--- Reads the flags of a file.
---@param wanted table<string, any> a default for each name: a string, a number
---  or a boolean; or { default, help }
---@return { name: string, default: any, help: string? }[]? list by name
---@return string? message
function flags.read(wanted)
  if type(wanted) ~= "table" then
    return nil, "'flags' must be a table, got " .. type(wanted)
  end
  local list = {}
  for name, value in pairs(wanted) do
    local default, help = value, nil
    if type(value) == "table" then default, help = value[1], value[2] end
    if type(name) ~= "string" or not name:find "^%l[%w_]+$" then
      return nil, ("'flags': a name is like 'size' or 'input_file', not '%s'")
        :format(tostring(name))
    elseif not KINDS[type(default)] then
      return nil, ("'flags': the default of '%s' must be a string, a number or "
        .. "a boolean, got %s"):format(name, type(default))
    elseif help ~= nil and type(help) ~= "string" then
      return nil, ("'flags': the help of '%s' must be a string, got %s"):format(
        name, type(help))
    end
    list[#list + 1] = { name = name, default = default, help = help }
  end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

--- Puts the values that were given, or the defaults, in the file's own table.
---@param wanted table<string, any>
---@param list table[] of flags.read
function flags.fill(wanted, list)
  for _, flag in ipairs(list) do
    local value = given[flag.name]
    if value == nil then value = flag.default end
    wanted[flag.name] = value
  end
end

return flags
