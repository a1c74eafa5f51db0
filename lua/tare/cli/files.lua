-- The bench files that the command line names: files, folders (every
-- *_bench.lua below), and FILE:NAME, which chooses benches of a file.
local document = require "tare.report.document"
local gate = require "tare.judge.gate"
local read = require("tare.base.files").read

local files = {}

local function kind_of(path)
  local stat = require("luv").fs_stat(path)
  return stat and stat.type
end

--- The contents of a file. Of a FIFO or a device, which may never end, nothing.
---@param path string
---@return string? text
function files.read_regular(path)
  local ok, uv = pcall(require, "luv")
  local stat = ok and uv.fs_stat(path)
  return (not stat or stat.type == "file") and read(path) or nil
end

-- The names in a folder, sorted; nil where it can't be read.
local function names_in(folder)
  local uv = require "luv"
  local names, scan = {}, uv.fs_scandir(folder)
  if not scan then return nil end
  for name in uv.fs_scandir_next, scan do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Every *_bench.lua below a folder, in a fixed order. Links to folders are not
-- followed: they may lead round.
local function below(folder, found)
  local names = names_in(folder)
  if not names then return nil, folder .. ": this folder can't be read" end
  for _, entry in ipairs(names) do
    local path = folder .. "/" .. entry
    local stat = require("luv").fs_lstat(path)
    if stat and stat.type == "directory" then
      local ok, message = below(path, found)
      if not ok then return nil, message end
    elseif entry:find("_bench%.lua$") and kind_of(path) ~= "directory" then
      found[#found + 1] = path
    end
  end
  return true
end

-- That other Lua files of a folder can be named: "; a/b.lua can be given by
-- name".
local function others_in(folder)
  for _, name in ipairs(names_in(folder)) do
    if name:find "%.lua$" then
      return ("; files of other names are given one by one, like %s/%s"):format(
        (folder:gsub("(.)/+$", "%1")), name)
    end
  end
  return ""
end

--- Every Lua file below the working folder, but not in hidden ones.
---@param most integer how many are looked for
---@return string[]
function files.lua_below_here(most)
  local uv, found = require "luv", {}
  local function look(at)
    local scan = uv.fs_scandir(at)
    if not scan then return end
    for name, kind in uv.fs_scandir_next, scan do
      if #found == most then return end
      local path = at == "." and name or at .. "/" .. name
      if kind == "directory" and name:sub(1, 1) ~= "." then
        look(path) -- links are not followed: they may lead round
      elseif kind ~= "directory" and name:find "%.lua$" then
        found[#found + 1] = path
      end
    end
  end
  look "."
  return found
end

--- "x_bench.lua:concat" is a file and a name, where there is no such file; a
--- name may be a whole id, "x_bench.lua:strings/concat", a file a folder.
---@param path string
---@return string path
---@return string? name
function files.split_name(path)
  if kind_of(path) then return path end
  local file, name = path:match("^(.-%.lua):(.+)$")
  if not (file and kind_of(file)) then
    file, name = path:match("^(.+):([^:/\\]+)$")
  end
  if file and kind_of(file) then return file, name end
  return path
end

--- A bench file, or a folder, that a word may mean.
---@param word string
---@return string? path
function files.near(word)
  if not pcall(require, "luv") then return nil end
  for _, ending in ipairs { "", ".lua", "_bench.lua" } do
    if kind_of(word .. ending) and (ending ~= "" or word:find "%.lua$"
      or kind_of(word) == "directory") then
      return word .. ending
    end
  end
end

-- Dashes that are no "-": the text was pasted from a page.
local DASHES = { "\226\128\146", "\226\128\147", "\226\128\148",
  "\226\136\146" }

--- What a word is that was taken for a file, or that a command has no place
--- for: the second value of an option; nil where nobody knows.
---@param word string
---@param given table of the parser
---@return string? clause
function files.mistaken(word, given)
  for _, dash in ipairs(DASHES) do
    if word:sub(1, #dash) == dash then
      local name = word:gsub(dash, ""):gsub("^%-+", "")
      return ("; it begins with a dash that is no '-'; did you mean '%s%s'?")
        :format(#name == 1 and "-" or "--", name)
    end
  end
  local rules, columns = given.fail_on, given.columns
  if rules and gate.parse(word) then
    return ("; a comma is between rules: --fail-on '%s,%s'"):format(
      type(rules) == "table" and rules[#rules] or rules, word)
  elseif columns and document.check { columns = word } then
    return ("; a comma is between columns: --columns %s,%s"):format(columns,
      word)
  end
end

--- The bench files.
---@param paths string[]
---@param given table? of the parser
---@return string[]? found
---@return string? message
---@return table<string, string[]>? names by which benches of a file are chosen;
---  a file that is given without one has none: all are
function files.expand(paths, given)
  local found, names, seen = {}, {}, {}
  local function add(file, name)
    if not seen[file] then
      found[#found + 1], seen[file], names[file] = file, true, name and {}
    end
    if name and names[file] then
      table.insert(names[file], name)
    else
      names[file] = nil
    end
  end
  for _, word in ipairs(paths) do
    local path, name = files.split_name(word)
    local kind = kind_of(path)
    if not kind then
      local near = files.near(path)
      return nil, ("%s: no such file or folder%s"):format(path, near
        and ("; did you mean '%s'?"):format(near)
        or files.mistaken(path, given or {})
        or path:find "[%s(){}]" and "; an expression is given with -e"
        or "")
    elseif kind ~= "directory" and path:find "%.json$" then
      return nil, ("%s: is a stored report, no bench file: 'tare report %s' "
        .. "shows it"):format(path, path)
    elseif kind == "directory" then
      local list = {}
      local ok, message = below((path:gsub("(.)/+$", "%1")), list)
      if not ok then return nil, message end
      if #list == 0 then
        return nil, ("%s: no *_bench.lua in this folder%s"):format(path,
          others_in(path))
      end
      for _, file in ipairs(list) do add(file, name) end
    else
      add(path, name)
    end
  end
  return found, nil, names
end

--- The bench files of a command line, as files.expand gives them; what "-"
--- stands for, the text of standard input, is kept as given.text.
---@param given table
---@return string[]? paths
---@return string? message
---@return table<string, string[]>? names
function files.given(given)
  local paths = {}
  for _, path in ipairs(given.files) do
    if path == "-" then
      given.text = io.read "*a"
    else
      paths[#paths + 1] = path
    end
  end
  return files.expand(paths, given)
end

return files
