-- Exact figures of one function, without timing it: for assertions in tests.
local compat = require "tare.base.compat"
local core = require "tare.core"
local Fixture = require "tare.bench.fixture"
local probe = require "tare.run.probe"
local Suite = require "tare.bench.suite"

local exact = {}

-- Calls before the count: on LuaJIT as many as make the compiler finish.
local WARMUP_CALLS = compat.jit() and 200 or 2
local CENSUS_CALLS = 16

local function prepared(fn, warmup)
  local suite = Suite.new("exact")
  suite:bench("fn", fn)
  local fixture = Fixture.new(suite:cells()[1], "inline")
  assert(fixture:prepare())
  fixture:repeater()(warmup)
  return fixture
end

-- A count, or the error that the function raised.
local function counted(figures, message)
  if figures then return figures end
  error(message, 0)
end

--- What some calls allocate, in all. The collector waits
--- meanwhile, and is then as it was.
---@param fn function called without arguments
---@param calls integer? 16 unless told
---@param warmup integer? calls before them: 2, or 200 on LuaJIT
---@return table census totals over census.iters calls
function exact.census(fn, calls, warmup)
  local _, _, was_running = core.gc_settings()
  local fixture = prepared(fn, warmup or WARMUP_CALLS)
  local census, message = probe.census(fixture, calls or CENSUS_CALLS)
  core.gc_run(was_running)
  return counted(census, message)
end

-- Calls take() with LuaJIT's compiler off and nothing compiled; the second
-- result says whether it was on.
local function interpreted(take)
  local jit = compat.jit()
  if not jit or not jit.status() then return take(), false end
  jit.off()
  jit.flush()
  local ok, value = pcall(take)
  jit.on()
  if not ok then error(value, 0) end
  return value, true
end

--- Instructions of the virtual machine over some calls. LuaJIT's compiler
--- is off for the count: what it compiles has no such instructions.
---@param fn function called without arguments
---@param calls integer? 1 unless told
---@param warmup integer? calls before them: 2
---@return { iters: integer, instructions: integer } counts
---@return boolean compiler_was_on
function exact.instructions(fn, calls, warmup)
  return interpreted(function()
    local fixture = prepared(fn, warmup or 2)
    local counts, message = fixture:apply(core.instructions, calls or 1)
    return { iters = calls or 1, instructions = counted(counts, message) }
  end)
end

return exact
