-- What a worker may answer to a request. A bench can write into its worker's
-- link, so an answer is checked before anything is computed with it: a wrong
-- one loses that bench, and no other.
local checks = require "tare.base.checks"
local core = require "tare.core"
local null = require("cjson").null

local answers = {}

--- What is said of one that can't be.
answers.LIE = "its worker gave an answer that can't be one: did the bench "
  .. "write into the worker's link?"

-- Fields of a row that are no columns of the samples.
local FLAGS = { shares_traces = true, clock_went_back = true, is_capped = true }

local CENSUS = { iters = "number", allocs = "number", bytes = "number",
  full_collection = checks.map(checks.number) }
local ROW = {}

-- What a call returned: { path, value } of each part (tare.worker.returned).
local PART = checks.list(checks.of_type("string", "a text"))
local PARTS = checks.list(function(value)
  return PART(value) or #value ~= 2 and checks.complaint("a pair", value) or nil
end)

-- What each request of the worker (OPS in tare.worker) is answered with: a row
-- of so many calls, what passes a check, or fields and their types. Those that
-- have a check, or a '?', may lack.
local FORMS = {
  time = ROW, warm = ROW, stopped = ROW, empty = ROW, paced = ROW,
  inside = ROW, traces = checks.traces,
  profile = checks.profile, profile_alone = checks.profile,
  prepare = { loop = "string", gc_mode = "string?", heap_bytes = "number",
    per_call = "boolean?", throughput = checks.map(checks.number),
    is_running = "boolean?",
    compiles = "boolean?", watches_compiler = "boolean?",
    ignores_setting = "boolean?" },
  census = CENSUS, census_alone = CENSUS, long_census = CENSUS,
  instructions = { iters = "number", instructions = "number" },
  returned = function(answer) return PARTS(answer.returned) end,
  redraw = {},
  rest = {},
  call = { calls = "number" },
  collect = { ended = "boolean", ns = "number", heap_bytes = "number" },
  pauses = function(answer)
    return answer.pauses ~= nil and not pcall(core.pauses, { answer.pauses })
      and "can't be joined with others" or nil
  end,
  look = { width = "number?" },
  full = { ns = "number", heap_bytes = "number", freed_bytes = "number?" },
  machine = { grown_bytes = "number" },
  finish = { finished = "boolean" },
}

local scratch = core.samples(2)

local function is_time(x)
  return type(x) == "number" and x >= 0 and x <= checks.HUGE -- 30 years
end

-- Whether a row has numbers in columns that there are, and is of this batch.
local function is_row(row, iters)
  if row.is_capped == true then return iters > 1 end -- else it has failed
  local columns = {}
  for name, value in pairs(row) do
    if FLAGS[name] then
      if value ~= true then return false end
    else
      -- A report with what is huge could not be read.
      if type(value) ~= "number" or math.abs(value) > checks.HUGE then
        return false
      end
      columns[name] = value
    end
  end
  if not is_time(row.wall_ns) or row.iters ~= iters then return false end
  local ok = pcall(scratch.push, scratch, columns)
  while #scratch > 0 do scratch:drop() end
  return ok
end

--- Whether an answer can be one to this request. Fields without a value (null)
--- are removed.
---@param request { op: string, iters: integer? }
---@param answer table
---@return boolean
function answers.are_sound(request, answer)
  for name, value in pairs(answer) do
    if value == null then answer[name] = nil end
  end
  if answer.error ~= nil then
    return type(answer.error) == "string"
      and (answer.code == nil or type(answer.code) == "string")
  end
  if answer.spent_ns ~= nil and not is_time(answer.spent_ns) then
    return false
  end
  local form = FORMS[request.op]
  if form == ROW then return is_row(answer, request.iters) end
  if answer.wall_ns ~= nil then return false end -- only rows have one
  if type(form) == "function" then return form(answer) == nil end
  for name, kind in pairs(form) do
    local value = answer[name]
    if type(kind) == "function" then
      if value ~= nil and kind(value) then return false end
    else
      local needed = kind:gsub("?", "")
      if value == nil and needed == kind
        or value ~= nil and type(value) ~= needed then
        return false
      end
    end
  end
  return true
end

return answers
