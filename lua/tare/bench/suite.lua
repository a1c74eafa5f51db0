-- What is measured: suites of benches, in groups, over parameters.
local definition = require "tare.bench.definition"
local sweep = require "tare.sweep"

local Suite = {}
Suite.__index = Suite
local Group = {}
Group.__index = Group

-- Both methods are misspelt most often as 'suite.bench(...)'.
local function check_self(self, who, level)
  local meta = type(self) == "table" and getmetatable(self)
  if meta == Suite or meta == Group then return end
  error(("%s: call it with a colon, suite:bench(name, ...)"):format(who),
    level + 1)
end

local function check_name(name, who, level)
  if type(name) ~= "string" or name == "" then
    error(("%s: 'name' must be a string, got %s"):format(who,
      name == "" and "an empty one" or type(name)), level + 1)
  end
end

--- Adds a bench. Over its 'params', implementations (the axis 'impl', or the
--- one that 'compare' names) are compared with each other, or with the one that
--- 'baseline' names; 'exclude' and 'where' are asked about each combination.
--- Without such an axis, the benches of a group are compared, and
--- 'baseline = true' marks the one they are compared with.
---@param name string unique in its group
---@param spec function|table what is called, or a table with 'run' or 'batch'
---@return table self
function Group:bench(name, spec)
  check_self(self, "tare: bench", 2)
  check_name(name, "tare: bench", 2)
  local read, message = definition.read(spec)
  if not read then error(("tare: bench '%s': %s"):format(name, message), 2) end
  local prefix = table.concat(self.path, "/")
  local key = prefix .. "/" .. name
  if self.suite.taken[key] then
    error(("tare: bench '%s' stands twice in '%s'"):format(name, prefix), 2)
  end
  self.suite.taken[key] = true
  table.insert(self.suite.benches,
    { name = name, path = self.path, spec = read, key = key })
  return self
end

--- Adds a group: benches of one group are compared with each other.
---@param name string
---@param fill fun(group: table) adds benches to the group
---@return table self
function Group:group(name, fill)
  check_self(self, "tare: group", 2)
  check_name(name, "tare: group", 2)
  if type(fill) ~= "function" then
    error("tare: group: expected a function, got " .. type(fill), 2)
  end
  local path = {}
  for i, part in ipairs(self.path) do path[i] = part end
  path[#path + 1] = name
  fill(setmetatable({ suite = self.suite, path = path }, Group))
  return self
end

Suite.bench, Suite.group = Group.bench, Group.group

local function groups_of(path)
  local groups = {}
  for i = 2, #path do groups[i - 1] = path[i] end
  return groups[1] and groups or nil
end

-- What is compared with what: the implementations of one bench, or else the
-- benches of one group, at the same parameters.
local function comparison_key(bench, found)
  local place = found.contrast and bench.key or table.concat(bench.path, "/")
  return place .. (found.group or "")
end

local function new_cell(bench, found)
  return {
    id = bench.key .. (found.label or ""), suite = bench.path[1],
    group = groups_of(bench.path), name = bench.name, params = found.params,
    values = found.values, spec = bench.spec,
    settings = found.settings or {},
    baseline = bench.spec.baseline == true or found.baseline,
    compared = comparison_key(bench, found),
  }
end

--- Every cell of the suite: one a bench, or one a combination of parameters.
---@param choose { takes: (fun(id: string): boolean)?, overrides: table[]? }?
---@return table[]? cells
---@return string? message
function Suite:cells(choose)
  choose = choose or {}
  local cells = {}
  for _, bench in ipairs(self.benches) do
    local combinations = { { params = {}, values = {} } }
    if bench.spec.params then
      local message
      combinations, message = sweep.cells(bench.spec.params,
        definition.sweep_options(bench.spec, choose.overrides))
      if not combinations then return nil, bench.key .. ": " .. message end
    end
    for _, found in ipairs(combinations) do
      local cell = new_cell(bench, found)
      if not choose.takes or choose.takes(cell.id) then
        cells[#cells + 1] = cell
      end
    end
  end
  return cells
end

--- A new suite.
---@param name string
---@return table suite with methods bench, group and cells
function Suite.new(name)
  check_name(name, "tare.suite", 2)
  local self = setmetatable({ name = name, path = { name }, benches = {},
    taken = {} }, Suite)
  self.suite = self
  return self
end

--- Whether a value is a suite.
---@return boolean
function Suite.is(value) return getmetatable(value) == Suite end

return Suite
