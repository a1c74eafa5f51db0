-- Assertions on cost, for luassert (and so busted): `require "tare.assert"`.
--
--   assert.allocates_nothing(fn)
--   assert.allocates_at_most(fn, { allocs = 2, bytes = 200 })
--   assert.executes_at_most(fn, 40)
--   assert.is_faster_than(fn, other)
--   assert.grows_at_most(fn, "n log n")
--
-- Counts are exact. What is timed is measured until the answer is sure, and
-- fails only if it is surely wrong. What each is given and hands back is in
-- tare.meta.assert.
local claims = require "tare.claims"
local lists = require "tare.base.lists"
local luassert = require "luassert"
local nearest = require "tare.base.nearest"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

-- An error at the line of the assertion.
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

-- What options each may be given, with what says whether a value is one, and
-- their defaults.
local KNOWN = {
  allocates_at_most = { bytes = is_amount, allocs = is_amount, calls = is_count,
    warmup = is_amount },
  executes_at_most = { instructions = is_amount, calls = is_count,
    warmup = is_amount },
  allocates_nothing = { calls = is_count, warmup = is_amount },
  is_faster_than = { times = function(x) return is_amount(x) and x > 0 end,
    margin = is_share, budget = is_duration },
  grows_at_most = { metric = function(x) return claims.METRICS[x] ~= nil end,
    sizes = is_sizes, budget = is_duration, warmup = is_amount },
}
local DEFAULTS = {
  is_faster_than = { times = 1, margin = "5%", budget = "3s" },
  grows_at_most = { metric = "time", budget = "5s" },
}

local function read(name, level, given)
  if given ~= nil and type(given) ~= "table" then
    misuse(name, level + 1, "options must be a table, got %s", type(given))
  end
  local all, known = lists.copy(DEFAULTS[name] or {}), KNOWN[name]
  for key, value in pairs(given or {}) do
    if not known[key] then
      misuse(name, level + 1, "no such option: '%s'%s", tostring(key),
        nearest.hint(key, known))
    elseif not known[key](value) then
      misuse(name, level + 1, "not a value of '%s': '%s'", key, tostring(value))
    end
    all[key] = value
  end
  return all
end

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

-- As luassert calls them: with whether they are negated (state.mod is false),
-- what they are given, and the level of an error at their line.
local assertions = {}

function assertions.allocates_at_most(state, arguments, level)
  local name, fn = "allocates_at_most", arguments[1]
  check_function(name, level, fn)
  local limits = read(name, level, arguments[2])
  if not limits.bytes and not limits.allocs then
    misuse(name, level, "needs a limit: 'bytes' or 'allocs'")
  end
  return conclude(state, arguments, { "Allocates too much",
    "Allocates no more than the limit" }, claims.allocations(fn, limits))
end

function assertions.allocates_nothing(state, arguments, level)
  local name, fn = "allocates_nothing", arguments[1]
  check_function(name, level, fn)
  local given = read(name, level, arguments[2])
  given.bytes, given.allocs = 0, 0
  return conclude(state, arguments, { "Allocates", "Allocates nothing" },
    claims.allocations(fn, given))
end

function assertions.executes_at_most(state, arguments, level)
  local name, fn, given = "executes_at_most", arguments[1], arguments[2]
  check_function(name, level, fn)
  if type(given) == "number" then given = { instructions = given } end
  local limits = read(name, level, given)
  if not limits.instructions then
    misuse(name, level, "needs a limit: a number, or 'instructions'")
  end
  return conclude(state, arguments, { "Executes too many instructions",
    "Executes no more than the limit" }, claims.instructions(fn, limits))
end

function assertions.faster_than(state, arguments, level)
  local name, fn, other = "is_faster_than", arguments[1], arguments[2]
  check_function(name, level, fn)
  check_function(name, level, other)
  local given = read(name, level, arguments[3])
  given.negated = not state.mod
  local holds, said, found = claims.faster(fn, other, given)
  local speed = given.times == 1 and "as fast as the other"
    or numerals.plain(given.times) .. " times as fast as the other"
  if given.negated and holds ~= nil then holds = not holds end
  return conclude(state, arguments, {
    ("Not %s, within %s"):format(speed, tostring(given.margin)),
    ("More than %s, beyond %s"):format(speed, tostring(given.margin)) }, holds,
    said, found)
end

function assertions.grows_at_most(state, arguments, level)
  local name, fn, law = "grows_at_most", arguments[1], arguments[2]
  check_function(name, level, fn)
  if type(law) ~= "string" or not claims.rank(law) then
    misuse(name, level, "'%s' is not one of %s", tostring(law),
      table.concat(claims.LAWS, ", "))
  end
  local given = read(name, level, arguments[3])
  return conclude(state, arguments, { "Grows faster than " .. law,
    "Grows no faster than " .. law }, claims.grows(fn, law, given))
end

require("say"):set("assertion.tare", "%s")
for name, assertion in pairs(assertions) do
  luassert:register("assertion", name, assertion, "assertion.tare",
    "assertion.tare")
end
return luassert
