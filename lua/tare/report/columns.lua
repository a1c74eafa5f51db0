-- Which columns a table of results has: the usual ones, or those of a list.
local escape = require "tare.report.escape"
local known = require "tare.report.catalogue"

local columns = {}

local DEFAULT = { "time", "time:interval", "discarded", "r2",
  "r2_collections", "cycles", "net", "gc", "gc_minor", "gc_major",
  "minor_time", "major_time", "pause_p50", "pause_p95", "pause_p99",
  "pause_max", "full_time", "promoted", "retained", "bytes", "allocs",
  "instructions", "bytes_rate", "items_rate", "loop", "gc_run", "gc_mode",
  "relative", "histogram" }

-- Where the width does not do, the last of these go first.
local PRIORITY = { "time", "time:interval", "relative", "gc", "net",
  "bytes", "allocs", "bytes_rate", "items_rate", "r2",
  "histogram", "gc_major", "gc_minor", "cycles",
  "instructions", "gc_run", "gc_mode", "loop" }

local function interval_column(of)
  return { key = of.key .. ":interval", of = of, align = "left",
    title = function(context) return context.confidence .. " CI" end,
    explain = "the interval that holds the figure before it with this "
      .. "confidence: +- where both sides are alike, else its ends" }
end

local ALIASES = { share = "gc" } -- names of before

local function one(key) return known[ALIASES[key] or key] end

local function find(key)
  local of = known[key:match("^(.*):interval$")]
  return of and of.estimate and interval_column(of) or one(key)
end

-- Adds a column, once.
local function add(list, column)
  if not list[column.key] then
    list[column.key], list[#list + 1] = true, column
  end
end

--- The columns that a list of names asks for: "a,b,+c" or { "a", "b", "+c" };
--- '+' adds the interval and R2. Without a list, the usual ones.
---@param names string|string[]|nil
---@return table[]? columns
---@return string? message naming the one that is not known
function columns.chosen(names)
  local list, wants_r2 = {}, false
  if names == nil then names = DEFAULT end
  if type(names) == "table" then names = table.concat(names, ",") end
  for name in names:gmatch("[^,%s]+") do
    local plus, key = name:match("^(%+?)(.*)$")
    local column = find(key)
    if key ~= "name" and not column then
      return nil, ("no column '%s'; there are: %s"):format(
        escape.visible(key), table.concat(columns.names(), ", "))
    end
    if column then add(list, column) end
    if column and plus == "+" then
      wants_r2 = true
      if column.estimate then add(list, interval_column(column)) end
    end
  end
  if wants_r2 then add(list, known.r2) end
  return list
end

--- The names of all columns, sorted.
---@return string[]
function columns.names()
  local names = { "name" }
  for key in pairs(known) do names[#names + 1] = key end
  table.sort(names)
  return names
end

--- The columns that go first where the width does not do: ascending.
---@return table<string, integer> rank by key
function columns.ranks()
  local ranks = {}
  for i, key in ipairs(PRIORITY) do ranks[key] = #PRIORITY - i end
  return ranks
end

local function is_sortable(column)
  return column and column.estimate and not column.needs_context
end

local function sortable_names()
  local names = { "name" }
  for _, name in ipairs(columns.names()) do
    if is_sortable(known[name]) then names[#names + 1] = name end
  end
  return table.concat(names, ", ")
end

--- What a result is sorted by: the figure of a column, or its name.
---@param key string
---@return (fun(result: table): number|string|nil)?
---@return string? message
function columns.sorter(key)
  if key == "name" then return function(result) return result.id end end
  local column = one(key)
  if not is_sortable(column) then
    return nil, ("can't sort by '%s', but by: %s"):format(escape.visible(key),
      sortable_names())
  end
  return function(result)
    local e = column.estimate(result)
    return e and e.value
  end
end

return columns
