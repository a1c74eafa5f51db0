-- From a job to cells: loads the bench files and chooses the wanted cells of
-- their suites. A job is plain data, so that each process of a run gets the
-- same cells in the same order.
local benchfile = require "tare.bench.file"
local core = require "tare.core"
local files = require "tare.base.files"
local flags = require "tare.bench.flags"
local lists = require "tare.base.lists"
local nearest = require "tare.base.nearest"
local sweep = require "tare.sweep"
local unicode = require "tare.base.unicode"

local cells = {}

-- WHICH IDS A RUN TAKES: globs, prefixes or patterns, '!' to leave out.

local MATCHERS = {
  -- Without a wildcard, any part of an id.
  glob = function(wanted)
    if not wanted:find("[*?]") then
      return function(id) return id:find(wanted, 1, true) ~= nil end
    end
    local pattern = "^" .. wanted:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0")
      :gsub("%*+", ".*"):gsub("%?", ".") .. "$"
    return function(id) return id:find(pattern) ~= nil end
  end,
  prefix = function(wanted)
    return function(id) return id:sub(1, #wanted) == wanted end
  end,
  pattern = function(wanted)
    local function find(id)
      local well_formed, found = pcall(string.find, id, wanted)
      if well_formed then return found ~= nil end
      return nil, ("'%s' is not a Lua pattern (%s)"):format(wanted,
        tostring(found):gsub("^.-: ", ""))
    end
    local _, message = find ""
    if message then return nil, message end
    return find -- most faults only show when something matches
  end,
}

--- A predicate over ids. An id is taken when it matches one of the wanted
--- texts (any id, if there is none) and none of those that start with '!'.
---@param wanted string[]
---@param kind "glob"|"prefix"|"pattern"?
---@return (fun(id: string): boolean?, string?)? takes  also returns nil and a
---  message, where a malformed pattern only shows when something matches
---@return string? message
function cells.filter(wanted, kind)
  local include, exclude = {}, {}
  for _, text in ipairs(wanted or {}) do
    local negated = text:sub(1, 1) == "!"
    local matcher, message =
      MATCHERS[kind or "glob"](negated and text:sub(2) or text)
    if not matcher then return nil, message end
    table.insert(negated and exclude or include, matcher)
  end
  return function(id)
    local wrong
    local function matches(matcher)
      local is, message = matcher(id)
      wrong = wrong or message
      return is
    end
    local is_taken = (#include == 0 or lists.first(include, matches) ~= nil)
      and not lists.first(exclude, matches)
    if wrong then return nil, wrong end
    return is_taken
  end
end

-- WHICH CELLS

-- The suites of all files, without files that can't be loaded, and the messages
-- about these.
local function suites_of(job)
  local suites, broken = {}, {}
  flags.give(job.flags)
  local function add(loaded, message)
    if not loaded then broken[#broken + 1] = message end
    lists.append(suites, loaded)
  end
  if job.expressions then
    add(benchfile.of_expressions(job.expressions, job.setup))
  end
  if job.text then
    local loaded, message = benchfile.of_text(job.text)
    local lacks_suite = message and message:find("returns no suite", 1, true)
    add(loaded, lacks_suite and message .. "; an expression is given with -e"
      or message)
  end
  for _, path in ipairs(job.files) do add(benchfile.load(path)) end
  return suites, broken
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

local FEW = 5 -- ids that a message names

-- The message that no bench is chosen, with the filters and a hint.
local function nothing_matches(job, ids)
  local texts = lists.copy(job.filter)
  for _, path in ipairs(job.files or {}) do
    for _, name in ipairs((job.names or {})[path] or {}) do
      if not lists.has(texts, name) then texts[#texts + 1] = name end
    end
  end
  local wanted, has_glob, leaves_out, names = {}, false, false, {}
  for _, text in ipairs(texts) do
    wanted[#wanted + 1] = ("'%s'"):format(text)
    leaves_out = leaves_out or text:sub(1, 1) == "!"
    has_glob = has_glob or (job.match or "glob") == "glob"
      and text:find("[*?]") ~= nil
    -- the words of an id: somebody may have misspelt any of them
    for _, id in ipairs(ids) do
      for word in id:gmatch("[^/{},=]+") do names[word] = true end
      names[id], names[id:match("^[^{]*")] = true, true
    end
  end
  local first = texts[1]
  local hint = nearest.hint(first, names)
  if leaves_out and names[first] then
    hint = "; what '!' leaves out is all that the others choose"
  elseif first:find(",", 1, true) then
    hint = "; give each name its own --filter"
  elseif hint == "" or names[first] then
    hint = "; there are: " .. lists.named(ids, FEW)
  end
  return ("no bench matches %s%s%s"):format(table.concat(wanted, " "),
    has_glob and " (a glob covers a whole id, like */name*)" or "", hint)
end

-- The files of some suites, for a message.
local function places_of(suites)
  local names, seen = {}, {}
  for _, suite in ipairs(suites) do
    local name = suite.file or ("suite '%s'"):format(suite.name)
    if not seen[name] then names[#names + 1], seen[name] = name, true end
  end
  return lists.named(names, FEW)
end

-- The message where two cells have one id, as it is sent and stored.
local function second_of_id(all)
  local taken = {}
  for _, cell in ipairs(all) do
    local id, place = unicode.repair(cell.id), cell.file or "another suite"
    local other = taken[id]
    if other and other.id ~= cell.id then
      return ("%s: '%s': two benches have this name, but for bytes that are no "
        .. "UTF-8"):format(place, id)
    elseif other then
      return ("%s: '%s' is in %s too; each suite needs a name of its own")
        :format(place, id, other.file or "another suite")
    end
    taken[id] = cell
  end
end

-- The message where two benches that are compared are both the baseline.
local function second_baseline(all)
  local marked = {}
  for _, cell in ipairs(all) do
    local first = cell.baseline and marked[cell.compared]
    if first and first.name ~= cell.name then
      return ("%s'%s': 'baseline' is set here and in '%s'; of benches that are "
        .. "compared, one can be the baseline"):format(cell.file
        and cell.file .. ": " or "", cell.id, first.id)
    elseif cell.baseline then
      marked[cell.compared] = first or cell
    end
  end
end

-- The message where an override changes nothing, so its name is misspelt.
local function misspelt(overrides, list)
  for _, override in ipairs(overrides) do
    local found = false
    for _, cell in ipairs(list) do
      found = found or cell.params[override.name] ~= nil
    end
    if not found then
      return ("--param: no chosen bench has a parameter '%s'"):format(
        override.name)
    end
  end
end

--- What is wrong with all cells of a run, though it is with none of a part.
---@param all table[] cells; some as plain data do as well
---@param param string[]? of the job, which can be read
---@return string? message
function cells.fault(all, param)
  return second_of_id(all) or second_baseline(all)
    or misspelt(read_overrides(param), all)
end

--- The cells of suites that a job wants.
---@param suites table[]
---@param job table settings (resolved options of the run), filter, match,
---  param; names: filters of a file, by its path (without them, all its benches
---  are taken); ids: the ids of the wanted cells, by number, where the files
---  are only some of a run that was checked as a whole before; is_part: whether
---  the rest of the run may have what this part lacks (see fault())
---@return table[]? cells
---@return string? message
function cells.of_suites(suites, job)
  local message
  local function filter(wanted)
    local takes, why = cells.filter(wanted, job.match)
    message = message or why
    return takes
  end
  local takes, of_file = filter(job.filter), {}
  for path, names in pairs(job.names or {}) do of_file[path] = filter(names) end
  if message then return nil, "--filter: " .. message end
  local overrides, wrong = read_overrides(job.param)
  if not overrides then return nil, wrong end
  local all, left_out = {}, {}
  for _, suite in ipairs(suites) do
    local by_name = of_file[suite.file]
    local function takes_noting(id)
      local is_taken, no_pattern = takes(id)
      if is_taken and by_name then is_taken, no_pattern = by_name(id) end
      message = message or no_pattern
      if not is_taken then left_out[#left_out + 1] = id end
      return is_taken
    end
    local text = suite.file and files.read(suite.file)
    local source = text and core.hash(text) -- for fingerprints
    local some, why = suite:cells(job.settings,
      { takes = takes_noting, overrides = overrides })
    if message then return nil, "--filter: " .. message end
    if not some then
      return nil, suite.file and ("%s: %s"):format(suite.file, why) or why
    end
    for _, cell in ipairs(some) do
      cell.file, cell.source = suite.file, source
      all[#all + 1] = cell
    end
  end
  local is_whole = not job.ids and not job.is_part -- else checked elsewhere
  if #all == 0 and is_whole then
    return nil, left_out[1] and nothing_matches(job, left_out)
      or places_of(suites) .. ": there are no benches in it (suite:bench adds "
        .. "one; 'exclude' and 'where' may leave out all)"
  end
  if is_whole then
    message = cells.fault(all, job.param)
  else
    message = second_of_id(all)
  end
  if message then return nil, message end
  return all
end

--- The cells of a job.
---@param job table files, expressions? and setup? (-e and -s), text? (of a
---  bench file), and what of_suites() takes
---@return table[]? cells
---@return string? message
---@return string[] broken what is wrong with files that could not be loaded
function cells.of(job)
  local suites, broken = suites_of(job)
  if #suites == 0 and broken[1] then return nil, broken[1], broken end
  local list, message = cells.of_suites(suites, job)
  return list, message, broken
end

--- A cell as plain data, for the conductor.
---@param cell table
---@param settings table? of the run: a cell without others has no 'options'
---@return table
function cells.plain(cell, settings)
  return { id = cell.id, suite = cell.suite, group = cell.group,
    name = cell.name, params = cell.params,
    options = cell.options ~= settings and cell.options or nil,
    loop = cell.loop, baseline = cell.baseline,
    compared = cell.compared, source = cell.source, file = cell.file }
end

return cells
