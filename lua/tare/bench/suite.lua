-- Suites of benches, in groups, over parameters.
local gc_option = require "tare.base.gc_option"
local lists = require "tare.base.lists"
local nearest = require "tare.base.nearest"
local options = require "tare.base.options"
local sweep = require "tare.sweep"
local unpack = require("tare.base.compat").unpack

local Suite, Group = {}, {}

-- Raises an error where the name of a method is misspelt. No field has a name
-- near these, so reading a field that is not set still gives nil.
local function with_hints(methods)
  methods.__index = methods
  return setmetatable(methods, { __index = function(_, name)
    local near = nearest.name(name, methods)
    if near and type(methods[near]) == "function" and near:find "^%l" then
      error(("tare: a suite has no '%s'; did you mean '%s'?"):format(name,
        near), 2)
    end
  end })
end
with_hints(Suite)
with_hints(Group)

-- WHAT IS GIVEN FOR A BENCH: a function or a table, read and checked.

local FUNCTIONS = { setup = true, teardown = true, before_batch = true,
  after_batch = true, before_each = true, after_each = true, args = true,
  inputs = true, run = true, batch = true, exclude = true, where = true }
local FIELDS = { params = true, baseline = true, compare = true,
  throughput = true }

local KNOWN = {} -- all fields
for _, fields in ipairs { FUNCTIONS, FIELDS, options.OF_BENCH } do
  for name in pairs(fields) do KNOWN[name] = true end
end

local function unknown(key, value)
  if type(value) == "function" and (type(key) == "number"
    or not nearest.name(key, KNOWN)) then
    return ("no such field: '%s'; the function to measure is 'run'"):format(
      tostring(key))
  elseif type(key) == "number" then
    return "its fields have names, like run = function() ... end"
  elseif options.by_name[key] then
    return ("'%s' is an option of a run, not of a bench"):format(key)
  end
  return ("no such field: '%s'%s"):format(tostring(key),
    nearest.hint(key, KNOWN))
end

-- The fields of a spec, its options read; or nil and what is wrong with it.
local function read_fields(given)
  if type(given) == "function" then return { run = given, options = {} } end
  if type(given) ~= "table" then
    return nil, "expected a function or a table, got " .. type(given)
  end
  local spec = { options = {} }
  for key, value in pairs(given) do
    if FUNCTIONS[key] and type(value) ~= "function" then
      return nil, ("'%s' must be a function, got %s"):format(key, type(value))
    elseif FUNCTIONS[key] or FIELDS[key] then
      spec[key] = value
    elseif options.OF_BENCH[key] then
      local parsed, message = options.read(key, value)
      if parsed == nil then return nil, ("'%s': %s"):format(key, message) end
      spec.options[key] = parsed
    else
      return nil, unknown(key, value)
    end
  end
  return spec
end

-- The bytes or items that a call processes: amounts, or functions that return
-- them.
local function check_throughput(amounts)
  if amounts == nil then return nil end
  if type(amounts) ~= "table" then
    return "'throughput' must be { bytes = } or { items = }, got "
      .. type(amounts)
  end
  for name, amount in pairs(amounts) do
    if name ~= "bytes" and name ~= "items" then
      return ("'throughput' has 'bytes' and 'items', no '%s'"):format(
        tostring(name))
    elseif type(amount) ~= "number" and type(amount) ~= "function" then
      return ("'throughput': '%s' must be a number or a function, got %s")
        :format(name, type(amount))
    end
  end
end

local function check_spec(spec)
  if not spec.run and not spec.batch then
    return "it needs a function 'run' (or 'batch')"
  elseif spec.run and spec.batch then
    return "it has both 'run' and 'batch'"
  elseif spec.batch and (spec.before_each or spec.after_each or spec.inputs)
  then
    return ("'batch' loops itself; %s need 'run'"):format(spec.inputs
      and "'inputs'" or "before_each and after_each")
  elseif spec.inputs and spec.before_each then
    return "it has both 'inputs' and 'before_each': each makes the input of a "
      .. "call"
  elseif spec.options.loop == "batch" and not spec.batch then
    return "the loop kind 'batch' needs a function 'batch'"
  end
  local kind = type(spec.baseline)
  if kind ~= "nil" and kind ~= "boolean" and kind ~= "string" then
    return "'baseline' must be true, or the name of an implementation, got "
      .. kind
  end
  return check_throughput(spec.throughput)
