-- A function of a running program, sampled: counts, times and memory of the
-- calls that the program itself makes. The function in the table is replaced by
-- a probe that calls it; errors and results pass through untouched, since the
-- probe catches nothing: a call that raises only is never seen to return.
--
-- Functions nest (recursion, callbacks), so each call's own part is counted:
-- its time less that of the calls inside it. For that a total of all that calls
-- took is kept for each coroutine by itself. What it has grown by during a call
-- is of those inside; it never falls, so a call that raises leaves it sound.
local core = require "tare.core"

local Instrument = {}
Instrument.__index = Instrument

local now_ns, collectgarbage = core.now_ns, collectgarbage
local running, log, floor = coroutine.running, math.log, math.floor

-- A histogram of times in steps of 2^(1/8), 9 % each, from 1 ns to centuries.
local STEPS, MOST_BINS = 8, 512
local BIN_OF_NS = STEPS / log(2)
local KIB = 1024
local CALIBRATION_CALLS = 200

-- The upper edge of the bin that holds a share of the calls.
local function quantile(self, share)
  local below, wanted = 0, share * self.returned
  for bin = 0, MOST_BINS do
    below = below + self.bins[bin]
    if below >= wanted and below > 0 then
      return math.min(self.max_ns, 2 ^ ((bin + 1) / STEPS))
    end
  end
end

-- The probe: what the program calls in the function's place. Between the clock
-- readings there is nothing but the call; nothing here allocates, apart from a
-- place for each new coroutine.
local function probe_of(self, original)
  local bins, inside, inside_kib = self.bins, self.inside, self.inside_kib
  local main = {} -- stands for the main coroutine, which 5.1 has no name for

  local function finish(thread, before_ns, before_kib, began_kib, began_ns, ...)
    local spent_ns = now_ns() - began_ns
    local grown_kib = collectgarbage "count" - began_kib
    local own_ns = spent_ns - (inside[thread] - before_ns)
    local own_kib = grown_kib - (inside_kib[thread] - before_kib)
    inside[thread] = before_ns + spent_ns
    inside_kib[thread] = before_kib + grown_kib
    if own_ns < 0 then own_ns = 0 end
    self.returned, self.total_ns = self.returned + 1, self.total_ns + own_ns
    if own_ns < self.min_ns then self.min_ns = own_ns end
    if own_ns > self.max_ns then self.max_ns = own_ns end
    local bin = own_ns > 1 and floor(log(own_ns) * BIN_OF_NS) or 0
    if bin > MOST_BINS then bin = MOST_BINS end
    bins[bin] = bins[bin] + 1
    -- A heap that shrank was collected in between: such a call says nothing.
    if own_kib >= 0 then
      self.weighed, self.grown_kib = self.weighed + 1, self.grown_kib + own_kib
    end
    return ...
  end

  return function(...)
    local thread, is_main = running()
    if is_main or not thread then thread = main end
    self.calls = self.calls + 1
    local before_ns, before_kib = inside[thread], inside_kib[thread]
    if not before_ns then
      before_ns, before_kib = 0, 0
      inside[thread], inside_kib[thread] = 0, 0
    end
    return finish(thread, before_ns, before_kib, collectgarbage "count",
      now_ns(), original(...))
  end
end

local function clear(self)
  self.calls, self.returned, self.total_ns, self.max_ns = 0, 0, 0, 0
  self.min_ns, self.weighed, self.grown_kib = math.huge, 0, 0
  for bin = 0, MOST_BINS do self.bins[bin] = 0 end
end

-- What a probe adds to each call's own figures, from calls of nothing.
local function calibrate()
  local empty = setmetatable({ bins = {}, inside = {}, inside_kib = {} },
    Instrument)
  clear(empty)
  local probe = probe_of(empty, function() end)
  for _ = 1, CALIBRATION_CALLS do probe() end
  return empty.min_ns
end

--- Samples the calls of a function from here on.
---@param place table that holds the function
---@param name any its key
---@return table? instrument
---@return string? message
function Instrument.new(place, name)
  local original = place[name]
  if type(original) ~= "function" then
    return nil, ("'%s' must be a function, got %s"):format(tostring(name),
      type(original))
  end
  local weak = { __mode = "k" }
  local self = setmetatable({ place = place, name = name, original = original,
    own = rawget(place, name), bins = {}, inside = setmetatable({}, weak),
    inside_kib = setmetatable({}, weak), cost_ns = calibrate() }, Instrument)
  clear(self)
  self.probe = probe_of(self, original)
  place[name] = self.probe
  -- A proxy has handed it on: there what was found is set again.
  if rawget(place, name) ~= self.probe then self.own = original end
  return self
end

function Instrument:reset() clear(self) end

-- See tare.Calls of tare.meta.types.
function Instrument:result()
  local count = self.returned
  local result = { name = tostring(self.name), calls = self.calls,
    returned = count, overhead = self.cost_ns }
  if count > 0 then
    result.time = { unit = "ns", total = self.total_ns,
      mean = self.total_ns / count, min = self.min_ns, max = self.max_ns,
      p50 = quantile(self, 0.5), p95 = quantile(self, 0.95),
      p99 = quantile(self, 0.99) }
  end
  if self.weighed > 0 then
    result.bytes = { unit = "bytes", calls = self.weighed,
      mean = self.grown_kib * KIB / self.weighed }
  end
  return result
end

function Instrument:remove()
  if self.is_removed then return true end
  if self.place[self.name] ~= self.probe then
    return nil, ("'%s' was replaced meanwhile: it is left as it is"):format(
      tostring(self.name))
  end
  self.place[self.name] = self.own -- nil where inherited
  self.is_removed = true
  return true
end

--- "parse: 1204 calls, 1.20 us each (p99 4.10 us), 201 B each".
---@return string
function Instrument:__tostring()
  local figures = require "tare.report.figures"
  local found = self:result()
  local parts = { ("%d calls"):format(found.calls) }
  if found.returned < found.calls then
    parts[1] = ("%s (%d raised or not over)"):format(parts[1],
      found.calls - found.returned)
  end
  if found.time then
    parts[#parts + 1] = ("%s each (p99 %s)"):format(
      figures.quantity(found.time.mean, "ns"),
      figures.quantity(found.time.p99, "ns"))
  end
  if found.bytes then
    parts[#parts + 1] = figures.quantity(found.bytes.mean, "bytes") .. " each"
  end
  return ("%s: %s"):format(found.name, table.concat(parts, ", "))
end

return Instrument
