-- From the command line's FILEs to cells.
local benchfile = require "tare.bench.file"
local env = require "tare.env"
local filter = require "tare.bench.filter"
local sweep = require "tare.sweep"

local files = {}

local function kind_of(path)
  local stat = require("luv").fs_stat(path)
  return stat and stat.type
end

local function sorted_names(folder)
  local uv = require "luv"
  local names, scan = {}, uv.fs_scandir(folder)
  local name = scan and uv.fs_scandir_next(scan)
  while name do
    names[#names + 1] = name
    name = uv.fs_scandir_next(scan)
  end
  table.sort(names)
  return names
end

-- Every *_bench.lua below a folder, in a fixed order.
local function below(folder, found)
  for _, name in ipairs(sorted_names(folder)) do
    local path = folder .. "/" .. name
    if kind_of(path) == "directory" then
      below(path, found)
    elseif name:find("_bench%.lua$") then
      found[#found + 1] = path
    end
  end
end

local function expand(paths)
  local found = {}
  for _, path in ipairs(paths) do
    local kind = kind_of(path)
    if not kind then return nil, path .. ": no such file or folder" end
    if kind == "directory" then
      local before = #found
      below((path:gsub("(.)/+$", "%1")), found)
      if #found == before then
        return nil, path .. ": no *_bench.lua in this folder"
      end
    else
      found[#found + 1] = path
    end
  end
  return found
end

--- The suites of bench files.
---@param paths string[] files, or folders
---@return table[]? suites
---@return string? message
function files.suites(paths)
  local found, message = expand(paths)
  if not found then return nil, message end
  local suites = {}
  for _, path in ipairs(found) do
    local loaded, why = benchfile.load(path)
    if not loaded then return nil, why end
    for _, suite in ipairs(loaded) do suites[#suites + 1] = suite end
  end
  return suites
end

local function read_overrides(list)
  local overrides = {}
  for i, text in ipairs(list or {}) do
    local override, message = sweep.parse_override(text)
    if not override then return nil, "--param: " .. message end
    overrides[i] = override
  end
  return overrides
end

-- What identifies the text of a bench file, for fingerprints.
local function source_of(path)
  local file = path and io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text and env.hash_of(text)
end

local function cells_of(suites, choose)
  local all, taken = {}, {}
  for _, suite in ipairs(suites) do
    local source = source_of(suite.file)
    local cells, message = suite:cells(choose)
    if not cells then return nil, message end
    for _, cell in ipairs(cells) do
      if taken[cell.id] then
        return nil, ("%s: stands in %s too"):format(cell.id, taken[cell.id])
      end
      taken[cell.id] = suite.file or "another suite"
      cell.file, cell.source = suite.file, source
      all[#all + 1] = cell
    end
  end
  return all
end

-- An override that changes nothing is a misspelt one.
local function check_overrides(overrides, cells)
  for _, override in ipairs(overrides) do
    local found = false
    for _, cell in ipairs(cells) do
      found = found or cell.params[override.name] ~= nil
    end
    if not found then
      return ("--param: no chosen bench has a parameter '%s'"):format(
        override.name)
    end
  end
end

--- The cells that the command line asks for.
---@param suites table[]
---@param given table filter, match, param
---@return table[]? cells
---@return string? message
function files.cells(suites, given)
  local takes, message = filter.new(given.filter, given.match)
  if not takes then return nil, "--filter: " .. message end
  local overrides, wrong = read_overrides(given.param)
  if not overrides then return nil, wrong end
  local cells, why = cells_of(suites, { takes = takes, overrides = overrides })
  if not cells then return nil, why end
  if #cells == 0 then
    return nil, given.filter and given.filter[1]
      and "no bench matches; 'tare list' names those that there are"
      or "there are no benches in it"
  end
  local misspelt = check_overrides(overrides, cells)
  if misspelt then return nil, misspelt end
  return cells
end

return files
