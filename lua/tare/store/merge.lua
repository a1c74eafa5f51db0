-- Makes one report of the reports of shards.
local ids = require "tare.base.ids"
local units = require "tare.base.units"

local merge = {}

-- Options that may differ: they say what was left out, or where it went.
local MAY_DIFFER = { shard = true, save = true, resume = true, output = true,
  format = true, color = true, progress = true, quiet = true }

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b or a ~= a and b ~= b
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

-- An option, the least of them, that differs and may not.
local function differing_option(a, b)
  local keys = {}
  for _, side in ipairs { a, b } do
    for key in pairs(side) do
      local differs = not same(a[key], b[key])
      if differs and not MAY_DIFFER[key] then keys[#keys + 1] = key end
    end
  end
  table.sort(keys)
  return keys[1]
end

-- As it is written on the command line, where it is a quota.
local function show(value)
  if type(value) == "number" then return ("%.14g"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  if value.ns then
    return (units.duration(value.ns, 9):gsub("%.?0+ ", " ")) -- "60 ms"
  end
  if value.calls then return ("%.14gx"):format(value.calls) end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do
    keys[i] = tostring(key) .. "=" .. show(value[key])
  end
  return "{" .. table.concat(keys, ",") .. "}"
end

--- What differs between the options of two reports and may not.
---@param first table Report
---@param other table Report
---@param names string[] what to call them
---@return string? message nil where nothing does
function merge.check_options(first, other, names)
  local a, b = first.options or {}, other.options or {}
  local key = differing_option(a, b)
  if key then
    return ("option '%s' differs: %s in %s, %s in %s"):format(key,
      show(a[key]), names[1], show(b[key]), names[2])
  end
end

local function check_schema(first, other, names)
  if first.schema ~= other.schema then
    return ("schema differs: %s in %s, %s in %s"):format(
      tostring(first.schema), names[1], tostring(other.schema), names[2])
  end
end

-- A source file that was another in an earlier report.
local function check_sources(report, seen, name)
  for file, hash in pairs(report.sources or {}) do
    local known = seen.sources[file]
    if known and not same(known.hash, hash) then
      return ("%s is not the same source in %s and %s"):format(file,
        known.name, name)
    end
    seen.sources[file] = known or { hash = hash, name = name }
  end
end

-- Of each report: its results, each with the number of its environment; and
-- refuses an id that was seen, or a bench of another source.
local function add_results(merged, report, seen, name)
  local offset = #merged.envs
  for _, env in ipairs(report.envs or { report.env or {} }) do
    merged.envs[#merged.envs + 1] = env
  end
  for _, result in ipairs(report.results) do
    local bench, copy = (ids.split(result.id)), {}
    if seen.id[result.id] then
      return ("'%s' is in %s and in %s"):format(result.id,
        seen.id[result.id], name)
    end
    local source = seen.source[bench]
    if source and result.source and source ~= result.source then
      return ("'%s' is not of the same source everywhere"):format(bench)
    end
    for key, value in pairs(result) do copy[key] = value end
    copy.env_index = offset + (result.env_index or 1)
    merged.results[#merged.results + 1] = copy
    seen.id[result.id], seen.source[bench] = name, source or result.source
  end
end

-- The values of the parameters in an id, numbers as numbers.
local function sort_key(result)
  local key = {}
  local _, texts = ids.split(result.id)
  for i, text in ipairs(texts) do
    local value = text:match("=(.*)$") or text
    local number = tonumber(value)
    key[i] = number == number and number or value -- LuaJIT reads "nan"
  end
  return key
end

local function precedes(a, b)
  for i = 1, math.min(#a, #b) do
    if type(a[i]) ~= type(b[i]) then return type(a[i]) == "number" end
    if a[i] ~= b[i] then return a[i] < b[i] end
  end
  return #a < #b
end

-- Benches by first appearance, their cells by their parameters.
local function sorted(results)
  local places, keys, count = {}, {}, 0
  for _, result in ipairs(results) do
    local bench = ids.split(result.id)
    if not places[bench] then count, places[bench] = count + 1, count end
    keys[result] = { places[bench], sort_key(result) }
  end
  table.sort(results, function(x, y)
    local a, b = keys[x], keys[y]
    if a[1] ~= b[1] then return a[1] < b[1] end
    return precedes(a[2], b[2])
  end)
end

local function add(merged, report, seen, name, first, first_name)
  local names = { first_name, name }
  return check_schema(first, report, names)
    or merge.check_options(first, report, names)
    or check_sources(report, seen, name)
    or add_results(merged, report, seen, name)
end

-- What stays of the first report, and what is said once for all.
local function complete(merged, first, seen)
  for key, value in pairs(first) do
    if merged[key] == nil and key ~= "sweeps" then merged[key] = value end
  end
  merged.options = {}
  for key, value in pairs(first.options or {}) do
    if key ~= "shard" then merged.options[key] = value end
  end
  for file, source in pairs(seen.sources) do
    merged.sources = merged.sources or {}
    merged.sources[file] = source.hash
  end
  sorted(merged.results)
  return merged
end

--- One report of several. Refuses reports of another schema, with other
--- options, of other sources, or with a result twice. 'envs' lists the
--- fingerprints of all, and each result's 'env_index' tells which is its own
--- ('env' is the first). Sweeps are not merged: read them again from the
--- results. The reports stay as they are.
---@param reports table[]
---@param names string[]? of the reports, for messages: their files
---@return table? report
---@return string? message
function merge.reports(reports, names)
  names = names or {}
  local merged = { envs = {}, results = {}, comparisons = {} }
  local seen = { id = {}, source = {}, sources = {} }
  if #reports == 0 then return nil, "there is nothing to merge" end
  for i, report in ipairs(reports) do
    local message = add(merged, report, seen, names[i] or "report " .. i,
      reports[1], names[1] or "report 1")
    if message then return nil, message end
    for _, one in ipairs(report.comparisons or {}) do
      merged.comparisons[#merged.comparisons + 1] = one
    end
  end
  return complete(merged, reports[1], seen)
end

return merge
