-- What a worker, or a launch, may answer to a request. A bench can write into
-- its worker's link, so an answer is checked before anything is computed from
-- it. A wrong answer fails that bench, and no other.
local checks = require "tare.base.checks"
local core = require "tare.core"
local null = require("cjson").null
local units = require "tare.base.units"

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

-- Whether a value is plain data that a report can have: no null, and no number
-- that can't be read again.
local DEEPEST = 16 -- of tables in tables
local function is_plain(value, depth)
  if value == null then return false end
  if type(value) == "number" then return math.abs(value) <= checks.HUGE end
  if type(value) ~= "table" then return true end
  if depth == 0 then return false end
  for _, item in pairs(value) do
    if not is_plain(item, depth - 1) then return false end
  end
  return true
end

local function plain_data(value)
  return not is_plain(value, DEEPEST) and checks.complaint("plain data", value)
    or nil
end

local LONGEST_WORD = 64 -- bytes
local function word(value)
  return text(value) or #value > LONGEST_WORD
    and checks.complaint("a word", value) or nil
end

-- The answer to each request: a row with the number of calls that were asked
-- for, or a value that passes the check. First the requests to a worker (OPS in
-- tare.worker), then those to a launch (tare.worker.main).
local FORMS = {
  time = ROW, warm = ROW, stopped = ROW, empty = ROW, paced = ROW,
  inside = ROW, traces = checks.traces,
  profile = checks.profile, profile_alone = checks.profile,
  prepare = object({ loop = word, gc_mode = word, heap_bytes = number,
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
    load_ns = number, can_fork = flag, layout = checks.map(word),
    interpreter = plain_data },
  serve = object {}, ping = object {},
  -- Not 0, which a kill takes for many processes, nor 1, the system's first.
  fork = object({ worker = whole(2) }, { worker = true }),
  reap = object { code = whole(0), signal = whole(0) },
}

-- The most bytes of an answer. A row has hundreds; a profile, and what calls
-- return, may have megabytes, and so may all cells of a job.
local MOST_BYTES = { job = 2^28, profile = 2^26, profile_alone = 2^26,
  traces = 2^26, returned = 2^26 }
local MOST_OF_OTHERS = 2^20

--- The most bytes of an answer to this request.
---@param op string? nil: to none
---@return number
function answers.most_bytes(op) return MOST_BYTES[op] or MOST_OF_OTHERS end

--- The message for an answer that has more of them.
---@param op string
---@return string
function answers.too_large(op)
  return MOST_BYTES[op] and ("its answer (%s) is larger than %s, the most that "
    .. "is read"):format(op, units.value(MOST_BYTES[op], "bytes", 2))
    or answers.LIE
end

-- Codes of a failure that a worker may give. "interrupted" is none of them:
-- what was interrupted is not reported.
local CODES = { timeout = true, memory_cap = true }

-- Of columns by which times are divided, and batches are chosen: far beyond any
-- processor, and far from what overflows.
local BOUNDS = { cycle_ns = { 1e-3, 1e9 }, width = { 1e-3, 1e6 } }

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
      -- A report with a huge number could not be read; one next to 0 is 0, and
      -- has no logarithm, once it is divided by a number of calls.
      local size = type(value) == "number" and math.abs(value)
      if not size or size > checks.HUGE
        or size > 0 and size < 1 / checks.HUGE then
        return false
      end
      local bounds = BOUNDS[name]
      if bounds and (value < bounds[1] or value > bounds[2]) then
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
--- are removed; in its tables there can be none.
---@param request { op: string, iters: integer? } sent to a worker or a launch
---@param answer table
---@return boolean
function answers.are_sound(request, answer)
  for name, value in pairs(answer) do
    if value == null then answer[name] = nil end
  end
  if answer.error ~= nil and request.op ~= "job" then
    return type(answer.error) == "string"
      and (answer.code == nil or CODES[answer.code] == true)
  end
  if answer.spent_ns ~= nil and not is_time(answer.spent_ns) then
    return false
  end
  local form = FORMS[request.op]
  if form == ROW then return is_row(answer, request.iters) end
  if answer.wall_ns ~= nil then return false end -- only rows have one
  if request.op ~= "job" and not is_plain(answer, DEEPEST) then return false end
  return form(answer) == nil
end

return answers
