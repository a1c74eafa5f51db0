-- What a worker, or a launch, may answer to a request. A bench can write into
-- its worker's link, so an answer is checked before anything is computed from
-- it. A wrong answer fails that bench, and no other.
local checks = require "tare.base.checks"
local core = require "tare.core"
local null = require("cjson").null

local answers = {}

--- The message for an impossible answer.
answers.LIE = "its worker gave an answer that can't be one: did the bench "
  .. "write into the worker's link?"

-- Fields of a row that are no columns of the samples.
local FLAGS = { shares_traces = true, clock_went_back = true, is_capped = true }

local object, number = checks.object, checks.number
local text, flag = checks.text, checks.flag
local a_table = checks.of_type("table", "a table")

local ROW = {}

local function any_pauses(value)
  return not pcall(core.pauses, { value })
    and checks.complaint("pauses", value) or nil
end

-- What a call returned: { path, value } of each part (tare.worker.returned).
local PART = checks.list(text)
local PARTS = checks.list(function(value)
  return PART(value) or #value ~= 2 and checks.complaint("a pair", value) or nil
end)

-- A check: a value that passes 'form', and has these fields.
local function having(form, ...)
  local names = { ... }
  return function(value)
    local wrong = form(value)
    if wrong then return wrong end
    for _, name in ipairs(names) do
      if value[name] == nil then return ("." .. name .. " is missing") end
    end
  end
end
local census = having(checks.census, "iters", "allocs", "bytes")

local MOST_WHOLE = 2 ^ 31 - 1 -- of the numbers that the system gives

-- A check: a whole number of at least 'least', such as the number of a process,
-- a signal or an exit code.
local function whole(least)
  return function(value)
    if type(value) ~= "number" or value % 1 ~= 0 or value < least
      or value > MOST_WHOLE then
      return checks.complaint("a whole number", value)
    end
  end
end

-- The answer to each request: a row with the number of calls that were asked
-- for, or a value that passes the check. First the requests to a worker (OPS in
-- tare.worker), then those to a launch (tare.worker.main).
local FORMS = {
  time = ROW, warm = ROW, stopped = ROW, empty = ROW, paced = ROW,
  inside = ROW, traces = checks.traces,
  profile = checks.profile, profile_alone = checks.profile,
  prepare = object({ loop = text, gc_mode = text, heap_bytes = number,
    has_inputs = flag, throughput = checks.map(number), is_running = flag,
    compiles = flag, watches_compiler = flag, ignores_setting = flag },
    { loop = true, heap_bytes = true }),
  census = census, census_alone = census, long_census = census,
  instructions = having(checks.instructions, "iters", "instructions"),
  full = having(checks.full, "ns", "heap_bytes"),
  returned = object({ returned = PARTS }, { returned = true }),
  redraw = object {},
  rest = object {},
  call = object({ calls = number }, { calls = true }),
  collect = object({ ended = flag, ns = number, heap_bytes = number },
    { ended = true, ns = true, heap_bytes = true }),
  pauses = object { pauses = any_pauses },
  look = object { width = number },
  machine = object({ grown_bytes = number }, { grown_bytes = true }),
  finish = object({ finished = flag }, { finished = true }),

  job = object { cells = a_table, error = text, broken = checks.list(text),
    load_ns = number, can_fork = flag, layout = a_table,
    interpreter = a_table },
  serve = object {}, ping = object {},
  -- Not 0, which a kill takes for many processes, nor 1, the system's first.
  fork = object({ worker = whole(2) }, { worker = true }),
  reap = object { code = whole(0), signal = whole(0) },
}

local scratch = core.samples(2)

local function is_time(x)
  return type(x) == "number" and x >= 0 and x <= checks.HUGE -- 30 years
end

-- Whether a row has only known flags, and numbers in known columns, and is that
-- of a batch of 'iters' calls.
local function is_row(row, iters)
  if row.is_capped == true then return iters > 1 end -- else it has failed
  local columns = {}
  for name, value in pairs(row) do
    if FLAGS[name] then
      if value ~= true then return false end
    else
      -- A report with a huge number could not be read.
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
---@param request { op: string, iters: integer? } sent to a worker or a launch
---@param answer table
---@return boolean
function answers.are_sound(request, answer)
  for name, value in pairs(answer) do
    if value == null then answer[name] = nil end
  end
  if answer.error ~= nil and request.op ~= "job" then
    return type(answer.error) == "string"
      and (answer.code == nil or type(answer.code) == "string")
  end
  if answer.spent_ns ~= nil and not is_time(answer.spent_ns) then
    return false
  end
  local form = FORMS[request.op]
  if form == ROW then return is_row(answer, request.iters) end
  if answer.wall_ns ~= nil then return false end -- only rows have one
  return form(answer) == nil
end

return answers
