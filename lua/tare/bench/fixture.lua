-- A cell made ready to be called: its arguments, its compiled loop, the inputs
-- of its calls, and the hooks around batches, all outside of the clock.
-- A failing hook is data: each method returns nil and a message.
local Calls = require "tare.bench.calls"
local compat = require "tare.base.compat"
local copy = require "tare.bench.copy"
local Inputs = require "tare.bench.inputs"
local loop = require "tare.bench.loop"
local terms = require "tare.bench.terms"

local Fixture = {}
Fixture.__index = Fixture
local pack, unpack = compat.pack, compat.unpack

--- A fixture for a cell; nothing of the bench is run yet.
---@param cell table one of suite:cells()
---@param kind "inline"|"call"|"batch"
---@param unroll integer? calls in the body of an inline loop
---@param deadline table? core.deadline of each batch and hook
---@return table fixture
function Fixture.new(cell, kind, unroll, deadline)
  local spec, calls = cell.spec, Calls.new(deadline)
  local inputs = Inputs.new(spec, cell.values, calls)
  return setmetatable({
    spec = spec, values = cell.values, calls = calls,
    refusal = terms.refusal(cell, kind), kind = inputs and "inline" or kind,
    run = spec.run, batch = spec.batch, unroll = not inputs and unroll or 1,
    inputs = inputs, per_call = inputs ~= nil,
  }, Fixture)
end

function Fixture:_hook(name, ...)
  local hook = self.spec[name]
  if not hook then return true end
  return self.calls:try(hook, ...)
end

function Fixture:_read_arguments()
  local spec = self.spec
  if not spec.args then
    self.arguments = spec.params and { n = 1, self.values } or { n = 0 }
    return true
  end
  local ok, packed = self.calls:try(function()
    return pack(spec.args(self.values))
  end)
  if not ok then return nil, packed end
  self.arguments = packed
  return true
end

-- What repeats the calls: 'body' is called with the number of calls; of kind
-- 'call' it is the function itself.
function Fixture:_compile()
  local spec, arguments = self.spec, self.arguments
  self.code = {} -- stands for what a compiler makes of it
  if self.batch then
    local values, batch = self.values, self.batch
    self.body = spec.params and function(n) return batch(n, values) end
      or batch
  elseif self.per_call then
    self.body = loop.each(self.run, self.inputs.list, self.inputs.results,
      unpack(arguments, 1, arguments.n))
  elseif self.kind == "call" then
    self.body = self.run
  else
    self.body = loop.unrolled(self.unroll, self.run,
      unpack(arguments, 1, arguments.n))
  end
end

--- Runs setup, reads the arguments and compiles the loop.
---@return true?
---@return string? message
function Fixture:prepare()
  if self.refusal then return nil, self.refusal end
  self.is_set_up = true
  local ok, message = self:_hook("setup", self.values)
  if not ok then return nil, message end
  ok, message = self:_read_arguments()
  if not ok then return nil, message end
  self:_compile()
  return true
end

--- Takes a copy of the bench's function in its place, whose compiled code is
--- its own.
---@return boolean copied false where there can be no copy
function Fixture:copy()
  local name = self.batch and "batch" or "run"
  local twin = copy.of(self[name])
  if not twin then return false end
  self[name] = twin
  self:_compile()
  return true
end

--- Runs a batch between the bench's hooks.
---@param iters integer
---@param run fun(iters: integer): any, any  true, or nil and an error value
---@return true?
---@return string? message
function Fixture:around(iters, run)
  local inputs = self.inputs
  local ok, message = self:_hook("before_batch", self.values, iters)
  if not ok then return nil, message end
  if inputs then ok, message = inputs:fill(iters) end
  if not ok then return nil, message end
  ok, message = run(iters)
  if not ok then return nil, Calls.describe(message) end
  if inputs then ok, message = inputs:release(iters) end
  if not ok then return nil, message end
  return self:_hook("after_batch", self.values, iters)
end

--- Times a batch with a meter, into samples.
---@return true?
---@return any error value
function Fixture:time(meter, samples, iters)
  if self.kind == "call" then
    local arguments = self.arguments
    return self.calls:within(meter.time_calls, meter, samples, self.body, iters,
      unpack(arguments, 1, arguments.n))
  end
  return self.calls:within(meter.time, meter, samples, self.body, iters)
end

-- One call, with all that it returns.
function Fixture:_call_once()
  if self.batch then return pack(self.body(1)) end
  local arguments = self.arguments
  if not self.per_call then
    return pack(self.run(unpack(arguments, 1, arguments.n)))
  end
  local results = pack(self.run(self.inputs.list[1],
    unpack(arguments, 1, arguments.n)))
  self.inputs.results[1] = results[1]
  return results
end

--- What a call returns, between the hooks of a batch.
---@return table? results packed, with their number as 'n'
---@return string? message
function Fixture:answer()
  local results
  local ok, message = self:around(1, function()
    local done, value = self.calls:try(self._call_once, self)
    results = value
    return done, value
  end)
  if not ok then return nil, message end
  return results
end

--- Applies a probe (like core.census) to some calls: probe(f, iters, ...)
--- calls f(...) so often from C, so that no loop is counted with them.
---@param probe function
---@param iters integer
---@return any what the probe returns
function Fixture:apply(probe, iters)
  if self.batch or self.per_call then
    return self.calls:within(probe, self.body, 1, iters)
  end
  return self.calls:within(probe, self.run, iters,
    unpack(self.arguments, 1, self.arguments.n))
end

--- A function of the number of calls that repeats the bench, whatever its loop
--- is. Asked for parts of a batch in turn, each call has an input of its own.
---@return fun(iters: integer)
function Fixture:repeater()
  if self.per_call then
    local each, done = self.body, 0
    return function(n)
      each(n, done)
      done = done + n
    end
  end
  if self.kind ~= "call" then return self.body end
  return loop.inline(self.body, unpack(self.arguments, 1, self.arguments.n))
end

--- What may be called with 0 in the repeater's place, if not itself: a batch
--- function of the user may do anything then.
---@return fun()?
function Fixture:idler()
  return self.batch and function() end or nil
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