end

-- The request for the sweep over a bench's parameters.
local function sweep_options(spec, overrides)
  return { exclude = spec.exclude, where = spec.where, contrast = spec.compare,
    baseline = type(spec.baseline) == "string" and spec.baseline or nil,
    overrides = overrides }
end

-- Reads the parameters now, so that a mistake is reported where it was made.
local function read_params(spec)
  if not spec.params then
    if type(spec.baseline) == "string" then
      return "'baseline' names an implementation, but there are no 'params'"
    end
    return nil
  end
  local message
  spec.params, message = sweep.read(spec.params, sweep_options(spec))
  return message
end

-- SUITES AND GROUPS

-- The most frequent mistake is a dot in place of the colon: 'suite.bench(...)'.
local function check_self(self, who)
  local meta = type(self) == "table" and getmetatable(self)
  if meta == Suite or meta == Group then return end
  error(("%s: call it with a colon, suite:bench(name, ...)"):format(who), 3)
end

local function check_name(name, who)
  if type(name) ~= "string" or name == "" then
    error(("%s: 'name' must be a string, got %s"):format(who,
      name == "" and "an empty one" or type(name)), 3)
  end
end

--- Adds a bench. If its 'params' have an axis of implementations ('impl', or
--- the axis that 'compare' names), these are compared with each other, or with
--- the one that 'baseline' names. 'exclude' and 'where' are called for each
--- combination. Without such an axis, the benches of a group are compared with
--- the bench that is marked 'baseline = true', if there is one.
---@param name string unique in its group
---@param spec function|table what is called, or a table with 'run' or 'batch'
---@return table self
function Group:bench(name, spec, ...)
  check_self(self, "tare: bench")
  check_name(name, "tare: bench")
  if ... ~= nil then
    error(("tare: bench '%s': takes a name and a function or table; options "
      .. "go into the table: { run = function, baseline = true }")
      :format(name), 2)
  end
  local known, message = read_fields(spec)
  message = message or check_spec(known) or read_params(known)
  if message then error(("tare: bench '%s': %s"):format(name, message), 2) end
  local prefix = table.concat(self.path, "/")
  local key = prefix .. "/" .. name
  if self.suite.taken[key] then
    error(("tare: bench '%s' stands twice in '%s'"):format(name, prefix), 2)
  end
  self.suite.taken[key] = true
  table.insert(self.suite.benches,
    { name = name, path = self.path, spec = known, key = key, group = self })
  return self
end

--- Sets the function that makes what the benches of a group share. It runs once
--- per process, before the first of them that is measured there. Its result is
--- the first argument of each bench's setup; of a bench without a setup, it is
--- the first argument of all functions.
---@param make fun(outer: any): any its argument: what the group around this one
---  shares, if anything
---@return table self
function Group:setup(make)
  check_self(self, "tare: setup")
  if type(make) ~= "function" then
    error("tare: setup: expected a function, got " .. type(make), 2)
  elseif self.shared then
    error(("tare: setup: '%s' has one already"):format(
      table.concat(self.path, "/")), 2)
  end
  self.shared = { make = make, of = table.concat(self.path, "/") }
  return self
end

-- What a bench shares with others: the setups of its groups, outermost first.
local function shared_by(group)
  local list = {}
  while group do
    if group.shared then table.insert(list, 1, group.shared) end
    group = group.outer
  end
  return list[1] and list
end

