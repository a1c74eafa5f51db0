-- A cell that is ready to be called: its arguments, its compiled loop, the
-- inputs of its calls, and the hooks around batches, all outside of the timed
-- region. An error of the bench's code is data: methods return nil, message.
local compat = require "tare.base.compat"
local core = require "tare.core"
local loop = require "tare.bench.loop"
local random = require "tare.base.random"
local yielding = require "tare.bench.yielding"

local Fixture = {}
Fixture.__index = Fixture
local pack, unpack = compat.pack, compat.unpack
local pcall, tostring, type = pcall, tostring, type
local find, match = string.find, string.match -- which a bench may remove
local without_yields = core.without_yields

-- The number of calls as hooks get it: an integer. In requests it may be a
-- float, from 5.3 on.
local tointeger = math.tointeger
local function whole(n) return tointeger and tointeger(n) or n end

local MOST_FIELDS = 5 -- most fields in the text of an error that is a table

-- The plain fields of a table as text: ": code = 3, message = 'gone'". They are
-- read without metamethods, which may do anything.
local function fields_of(value)
  local list, key = {}, nil
  repeat
    local item
    key, item = next(value, key)
    local kind = type(item)
    if type(key) == "string"
      and (kind == "string" or kind == "number" or kind == "boolean") then
      list[#list + 1] = kind == "string" and ("%s = '%s'"):format(key, item)
        or ("%s = %s"):format(key, tostring(item))
    end
  until key == nil
  table.sort(list)
  if #list == 0 then return "" end
  local more = #list > MOST_FIELDS and ", ..." or ""
  return ": " .. table.concat(list, ", ", 1, math.min(#list, MOST_FIELDS))
    .. more
end

local YIELDS = "it yields (coroutine.yield) where nothing can resume it: make "
  .. "the coroutine in the bench (coroutine.wrap), and resume it there; or "
  .. "measure it with 'yields = true', in a coroutine of the host"

-- Lua's message about a yield that is not possible, in plain words. Each
-- version has its own: "attempt to yield from outside a coroutine", "across a
-- C-call boundary", "across metamethod/C-call boundary".
local function plain(text)
  if not find(text, "attempt to yield ", 1, true) then return text end
  local place = match(text,
      "^(.*)attempt to yield across [%a/ ]*C%-call boundary$")
    or match(text, "^(.*)attempt to yield from outside a coroutine$")
  return place and place .. YIELDS or text
end

--- An error value as text; without addresses, which differ from run to run.
---@param value any
---@return string
function Fixture.describe(value)
  if type(value) == "string" then return plain(value) end
  if value == nil then return "(an error that is nil)" end
  local kind, ok, text = type(value), pcall(tostring, value)
  if ok and type(text) == "string" and not text:find("^" .. kind .. ": ") then
    return text
  end
  return ("(an error that is a %s%s)"):format(kind,
    kind == "table" and fields_of(value) or "")
end

local describe = Fixture.describe

--- A fixture for a cell; it runs nothing of the bench yet.
---@param cell table one of suite:cells()
---@param deadline table? core.deadline of each batch and hook
---@return table fixture 'kind' is that of its loop; 'has_inputs': whether each
---  call has an input of its own
function Fixture.new(cell, deadline)
  local spec = cell.spec
  local has_inputs = spec.before_each ~= nil or spec.after_each ~= nil
    or spec.inputs ~= nil
  return setmetatable({
    spec = spec, values = cell.values, deadline = deadline,
    shared = cell.shared, seed = (cell.options or {}).seed or 1,
    handed = {}, -- what before_batch hands to the calls of its batch
    refusal = cell.refusal, kind = has_inputs and "inline" or cell.loop,
    run = spec.run, batch = spec.batch, has_inputs = has_inputs,
    unroll = not has_inputs and cell.options.unroll or 1,
    yields = cell.options.yields, -- one call per batch, in the host's coroutine
    inputs = {}, results = {}, -- of the calls of a batch, where has_inputs
  }, Fixture)
end

--- The name of its loop in results. An unrolled loop has its own name, since
--- its figures differ from a plain one's.
---@return string
function Fixture:loop_name()
  if self.yields then return "yields" end
  if self.kind == "inline" and self.unroll > 1 then
    return self.kind .. "*" .. self.unroll
  end
  return self.kind
end

--- Calls f(...), which may raise; ended at the deadline, where there is one.
---@return any the first two results
function Fixture:within(f, ...)
  if self.deadline then return self.deadline:call(f, ...) end
  return f(...)
end

local within = Fixture.within

-- No trace of tare's own may begin here: a bench's trace could depend on it.
local jit = compat.jit()
if jit then jit.off(within) end

-- Calls f(...) of the bench: true and its first result, or nil and a message. A
-- yield is an error, unless it was asked for: in a host's coroutine it would
-- end the host's step.
function Fixture:_try(f, ...)
  local ok, value
  if self.yields then
    ok, value = yielding.call(nil, f, ...)
  else
    ok, value = pcall(without_yields, within, self, f, ...)
  end
  if ok then return true, value end
  return nil, describe(value)
end

--- Whether what was called last was ended at the deadline.
---@return boolean
function Fixture:timed_out()
  return self.deadline ~= nil and self.deadline:reached()
end

-- Calls a hook of the bench; what setup returned is its first argument. The
-- message of a failure names the hook; that of the bench's function names none.
function Fixture:_hook(name, ...)
  local hook = self.spec[name]
  if not hook then return true end
  local ok, value
  if self.state ~= nil then
    ok, value = self:_try(hook, self.state, ...)
  else
    ok, value = self:_try(hook, ...)
  end
  if ok then return true, value end
  return nil, ("in %s: %s"):format(name, value)
end

-- The arguments of a call: the result of setup, then those of 'args', or else
-- the parameters.
function Fixture:_read_arguments()
  local spec, state, values = self.spec, self.state, self.values
  self.arguments = spec.params and { n = 1, values } or { n = 0 }
  if spec.args then
    local ok, packed = self:_try(function()
      if state ~= nil then return pack(spec.args(state, values)) end
      return pack(spec.args(values))
    end)
    if not ok then return nil, "in args: " .. packed end
    self.arguments = packed
  end
  if state ~= nil then
    self.arguments = pack(state, unpack(self.arguments, 1, self.arguments.n))
  end
  return true
end

-- Compiles the loop: 'body' is called with the number of calls; for the loop
-- 'call' it is the function itself.
function Fixture:_compile()
  local spec, arguments = self.spec, self.arguments
  self.code = {} -- identifies its compiled code
  if self.batch then
    local values, batch, state = self.values, self.batch, self.state
    self.body = batch
    if state ~= nil then
      self.body = function(n) return batch(state, n, values) end
    elseif spec.params then
      self.body = function(n) return batch(n, values) end
    end
  elseif self.has_inputs then
    self.body = loop.each(self.run, self.inputs, self.results,
      self.state ~= nil, unpack(arguments, 1, arguments.n))
  elseif self.kind == "call" then
    self.body = self.run
  else
    self.body = self:_loop(self.unroll)
  end
  self.repeats = self.body
  if self.kind == "call" then self.repeats = self:_loop(1) end
end

-- Compiles the loop, whose arguments are variables of a Lua function. More of
-- them than this Lua allows are an error of the bench: about 60 in 5.1 and
-- LuaJIT, else about 200.
function Fixture:_try_compile()
  local ok, why = pcall(self._compile, self)
  if ok then return true end
  return nil, "in args: " .. describe(why)
end

-- The loop over the function and its arguments. If before_batch hands over an
-- argument, the loop reads that one anew for each batch.
function Fixture:_loop(unroll)
  local arguments = self.arguments
  if self.is_handed then
    return loop.handed(self.handed, self.state ~= nil and 2 or 1, unroll,
      self.run, unpack(arguments, 1, arguments.n))
  end
  return loop.unrolled(unroll, self.run, unpack(arguments, 1, arguments.n))
end

-- Makes what the groups around the bench share, once per process. Returns true
-- and the value of the innermost group, or nil and a message.
function Fixture:_share()
  local value
  for _, shared in ipairs(self.shared or {}) do
    if not shared.is_made then
      local ok, made
      if value ~= nil then
        ok, made = self:_try(shared.make, value)
      else
        ok, made = self:_try(shared.make)
      end
      if not ok then
        return nil, ("in the setup of %s: %s"):format(shared.of, made)
      end
      shared.is_made, shared.value = true, made
    end
    if shared.value ~= nil then value = shared.value end
  end
  return true, value
end

-- A generator for random inputs. The warm-up has other numbers than the batches
-- that are measured, so that what caches and a compiler's traces have learned
-- from the warm-up is no help. Benches with the same seed get the same numbers.
function Fixture:_random()
  local name = self.is_warming and "warm-up" or "measured"
  self.randoms = self.randoms or {}
  if not self.randoms[name] then
    self.randoms[name] = random.generator(2 * self.seed
      + (self.is_warming and 1 or 0))
  end
  return self.randoms[name]
end

--- Runs setup, reads the arguments and compiles the loop.
---@return true?
---@return string? message
function Fixture:prepare()
  if self.refusal then return nil, self.refusal end
  self.is_set_up = true
  local ok, shared = self:_share()
  if not ok then return nil, shared end
  self.state = shared
  local state, message
  ok, state = self:_hook("setup", self.values)
  if not ok then return nil, state end
  if self.spec.setup then self.state = state end
  ok, message = self:_read_arguments()
  if not ok then return nil, message end
  return self:_try_compile()
end

--- Replaces the bench's function by a copy, which gets compiled code of its
--- own: see loop.twin.
---@return boolean copied false where there can be no copy
function Fixture:copy()
  local name = self.batch and "batch" or "run"
  local twin = loop.twin(self[name])
  if not twin then return false end
  self[name] = twin
  self:_compile()
  return true
end

-- A table that before_batch returns becomes an argument of the batch's calls,
-- before the others but after the result of setup. When there first is one, the
-- loop is compiled anew.
function Fixture:_hand(given)
  if type(given) ~= "table" or self.batch then return true end
  self.handed[1] = given
  local place = self.state ~= nil and 2 or 1
  if self.is_handed then
    self.arguments[place] = given
    return true
  end
  self.is_handed = true
  local arguments = self.arguments
  for i = arguments.n, place, -1 do arguments[i + 1] = arguments[i] end
  arguments[place], arguments.n = given, arguments.n + 1
  return self:_try_compile()
end

--- Before a batch: the hook, and an input for each call.
---@param iters integer
---@return true?
---@return string? message
function Fixture:before(iters)
  iters = whole(iters)
  local ok, given = self:_hook("before_batch", iters, self.values)
  if not ok then return nil, given end
  if not self.has_inputs then
    return self:_hand(self.spec.before_batch and given)
  end
  local spec = self.spec
  local random_numbers = spec.inputs and self:_random()
  for i = 1, iters do
    local input
    if spec.inputs then
      ok, input = self:_hook("inputs", random_numbers, self.values)
    elseif spec.before_each then
      ok, input = self:_hook("before_each", self.values)
    end
    if not ok then return nil, input end
    self.inputs[i], self.results[i] = input, false
  end
  return true
end

--- After a batch: releases inputs and results, with the hook after_each, then
--- calls the hook after_batch.
---@param iters integer
---@return true?
---@return string? message
function Fixture:after(iters)
  iters = whole(iters)
  if self.has_inputs then
    for i = 1, iters do
      local result = self.results[i]
      self.inputs[i], self.results[i] = nil, nil
      local ok, message = self:_hook("after_each", result, self.values)
      if not ok then return nil, message end
    end
  end
  return self:_hook("after_batch", iters, self.values)
end

--- Times a batch with a meter, into samples. May raise.
---@return true?
---@return any error value
function Fixture:time(meter, samples, iters)
  if self.kind == "call" then
    local arguments = self.arguments
    return within(self, meter.time_calls, meter, samples, self.body, iters,
      unpack(arguments, 1, arguments.n))
  end
  return within(self, meter.time, meter, samples, self.body, iters)
end

--- One call that may yield to the host's coroutine, between before(1) and
--- after(1).
---@param stopwatch table of tare.bench.yielding; reset
---@return true?
---@return string? message
function Fixture:drive(stopwatch)
  local ok, message = yielding.call(stopwatch:reset(), self.repeats, 1)
  if ok then return true end
  return nil, describe(message)
end

--- One call and all its results; between before(1) and after(1).
---@return table? results packed, with their number as 'n'
---@return string? message
function Fixture:call()
  local arguments, results = self.arguments, nil
  local ok, message = self:_try(function()
    if self.batch then
      results = pack(self.body(1))
    elseif self.has_inputs then
      local first = self.state ~= nil and 2 or 1 -- of the other arguments
      if first == 2 then
        results = pack(self.run(self.state, self.inputs[1],
          unpack(arguments, first, arguments.n)))
      else
        results = pack(self.run(self.inputs[1],
          unpack(arguments, first, arguments.n)))
      end
      self.results[1] = results[1]
    else
      results = pack(self.run(unpack(arguments, 1, arguments.n)))
    end
  end)
  if not ok then return nil, message end
  return results
end

--- Applies a probe (like core.census) to some calls: probe(f, iters, ...)
--- calls f(...) so often from C, so that no loop is counted with them. May
--- raise.
---@param probe function
---@param iters integer
---@return any what the probe returns
function Fixture:apply(probe, iters)
  if self.batch or self.has_inputs then
    return within(self, probe, self.body, 1, iters)
  end
  return within(self, probe, self.run, iters,
    unpack(self.arguments, 1, self.arguments.n))
end

--- A function that makes so many calls, whatever the kind of loop. If it is
--- called for one part of a batch after the other, each call gets its own
--- input.
---@return fun(iters: integer)
function Fixture:repeater()
  if not self.has_inputs then return self.repeats end
  local each, done = self.body, 0
  return function(n)
    each(n, done)
    done = done + n
  end
end

--- A function to be called with 0 instead of the repeater, because a user's
--- batch(0) may do anything; nil if the repeater itself can be.
---@return fun()?
function Fixture:idler()
  return self.batch and function() end or nil
end

--- The bytes or items that a call processes, for rates; a function in the spec
--- is called with the parameters.
---@return table? amounts {bytes =} or {items =}
---@return string? message where such a function fails
function Fixture:throughput()
  local known = {}
  for name, amount in pairs(self.spec.throughput or {}) do
    local ok, value = type(amount) ~= "function", amount
    if not ok then ok, value = self:_try(amount, self.values) end
    if not ok then return nil, "in throughput: " .. value end
    local kind = type(value)
    if kind ~= "number" or not (value >= 0 and value < math.huge) then
      return nil, ("in throughput: '%s' must be a number from 0 on, got %s")
        :format(name, kind == "number" and value or kind)
    end
    known[name] = value
  end
  return next(known) and known or nil
end

--- Runs teardown, once, if setup was begun: after an error too.
---@return true?
---@return string? message
function Fixture:teardown()
  if not self.is_set_up then return true end
  self.is_set_up = false
  return self:_hook("teardown", self.values)
end

return Fixture
