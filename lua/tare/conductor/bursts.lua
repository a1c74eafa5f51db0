-- Bursts: the time of a batch beyond the usual time of its calls. The
-- collector's work is not spread evenly: Lua 5.4 collects in a few steps of a
-- millisecond, and LuaJIT sweeps a whole heap within a few allocations, however
-- many calls a batch has. A step in a host's loop has to have time for the
-- longest burst. A collection begins at a certain size of the heap, which is
-- learned. Batches are short, and a burst is expected, only when the heap comes
-- near that size, and until the collection is over. All benches share the heap,
-- so they share what is known of it: the sizes at which collections begin and,
-- where the collector works in proportion to allocation, the cost per allocated
-- byte.
local Bursts = {}
Bursts.__index = Bursts

-- The longest burst is slowly forgotten (KEPT). It counts as at most MOST of a
-- step, or no time would be left for a batch. A longer burst may be work in
-- proportion to allocation, as LuaJIT's marking is: then fewer calls fit the
-- step, down to LEAST_PART of a batch while it is not known where collections
-- begin.
local KEPT, MOST, LEAST_PART = 0.998, 0.8, 0.125
-- A burst is a sign of a collection if it exceeds the share SIGN of a step and
-- the share SIGN_OF_CALLS of the calls' usual time. A shorter one may be due to
-- the machine.
local SIGN, SIGN_OF_CALLS = 0.1, 0.5
-- LEEWAY: the share of the bytes until the next collection that a batch may
-- allocate. FALLEN: a heap below this share of the size before is a sign that a
-- collection has ended. GROWN: the collection is over once the heap grows by
-- this share of its size without a burst; before that, it is being swept.
local LEEWAY, FALLEN, GROWN = 0.75, 0.9, 0.005
-- Where the work is in proportion: for each kilobyte that is allocated, LuaJIT
-- and 5.1 sweep 240 objects, which take about 20 ns each (BYTE_NS, until more
-- is known). So a heap of objects of 34 bytes or more is swept while at most an
-- eighth of its size is allocated (SWEPT).
local BYTE_NS, SWEPT = 5, 1 / 8
-- While it is not known where collections begin, a batch may allocate this
-- share of what was last allocated in a row without a burst. So one batch does
-- not have both the marking and the sweep: marking takes as long as half of the
-- live heap is allocated.
local QUIET = 0.25

--- A heap of which nothing is known yet. Fields: from_bytes, the size at which
--- collections begin; quiet_bytes, the largest size without one; run_bytes,
--- growth in a row without a burst; is_under_way, whether a collection is;
--- byte_ns, the cost per allocated byte; probe, how many calls further a
--- collection is expected.
---@param is_gradual boolean? whether the collector works in proportion to what
---  is allocated
---@return table heap
function Bursts.heap(is_gradual)
  return { probe = 1, quiet_bytes = 0, run_bytes = 0,
    byte_ns = is_gradual and BYTE_NS or nil }
end

--- Bursts of a bench; none was seen yet.
---@param heap table of Bursts.heap(), shared by all benches
---@return table bursts
function Bursts.new(heap)
  return setmetatable({ longest = {}, slowest = {}, heap = heap }, Bursts)
end

-- Calls until a collection may begin; nil if that is not known, or may be soon,
-- or if one is under way.
function Bursts:_calm_calls(heap_bytes)
  local heap = self.heap
  local from = heap.from_bytes
  if not (heap_bytes and from and self.call_bytes) then return nil end
  -- If the heap shrinks between batches, a collection is sweeping it.
  if heap_bytes < FALLEN * (heap.left_bytes or 0) then
    heap.is_under_way, heap.has_ended = true, true
  end
  local calls = LEEWAY * (from - heap_bytes) / self.call_bytes
  return not heap.is_under_way and calls >= 1 and math.floor(calls) or nil
end

-- The longest burst and the slowest call of a kind; of the other kind if this
-- one has none.
function Bursts:_worst(kind)
  if not self.slowest[kind] then kind = next(self.slowest) end
  return self.longest[kind] or 0, self.slowest[kind]
end

-- The most calls for which a step has room if the heap is swept meanwhile; no
-- limit for a heap so small that a step has time to sweep all of it.
function Bursts:_swept_calls(call_ns, limits, heap_bytes)
  local heap, call_bytes = self.heap, self.call_bytes
  if not (heap.byte_ns and call_bytes and limits.step_ns and heap_bytes)
    or heap.byte_ns * SWEPT * heap_bytes < limits.step_ns - limits.batch_ns then
    return math.huge
  end
  local calls = MOST * limits.step_ns / (call_ns + heap.byte_ns * call_bytes)
  return heap.from_bytes and calls
    or math.max(calls, QUIET * heap.run_bytes / call_bytes)
end

-- The most calls that leave room for the longest burst of this bench.
function Bursts:_calls_beside_own(kind, call_ns, limits)
  local step_ns = limits.step_ns or math.huge
  local burst_ns, slowest = self:_worst(kind)
  local ns = math.min(limits.batch_ns,
    step_ns - math.min(burst_ns, MOST * step_ns))
  if burst_ns > MOST * step_ns then
    ns = math.max(self.heap.from_bytes and 0 or LEAST_PART * ns,
      math.min(ns, MOST * step_ns * call_ns / slowest))
  end
  return ns / call_ns