--- Adds a group: its benches are compared with the one that is its baseline.
---@param name string
---@param fill fun(group: table) adds benches to the group
---@return table self
function Group:group(name, fill)
  check_self(self, "tare: group")
  check_name(name, "tare: group")
  if type(fill) ~= "function" then
    error("tare: group: expected a function that adds benches, like "
      .. "suite:group(name, function(group) ... end), got " .. type(fill), 2)
  end
  local path = lists.copy(self.path)
  path[#path + 1] = name
  fill(setmetatable({ suite = self.suite, outer = self, path = path,
    shared = false }, Group))
  return self
end

Suite.bench, Suite.group, Suite.setup = Group.bench, Group.group, Group.setup

-- The final options of a cell: those of the run, overridden by those of the
-- bench, then by those of the cell.
local function options_of(settings, bench, found)
  local own, of_cell = bench.spec.options, found.settings
  -- one table for thousands of cells
  if not next(own) and not next(of_cell) then return settings end
  local all = lists.copy(settings)
  for name, value in pairs(own) do all[name] = value end
  for name, value in pairs(of_cell) do all[name] = value end
  return all
end

-- The kind of loop of a cell. The run's option is ignored for benches that
-- can't have that loop: a function 'batch' loops itself, and one without does
-- not. A bench's own option is always used.
local function loop_of(settings, bench, found)
  local own = found.settings.loop or bench.spec.options.loop
  if own then return own end
  if bench.spec.batch then return "batch" end
  return settings.loop ~= "batch" and settings.loop or "inline"
end

-- Options that change the state for a batch, or need more than single calls.
-- They can't be had among the other coroutines of a host.
local NOT_WITH_YIELDS = { "gc_mode", "gc_pause", "gc_step_multiplier",
  "gc_step_size", "gc_minor_multiplier", "gc_major_multiplier", "discard",
  "instructions", "jit", "profile", "timeout" }

-- Why a cell can't have its loop or its options; nil if it can.
local function refusal_of(bench, kind, final)
  local clash = final.yields and (bench.spec.batch and "batch"
    or final.gc ~= gc_option.DEFAULT and "gc")
  for _, name in ipairs(final.yields and NOT_WITH_YIELDS or {}) do
    if final[name] then clash = clash or name end
  end
  if final.jit == false and final.yields then clash = clash or "jit" end
  if clash then
    return ("yields: its calls run one by one among the host's coroutines, so "
      .. "'%s' can't be had"):format(clash)
  end
  if kind == "batch" and not bench.spec.batch then
    return "the loop kind 'batch' needs a function 'batch'"
  elseif kind ~= "batch" and bench.spec.batch then
    return ("'batch' loops itself: its loop kind can't be '%s'"):format(kind)
  end
end

local function new_cell(bench, found, settings)
  local kind = loop_of(settings, bench, found)
  local final = options_of(settings, bench, found)
  local path = bench.path
  return {
    id = bench.key .. (found.label or ""), suite = path[1],
    group = path[2] and { unpack(path, 2) } or nil, name = bench.name,
    params = found.params,
    values = found.values, spec = bench.spec, shared = shared_by(bench.group),
    options = final, loop = kind,
    refusal = refusal_of(bench, kind, final),
    baseline = bench.spec.baseline == true or found.baseline or nil,
    -- The implementations of one bench, or else the benches of one group, at
    -- the same parameters.
    compared = (found.contrast and bench.key or table.concat(path, "/"))
      .. (found.group or ""),
  }
end

--- Every cell of the suite: one per bench, or one per combination of
--- parameters.
---@param settings table resolved options of the run
---@param choose { takes: (fun(id: string): boolean)?, overrides: table[]? }?
---@return table[]? cells with their final 'options' and their 'loop'
---@return string? message
function Suite:cells(settings, choose)
  choose = choose or {}
  local cells = {}
  for _, bench in ipairs(self.benches) do
    local combinations = { { params = {}, values = {}, settings = {} } }
    if bench.spec.params then
      local message
      combinations, message = sweep.cells(bench.spec.params,
        sweep_options(bench.spec, choose.overrides))
      if not combinations then return nil, bench.key .. ": " .. message end
    end
    for _, found in ipairs(combinations) do
      local cell = new_cell(bench, found, settings)
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
  if type(name) == "table" then
    error("tare.suite: call it with a dot: tare.suite(name)", 2)
  end
  check_name(name, "tare.suite")
  local self = setmetatable({ name = name, path = { name }, benches = {},
    taken = {}, outer = false, shared = false }, Suite)
  self.suite = self
  return self
end

--- Whether a value is a suite.
---@return boolean
function Suite.is(value) return getmetatable(value) == Suite end

return Suite
