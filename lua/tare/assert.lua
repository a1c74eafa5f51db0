-- Assertions on cost, for luassert (and so busted): `require "tare.assert"`.
--
--   assert.allocates_nothing(fn)
--   assert.allocates_at_most(fn, { allocs = 2, bytes = 200 })
--   assert.executes_at_most(fn, 40)
--   assert.is_faster_than(fn, other)
--   assert.grows_at_most(fn, "n log n")
--
-- Counts are exact. What is timed is measured until the answer is sure, and
-- fails only if it is surely wrong.
local claims = require "tare.claims"
local lists = require "tare.base.lists"
local nearest = require "tare.base.nearest"
local units = require "tare.base.units"

local assertions = {}

local DEFAULTS = {
  faster = { times = 1, margin = "5%", budget = "3s" },
  growth = { metric = "time", budget = "5s" },
}

local function misuse(name, level, message, ...)
  error(("tare.assert: %s: "):format(name) .. message:format(...), level + 2)
end

-- A table that can be called is none: what __call costs is not the function's.
local function check_function(name, level, value)
  if type(value) ~= "function" then
    misuse(name, level + 1, "expected a function, got %s", type(value))
  end
end

local function is_amount(value)
  return type(value) == "number" and value >= 0 and value < 1/0
end

-- The given options over their defaults; each must be one of 'known': a table
-- of checks by name, which return true for a valid value.
local function read(name, level, given, defaults, known)
  if given ~= nil and type(given) ~= "table" then
    misuse(name, level + 1, "options must be a table, got %s", type(given))
  end
  local all = lists.copy(defaults)
  for key, value in pairs(given or {}) do
    if not known[key] or not known[key](value) then
      misuse(name, level + 1, "%s: '%s'%s", known[key]
        and ("not a value of '" .. key .. "'") or "no such option",
        tostring(known[key] and value or key),
        known[key] and "" or nearest.hint(key, known))
    end
    all[key] = value
  end
  return all
end

local function is_count(value)
  return is_amount(value) and value >= 1 and value % 1 == 0
end

local function is_duration(value)
  return (units.parse_duration(value) or 0) > 0
end

local function is_share(value) return units.parse_percent(value) ~= nil end

local function is_sizes(value)
  if type(value) ~= "table" or #value < 5 then return false end
  local seen = {}
  for _, n in ipairs(value) do
    if not is_count(n) or n < 2 or seen[n] then return false end
    seen[n] = true
  end
  return true
end

local KNOWN = {
  allocations = { bytes = is_amount, allocs = is_amount, calls = is_count,
    warmup = is_amount },
  instructions = { instructions = is_amount, calls = is_count,
    warmup = is_amount },
  nothing = { calls = is_count, warmup = is_amount },
  faster = { times = function(x) return is_amount(x) and x > 0 end,
    margin = is_share, budget = is_duration },
  growth = { metric = function(x) return claims.METRICS[x] ~= nil end,
    sizes = is_sizes, budget = is_duration, warmup = is_amount },
}

-- The answer to luassert: its arguments become the message; an answer that is
-- not sure lets the test pass, negated or not.
local function conclude(state, arguments, expected, holds, said, figures)
  for i = 1, arguments.n do arguments[i] = nil end
  arguments[1] = ("%s: %s."):format(state.mod and expected[1] or expected[2],
    said)
  arguments.n, arguments.nofmt = 1, { true }
  if holds == nil then holds = state.mod end
  return holds, { figures }
end

--- Fails if a call allocates more than limits say. Exact: counted over some
--- calls (on LuaJIT, of compiled code where the compiler is on), and a mean of
--- them.
---@param fn function called without arguments
---@param limits table bytes?, allocs? (a call); calls? (16: counted), warmup?
---  (calls before them)
---@return table census what was counted, over 'iters' calls; errors of fn and
---  of misuse are raised
function assertions.allocates_at_most(state, arguments, level)
  local name, fn = "allocates_at_most", arguments[1]
  level = level or 1
  check_function(name, level, fn)
  local limits = read(name, level, arguments[2], {}, KNOWN.allocations)
  if not limits.bytes and not limits.allocs then
    misuse(name, level, "needs a limit: 'bytes' or 'allocs'")
  end
  return conclude(state, arguments, { "Allocates too much",
    "Allocates no more than the limit" }, claims.allocations(fn, limits))