end

--- The most calls of a batch that fits a step.
---@param kind string "timed" or "other"
---@param call_ns number usual time of a call
---@param limits table batch_ns, step_ns?, heap_bytes? (a function)
---@return integer calls
function Bursts:most_calls(kind, call_ns, limits)
  local heap_bytes = limits.heap_bytes and limits.heap_bytes()
  local calls = math.max(1, math.floor(math.min(
    self:_calls_beside_own(kind, call_ns, limits),
    self:_swept_calls(call_ns, limits, heap_bytes))))
  self.calm_calls = self:_calm_calls(heap_bytes)
  if self.calm_calls and self.calm_calls > calls then
    calls = math.max(calls, math.min(self.calm_calls,
      math.floor(limits.batch_ns / call_ns)))
  end
  return calls
end

--- The most calls of a batch while the collector rests, for a plan.
---@param kind string
---@param call_ns number
---@param limits table
---@return integer calls
function Bursts:planned_calls(kind, call_ns, limits)
  return math.max(1, math.floor(self.heap.from_bytes
    and limits.batch_ns / call_ns
    or self:_calls_beside_own(kind, call_ns, limits)))
end

--- The burst to expect in a batch of this many calls.
---@param kind string
---@param calls integer
---@return number ns
function Bursts:expected(kind, calls)
  if self.calm_calls and calls <= self.calm_calls then return 0 end
  return (self:_worst(kind))
end

-- Learns the cost per allocated byte while the heap is swept. At least GROWN of
-- the heap counts as allocated: the time of a batch that allocates hardly
-- anything is not due to the collector.
function Bursts:_learn_cost(burst_ns, calls, after_bytes)
  local heap, allocated = self.heap, calls * (self.call_bytes or 0)
  if heap.byte_ns and allocated > 0 then
    heap.byte_ns = math.max(KEPT * heap.byte_ns,
      burst_ns / math.max(allocated, GROWN * after_bytes))
  end
end

-- Learns where a collection begins, and when it is over.
function Bursts:_learn(row, calls, is_burst, before_bytes, after_bytes)
  local heap, grown = self.heap, row.growth_bytes or 0
  local ended = (row.gc_minor or 0) + (row.gc_major or 0) > 0
  if grown > 0 and not is_burst and not ended then
    self.call_bytes = math.max(grown / calls, KEPT * (self.call_bytes or 0))
  end
  local allocated = calls * (self.call_bytes or 0)
  heap.run_bytes = not is_burst and grown >= 0 and heap.run_bytes + grown or 0
  if is_burst and not heap.is_under_way then
    local most = before_bytes + allocated
    heap.from_bytes = math.max(before_bytes,
      math.min(heap.quiet_bytes, most))
    heap.quiet_bytes = math.min(heap.quiet_bytes, heap.from_bytes)
    heap.is_under_way, heap.probe = true, 1
  elseif not heap.is_under_way and not ended then
    heap.quiet_bytes = math.max(heap.quiet_bytes, after_bytes)
    -- The heap is beyond the size at which a collection should have begun:
    -- expects it further on, each time twice as far.
    if heap.from_bytes and after_bytes > heap.from_bytes
      and allocated >= GROWN * after_bytes then
      heap.from_bytes = after_bytes + heap.probe * self.call_bytes
      heap.probe = 2 * heap.probe
    end
  end
  -- The end of a collection may be seen before its sweep is over.
  heap.has_ended = heap.is_under_way and (heap.has_ended or ended
    or after_bytes < FALLEN * heap.from_bytes)
  if heap.has_ended and heap.run_bytes >= GROWN * after_bytes then
    heap.is_under_way, heap.has_ended = false, false
  end
  heap.left_bytes = after_bytes
end

--- Records a batch.
---@param kind string
---@param row table
---@param calls integer
---@param usual_ns number time of these calls
---@param limits table?
function Bursts:saw(kind, row, calls, usual_ns, limits)
  local ns = row.wall_ns
  if row.cpu_ns and row.cpu_ns > 0 then ns = math.min(ns, row.cpu_ns) end
  local burst_ns, kept = ns - usual_ns, KEPT
  -- Only a batch that might have had a burst lets the longest one fade.
  if self.calm_calls and calls <= self.calm_calls then kept = 1 end
  self.longest[kind] = math.max(kept * (self.longest[kind] or 0), burst_ns)
  self.slowest[kind] = math.max(kept * (self.slowest[kind] or 0), ns / calls)
  local heap_bytes = limits and limits.heap_bytes
  if not (heap_bytes and limits.step_ns) then return end
  local after_bytes = heap_bytes()
  local is_burst = burst_ns > math.max(SIGN * limits.step_ns,
    SIGN_OF_CALLS * usual_ns)
  self:_learn(row, calls, is_burst, after_bytes - (row.growth_bytes or 0),
    after_bytes)
  if is_burst then self:_learn_cost(burst_ns, calls, after_bytes) end
end

return Bursts
