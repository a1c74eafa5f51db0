-- Records of several launches made into one a bench: its samples one after the
-- other, with the number of their launch. Pure.
local gather = {}

-- Columns of one record at the end of those before, absent where it has none.
local function append(columns, samples, rows)
  local added = #samples.iters
  for name in pairs(samples) do
    if not columns[name] then
      columns[name] = {}
      for row = 1, rows do columns[name][row] = 0 / 0 end
    end
  end
  for name, column in pairs(columns) do
    local values = samples[name]
    for row = 1, added do
      column[rows + row] = values and values[row] or 0 / 0
    end
  end
  return rows + added
end

local function filled(count, value)
  local list = {}
  for i = 1, count do list[i] = value end
  return list
end

local function shifted(column, by)
  if not column then return nil end
  local list = {}
  for i, value in ipairs(column) do list[i] = value + by end
  return list
end

-- Samples as the whole run sees them: rounds that no other launch has, and
-- times since the first launch began.
local function placed(part)
  local samples = {}
  for name, column in pairs(part.record.samples) do samples[name] = column end
  samples.launch = filled(#samples.iters, part.launch)
  samples.round = shifted(samples.round, part.first_round or 0)
  samples.start_ns = shifted(samples.start_ns, part.began_ns or 0)
  return samples
end

local function union(lists)
  local set, list = {}, {}
  for _, one in ipairs(lists) do
    for _, code in ipairs(one) do set[code] = true end
  end
  for code in pairs(set) do list[#list + 1] = code end
  table.sort(list)
  return list
end

-- The parts that measured something; where none did, the first alone.
local function sound(parts)
  local list = {}
  for _, part in ipairs(parts) do
    if not part.record.error then list[#list + 1] = part end
  end
  return #list > 0 and list or { parts[1] }
end

-- What went wrong in launches beside those that went well.
local function failures(parts, used, warnings)
  local list = {}
  for _, part in ipairs(parts) do
    if part.record.error and part ~= used[1] then
      list[#list + 1] = { launch = part.launch, message = part.record.error }
      warnings[#warnings + 1] = part.record.warnings
    end
  end
  if #list > 0 then warnings[#warnings + 1] = { "launch_failed" } end
  return #list > 0 and list or nil
end

local function add_warmup(total, warmup)
  if not warmup then return total end
  total = total or { calls = 0, ns = 0 }
  return { calls = total.calls + warmup.calls, ns = total.ns + warmup.ns }
end

--- One record of those that launches made of a bench. Passes are those of the
--- first launch that has them.
---@param parts { record: table, launch: integer, first_round: number?,
---  began_ns: number? }[] at least one, in the order of the launches
---@return table record
function gather.merge(parts)
  local used, warnings = sound(parts), {}
  local merged = {}
  for key, value in pairs(used[1].record) do merged[key] = value end
  merged.samples, merged.warmup, merged.thinned = { iters = {} }, nil, nil
  local rows = 0
  for i, part in ipairs(used) do
    local record = part.record
    rows = append(merged.samples, placed(part), rows)
    merged.warmup = add_warmup(merged.warmup, record.warmup)
    if record.thinned then
      merged.thinned = (merged.thinned or 0) + record.thinned
    end
    warnings[i] = record.warnings
  end
  merged.failed_launches = failures(parts, used, warnings)
  merged.warnings = union(warnings)
  merged.launches = #used
  return merged
end

--- The highest round of a record.
---@param record table
---@return number
function gather.last_round(record)
  local last = 0
  for _, round in ipairs(record.samples.round or {}) do
    if round > last then last = round end
  end
  return last
end

-- A result as it was when it was measured.
local function as_record(result)
  local record = {}
  for key, value in pairs(result) do record[key] = value end
  record.warnings = result.measured_warnings or result.warnings
  return record
end

--- Results of several runs of the same benches, to be analysed anew: those of
--- the first, each with the samples of all that have it.
---@param launches table[][] results of each run
---@return table[] records
function gather.results(launches)
  local parts, rounds = {}, {}
  for launch, results in ipairs(launches) do
    for _, result in ipairs(results) do
      local id = result.id
      parts[id], rounds[id] = parts[id] or {}, rounds[id] or 0
      table.insert(parts[id], { record = as_record(result), launch = launch,
        first_round = rounds[id] })
      rounds[id] = rounds[id] + gather.last_round(result)
    end
  end
  local merged = {}
  for i, result in ipairs(launches[1]) do
    merged[i] = gather.merge(parts[result.id])
    merged[i].measured_warnings = nil
  end
  return merged
end

return gather