end

--- Fails if a call allocates anything, and names the lines that do. Exact, as
--- allocates_at_most is.
---@param fn function called without arguments
---@param options table? calls (16: counted), warmup (calls before them)
---@return table census what was counted, over 'iters' calls; errors of fn and
---  of misuse are raised
function assertions.allocates_nothing(state, arguments, level)
  local name, fn = "allocates_nothing", arguments[1]
  level = level or 1
  check_function(name, level, fn)
  local given = read(name, level, arguments[2], {}, KNOWN.nothing)
  given.bytes, given.allocs = 0, 0
  return conclude(state, arguments, { "Allocates", "Allocates nothing" },
    claims.allocations(fn, given))
end

--- Fails if a call executes more instructions of the virtual machine. Exact.
--- On LuaJIT the interpreter's are counted, with the compiler off meanwhile.
---@param fn function called without arguments
---@param limits number|table instructions per call; or instructions, calls?
---  (1), warmup?
---@return table counts {iters, instructions}; errors of fn and of misuse are
---  raised
function assertions.executes_at_most(state, arguments, level)
  local name, fn, given = "executes_at_most", arguments[1], arguments[2]
  level = level or 1
  check_function(name, level, fn)
  if type(given) == "number" then given = { instructions = given } end
  local limits = read(name, level, given, {}, KNOWN.instructions)
  if not limits.instructions then
    misuse(name, level, "needs a limit: a number, or 'instructions'")
  end
  return conclude(state, arguments, { "Executes too many instructions",
    "Executes no more than the limit" }, claims.instructions(fn, limits))
end

--- Fails if a function is surely slower than another: than a 'times'-th of its
--- time, and by more than the margin. Negated, if it is surely faster.
---@param fn function called without arguments
---@param other function called without arguments
---@param options table? times (1), margin ("5%"), budget ("3s": for all rounds)
---@return table comparison of the last round; errors of the functions and of
---  misuse are raised
function assertions.faster_than(state, arguments, level)
  local name, fn, other = "is_faster_than", arguments[1], arguments[2]
  level = level or 1
  check_function(name, level, fn)
  check_function(name, level, other)
  local given = read(name, level, arguments[3], DEFAULTS.faster, KNOWN.faster)
  given.negated = not state.mod
  local holds, said, found = claims.faster(fn, other, given)
  local speed = given.times == 1 and "as fast as the other"
    or ("%g times as fast as the other"):format(given.times)
  if given.negated and holds ~= nil then holds = not holds end
  return conclude(state, arguments, {
    ("Not %s, within %s"):format(speed, tostring(given.margin)),
    ("More than %s, beyond %s"):format(speed, tostring(given.margin)) }, holds,
    said, found)
end

--- Fails if a cost surely grows faster with n than a law. Laws: "1", "log n",
--- "n", "n log n", "n^2", "n^3". By time, laws a factor of log n apart are not
--- distinguished; by counts, which are exact, they are.
---@param fn fun(n: integer)
---@param law string
---@param options table? metric ("time", "instructions", "allocs" or "bytes"),
---  sizes (five or more; else chosen), budget ("5s": for all rounds), warmup
---@return table points {{x, value}...}: nanoseconds or counts; errors of fn and
---  of misuse are raised
function assertions.grows_at_most(state, arguments, level)
  local name, fn, law = "grows_at_most", arguments[1], arguments[2]
  level = level or 1
  check_function(name, level, fn)
  if type(law) ~= "string" or not claims.rank(law) then
    misuse(name, level, "'%s' is not one of %s", tostring(law),
      table.concat(claims.LAWS, ", "))
  end
  local given = read(name, level, arguments[3], DEFAULTS.growth, KNOWN.growth)
  return conclude(state, arguments, { "Grows faster than " .. law,
    "Grows no faster than " .. law }, claims.grows(fn, law, given))
end

--- Adds the assertions to a luassert.
---@param luassert table
---@param say table luassert's messages
---@return table luassert
function assertions.add_to(luassert, say)
  say:set("assertion.tare", "%s")
  for _, name in ipairs { "allocates_nothing", "allocates_at_most",
    "executes_at_most", "faster_than", "grows_at_most" } do
    luassert:register("assertion", name, assertions[name], "assertion.tare",
      "assertion.tare")
  end
  return luassert
end

return assertions.add_to(require "luassert", require "say")
