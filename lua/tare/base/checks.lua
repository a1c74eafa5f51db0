-- What data must be, as functions: check(value) -> nil, or a complaint that
-- starts where a path ends: ".time.value must be a number, got a string".
local numerals = require "tare.base.numerals"

local checks = {}

--- The largest number of a column of samples: sums of what is beyond, and of
--- its squares, overflow.
checks.HUGE = 1e18

--- The complaint about a value that is no such thing.
function checks.complaint(expected, value)
  local kind = type(value)
  if kind == "nil" then
    return (" must be %s, but is missing"):format(expected)
  end
  if kind == "table" then kind = value[1] ~= nil and "list" or "object" end
  if kind == "number" and value ~= value then kind = "null" end
  local article = kind:find("^[aeiou]") and "an" or "a"
  return (" must be %s, got %s %s"):format(expected, article, kind)
end

--- A value of one of Lua's types.
function checks.of_type(kind, expected)
  return function(value)
    if type(value) ~= kind then return checks.complaint(expected, value) end
  end
end

--- A table with these fields; those of 'required' must be there.
function checks.object(fields, required)
  for name in pairs(required or {}) do assert(fields[name], name) end
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return checks.complaint("an object", value)
    end
    for name, check in pairs(fields) do
      local field = value[name]
      if field ~= nil or required and required[name] then
        local wrong = check(field)
        if wrong then return "." .. name .. wrong end
      end
    end
  end
end

--- A list, each of which passes 'check'.
function checks.list(check)
  return function(value)
    if type(value) ~= "table" or value[1] == nil and next(value) ~= nil then
      return checks.complaint("a list", value)
    end
    for i = 1, #value do
      local wrong = check(value[i])
      if wrong then return ("[%d]%s"):format(i, wrong) end
    end
  end
end

--- Any names, each value passing 'check'.
function checks.map(check)
  return function(value)
    if type(value) ~= "table" or value[1] ~= nil then
      return checks.complaint("an object", value)
    end
    for name, field in pairs(value) do
      local wrong = check(field)
      if wrong then return "." .. tostring(name) .. wrong end
    end
  end
end

--- Two lists of a table: the one is longer by so many than the other.
function checks.lengths(check, long, short, more)
  return function(value)
    local wrong = check(value)
    if wrong or not (value[long] and value[short]) then return wrong end
    if #value[long] ~= #value[short] + more then
      return (".%s has %d values where '%s' has %d"):format(long, #value[long],
        short, #value[short])
    end
  end
end

checks.number = checks.of_type("number", "a number")

--- A number that %d takes: of a line, or a count.
function checks.whole(value)
  if type(value) ~= "number" or value ~= value then
    return checks.complaint("a whole number", value)
  elseif value % 1 ~= 0 or math.abs(value) > 2^53 then
    return " must be a whole number, got " .. numerals.plain(value)
  end
end

checks.text = checks.of_type("string", "a string")
checks.flag = checks.of_type("boolean", "true or false")
checks.numbers = checks.list(checks.number)
checks.histogram = checks.lengths(checks.object({ edges_ns = checks.numbers,
  counts = checks.numbers }, { edges_ns = true, counts = true }), "edges_ns",
  "counts", 1)

-- Exact figures, which a result has as the worker has counted them.

checks.census = checks.object({ iters = checks.number, allocs = checks.number,
  bytes = checks.number, freed_bytes = checks.number,
  peak_bytes = checks.number, growth_bytes = checks.number,
  full_collection = checks.map(checks.number),
  by_type = checks.map(checks.object { allocs = checks.number,
    bytes = checks.number }) })
checks.full = checks.object({ ns = checks.number, heap_bytes = checks.number,
  freed_bytes = checks.number, retained = checks.map(checks.number) })
checks.instructions = checks.object({ iters = checks.number,
  instructions = checks.number })

-- What --profile adds to a result, which has it as the worker found it: the
-- profile, and LuaJIT's traces.

local any_number, any_text, any_flag = checks.number, checks.text, checks.flag
local list, numbers, object = checks.list, checks.numbers, checks.object
local whole = checks.whole

local COUNTED = { instructions = true, allocs = true, bytes = true,
  freed_bytes = true }

-- Something of a profile, with what was counted of it.
local function counted(fields, required)
  local all = {}
  for name in pairs(COUNTED) do
    fields[name], all[name] = any_number, true
  end
  for _, name in ipairs(required) do all[name] = true end
  return object(fields, all)
end

-- A frame with a line must name its source.
local function with_source(check)
  return function(value)
    local wrong = check(value)
    if wrong then return wrong end
    if value.line and not value.source then
      return ".source" .. checks.complaint("a string", nil)
    end
  end
end

-- Stacks are numbers of frames that there are.
local function with_frames(check)
  return function(value)
    local wrong = check(value)
    if wrong then return wrong end
    for i, stack in ipairs(value.stacks or {}) do
      for j, number in ipairs(stack.frames) do
        if not (value.frames or {})[number] then
          return (".stacks[%d].frames[%d] is the number of no frame"):format(i,
            j)
        end
      end
    end
  end
end

checks.profile = with_frames(object({ calls = any_number, id = any_text,
  instructions = any_number, allocs = any_number, bytes = any_number,
  interpreted = any_flag,
  lines = list(counted({ source = any_text, line = whole },
    { "source", "line" })),
  functions = list(counted({ name = any_text, source = any_text,
    line = whole, calls = any_number, ns = any_number },
    { "name", "calls" })),
  frames = list(with_source(object({ name = any_text, source = any_text,
    line = whole }, { name = true }))),
  stacks = list(counted({ frames = numbers, calls = any_number,
    ns = any_number },
    { "frames" })),
  sources = list(object({ source = any_text, from = whole,
    text = list(any_text) }, { source = true, from = true, text = true })),
}, { lines = true, calls = true, instructions = true, allocs = true,
  bytes = true }))

checks.traces = object { compiled = whole, aborted = any_number,
  aborts = list(object({ reason = any_text, source = any_text,
    line = whole, count = any_number, bytecode = any_text,
    blacklisted = any_flag }, { reason = true, source = true, line = true,
    count = true })), side = whole,
  roots = list(object({ source = any_text, line = whole,
    traces = any_number, side = any_number, exits = any_number,
    taken = any_number }, { source = true, line = true, traces = true,
    side = true, exits = true, taken = true })),
  sampled = object { samples = any_number, compiled = any_number,
    lines = list(object({ source = any_text, line = whole,
      share = any_number }, { source = true, line = true, share = true })) }
}

return checks
