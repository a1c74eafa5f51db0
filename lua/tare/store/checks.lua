-- Checks of plain data, and what they are made of. A check is check(value) ->
-- nil, or a complaint that starts where a path ends: ".time.value must be a
-- number, got a string".
local checks = {}

local function complaint(expected, value)
  local kind = type(value)
  if kind == "nil" then
    return (" must be %s, but is missing"):format(expected)
  end
  if kind == "table" then kind = value[1] ~= nil and "list" or "object" end
  if kind == "number" and value ~= value then kind = "null" end
  local article = kind:find("^[aeiou]") and "an" or "a"
  return (" must be %s, got %s %s"):format(expected, article, kind)
end

local function leaf(kind, expected)
  return function(value)
    if type(value) ~= kind then return complaint(expected, value) end
  end
end

checks.number = leaf("number", "a number")
checks.text = leaf("string", "a string")
checks.flag = leaf("boolean", "true or false")

--- Anything but a table.
---@param value any
---@return string? complaint
function checks.scalar(value)
  if type(value) == "table" or value == nil then
    return complaint("a plain value", value)
  end
end

--- A table with these fields; those of 'required' must be there.
---@param fields table<string, fun(value: any): string?>
---@param required table<string, boolean>?
---@return fun(value: any): string? check
function checks.object(fields, required)
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return complaint("an object", value)
    end
    for name, check in pairs(fields) do
      local field = value[name]
      if field ~= nil or required and required[name] then
        local wrong = check(field)
        if wrong then return "." .. name .. wrong end
      end
    end
  end
end

--- A list, each of which passes 'check'.
---@param check fun(value: any): string?
---@return fun(value: any): string? check
function checks.list(check)
  return function(value)
    if type(value) ~= "table" or value[1] == nil and next(value) ~= nil then
      return complaint("a list", value)
    end
    for i = 1, #value do
      local wrong = check(value[i])
      if wrong then return ("[%d]%s"):format(i, wrong) end
    end
  end
end

--- Any names, each value passing 'check'.
---@param check fun(value: any): string?
---@return fun(value: any): string? check
function checks.map(check)
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return complaint("an object", value)
    end
    for name, field in pairs(value) do
      local wrong = check(field)
      if wrong then return "." .. tostring(name) .. wrong end
    end
  end
end

--- Two lists of a table: the one is longer by so many than the other.
---@param check fun(value: any): string? of the table
---@param long string
---@param short string
---@param more integer
---@return fun(value: any): string? check
function checks.lengths(check, long, short, more)
  return function(value)
    local wrong = check(value)
    if wrong or not (value[long] and value[short]) then return wrong end
    if #value[long] ~= #value[short] + more then
      return (".%s has %d values where '%s' has %d"):format(long, #value[long],
        short, #value[short])
    end
  end
end

local HUGE = 1e18 -- sums of what is beyond, and of its squares, overflow

-- What a column holds: calls are counted, times don't run backwards.
local LEAST = { iters = 1, wall_ns = 0 }

local function check_cell(least)
  return function(value)
    local wrong = checks.number(value)
    if wrong then return wrong end
    if value < least or math.abs(value) > HUGE then
      return (" can't be %.14g"):format(value)
    end
    if value ~= value and least == LEAST.iters then
      return complaint("a number", value)
    end
  end
end

local function check_column(name, column)
  return checks.list(check_cell(LEAST[name] or -HUGE))(column)
end

--- Columns of numbers, all of one length.
---@param value any
---@return string? complaint
function checks.columns(value)
  local wrong = checks.object {} (value)
  if wrong then return wrong end
  local rows
  for name, column in pairs(value) do
    wrong = check_column(name, column)
    if wrong then return "." .. tostring(name) .. wrong end
  end
  for name, column in pairs(value) do
    rows = rows or #column
    if #column ~= rows then
      return (".%s has %d rows where another column has %d"):format(
        tostring(name), #column, rows)
    end
  end
end

return checks
