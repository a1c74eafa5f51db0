-- Captures: what a recorder of frames knew, as JSON. They come from other
-- programs, so what the analysis computes with is checked.
local files = require "tare.base.files"
local store = require "tare.store"

local capture = {}

local FORMAT = "frames 1" -- of tare.frames

local function is_finite(value)
  return type(value) == "number" and value > -1e300 and value < 1e300
end

-- A list of so many numbers; without a count, of any.
local function is_list(value, count)
  if type(value) ~= "table" or count and #value ~= count then return false end
  for i = 1, #value do
    if not is_finite(value[i]) then return false end
  end
  return true
end

-- Bins with their counts, in ascending order, 'count' in all.
local function is_counted(t)
  if type(t) ~= "table" or type(t.counts) ~= "table" or not is_list(t.counts)
    or not is_list(t.low_ns, #t.counts)
    or not is_list(t.high_ns, #t.counts) then
    return false
  end
  local sum, last = 0, -1
  for i, count in ipairs(t.counts) do
    if count < 1 or t.low_ns[i] <= last or t.high_ns[i] <= t.low_ns[i] then
      return false
    end
    sum, last = sum + count, t.low_ns[i]
  end
  return sum >= 1 and sum == (t.count or t.frames)
end

local DURATIONS = { "count", "total_ns", "min_ns", "max_ns" }
local function is_durations(t)
  if not is_counted(t) then return false end
  for _, name in ipairs(DURATIONS) do
    if not is_finite(t[name]) or t[name] < 0 then return false end
  end
  return t.total_ns > 0
end

local function are(list, fields, more)
  if type(list) ~= "table" then return false end
  for _, one in ipairs(list) do
    if type(one) ~= "table" then return false end
    for _, name in ipairs(fields) do
      if not is_finite(one[name]) then return false end
    end
    if more and not more(one) then return false end
  end
  return true
end

local function is_optional(value) return value == nil or is_finite(value) end

local function is_named(one)
  return type(one.name) == "string" and is_optional(one.heap_bytes)
end

local COLLECTOR = { "collector_ns", "collector_of_ns", "collector_max_ns" }

-- The collector's part, where it is known: all of the fields, or none.
local function has_parts(one)
  local count = 0
  for _, name in ipairs(COLLECTOR) do
    if one[name] ~= nil then count = count + 1 end
    if not is_optional(one[name]) then return false end
  end
  return count == 0 or count == #COLLECTOR
end

local NUMBERS = { "budget_ns", "over", "stutters", "lost_ns", "gc_minor",
  "gc_major", "collector_frame_ns", "best_run", "best_run_ns",
  "best_run_start_ns", "dropped", "lost_marks" }
local OPTIONAL = { "collecting", "stepping", "collector" }
local COLUMNS = { "start_ns", "wall_ns" }

-- What is wrong with a record; nil: nothing.
local function fault(record)
  for _, name in ipairs(NUMBERS) do
    if not is_finite(record[name]) or record[name] < 0 then return name end
  end
  if not is_durations(record.all) then return "all" end
  for _, name in ipairs(OPTIONAL) do
    if record[name] ~= nil and not is_durations(record[name]) then
      return name
    end
  end
  for _, name in ipairs { "heap_first", "heap_last", "heap_max" } do
    if record.heap_first ~= nil and not is_finite(record[name]) then
      return name
    end
  end
  if not are(record.worst, { "frame", "start_ns", "ns", "usual_ns",
    "collections" }, function(one)
      return (one.scope == nil or type(one.scope) == "string")
        and is_optional(one.collector_ns)
    end) then return "worst" end
  if not are(record.blocks, { "frames", "start_ns", "total_ns", "over",
    "stutters" }, function(block)
      return is_counted(block) and is_optional(block.least_heap_bytes)
    end) or not record.blocks[1] then return "blocks" end
  if not are(record.marks, { "first", "frames", "start_ns", "total_ns",
    "max_ns", "over" }, is_named) then return "marks" end
  if not are(record.scopes, { "calls", "over", "collections", "grown_bytes" },
    function(one)
      return is_named(one) and (one.frames == nil or is_durations(one.frames))
        and is_optional(one.budget_ns) and has_parts(one)
    end) then return "scopes" end
  if record.paced ~= nil and not are({ record.paced },
    { "untimed", "stopped" }) then return "paced" end
  local samples = record.samples
  if type(samples) ~= "table" or type(samples.wall_ns) ~= "table" then
    return "samples"
  end
  for _, name in ipairs(COLUMNS) do
    if not is_list(samples[name], #samples.wall_ns) then return "samples" end
  end
end

--- Reads a capture.
---@param path string
---@return table? record as recorder:record() gives it
---@return string? message
function capture.read(path)
  local text, message = files.read(path)
  if not text then return nil, message or path .. ": can't be read" end
  local record
  record, message = store.parse(text)
  if message and not path:find "%.lua$" then
    return nil, path .. ": " .. message
  elseif type(record) ~= "table" or record.tare ~= FORMAT then
    return nil, path .. ": is no capture of frames (tare.render(recorder, "
      .. "\"json\"), or tare_frames_write)"
  end
  local wrong = fault(record)
  if wrong then
    return nil, ("%s: is damaged: '%s' is not as a recorder writes it"):format(
      path, wrong)
  end
  return record
end

return capture
