-- Bursts: what a batch takes beyond the usual time of its calls. The
-- collector's work is not spread evenly: Lua 5.4 collects in a few steps of
-- a millisecond, LuaJIT sweeps a whole heap within a few allocations, in a
-- batch of a few calls as in one of many. In a host's loop there has to be time
-- for the longest burst. A collection begins at a size of the heap, which is
-- learned; only where the heap comes near it, and until it is over, are batches
-- short and is a burst expected. The heap is one for all benches, so what is
-- known of it is, too. Where the collector works in proportion to what is
-- allocated, that is also what a byte costs: what one bench has met, another
-- need not learn.
local Bursts = {}
Bursts.__index = Bursts

-- The longest burst is slowly forgotten, and is not more than MOST of a step:
-- else no batch would be left. A longer one may be work in proportion to what
-- is allocated, as LuaJIT's marking: then fewer calls fit the step, down to a
-- LEAST_PART of a batch where all batches are as short.
local KEPT, MOST, LEAST_PART = 0.998, 0.8, 0.125
-- A burst is a sign of a collection from this part of a step on, and of the
-- usual time of the calls: less is the machine's doing.
local SIGN, SIGN_OF_CALLS = 0.1, 0.5
-- Of the way to where a collection begins, what a batch may use; to which part
-- of that the heap has fallen when one has ended that was not seen to end. It
-- is over once a batch lets the heap grow by GROWN of its size: before, it is
-- swept.
local LEEWAY, FALLEN, GROWN = 0.75, 0.9, 0.005
-- In proportion: for each kilobyte that is allocated, LuaJIT and 5.1 sweep 240
-- objects, at 20 ns each until more is known. So a heap of objects of 34 bytes
-- or more is swept while at most an eighth of it is allocated.
local BYTE_NS, SWEPT = 5, 1 / 8
-- Where it is not known where a collection begins, a batch may allocate this
-- part of what was allocated in a row without any: so it does not both mark and
-- sweep, for to mark takes as much allocation as half of what is alive.
local QUIET = 0.25

--- What is known of a heap, of which nothing was seen yet: where collections
--- begin, up to where there was none, by how much it grew in a row without any,
--- whether one is under way, what a byte costs.
---@param is_gradual boolean? whether the collector works in proportion to what
---  is allocated
---@return table heap
function Bursts.heap(is_gradual)
  return { probe = 1, quiet_bytes = 0, run_bytes = 0,
    byte_ns = is_gradual and BYTE_NS or nil }
end

--- Bursts of a bench; none was seen yet.
---@param heap table of Bursts.heap(), which others share
---@return table bursts
function Bursts.new(heap)
  return setmetatable({ longest = {}, slowest = {}, heap = heap }, Bursts)
end

-- Calls until a collection may begin; nil where that is not known, or may be
-- soon.
function Bursts:_calm_calls(heap_bytes)
  local heap = self.heap
  local from = heap.from_bytes
  if not (heap_bytes and from and self.call_bytes) then return nil end
  -- What shrinks the heap beside the batches is the sweeping of one.
  if heap_bytes < FALLEN * (heap.left_bytes or 0) then
    heap.is_under_way, heap.has_ended = true, true
  end
  local calls = LEEWAY * (from - heap_bytes) / self.call_bytes
  return not heap.is_under_way and calls >= 1 and math.floor(calls) or nil
end

-- The longest burst and the slowest call; of a pass without any, of the other.
function Bursts:_worst(pass)
  if not self.slowest[pass] then pass = next(self.slowest) end
  return self.longest[pass] or 0, self.slowest[pass]
end

-- The most calls for which a step has room though the heap is swept in them;
-- of a small heap, all of it may be.
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
function Bursts:_calls_beside_own(pass, call_ns, limits)
  local step_ns = limits.step_ns or math.huge
  local burst_ns, slowest = self:_worst(pass)
  local ns = math.min(limits.batch_ns,
    step_ns - math.min(burst_ns, MOST * step_ns))
  if burst_ns > MOST * step_ns then
    ns = math.max(self.heap.from_bytes and 0 or LEAST_PART * ns,
      math.min(ns, MOST * step_ns * call_ns / slowest))
  end
  return ns / call_ns
end

--- The most calls of a batch that fits a step.
---@param pass string "timed" or "other"
---@param call_ns number usual time of a call
---@param limits table batch_ns, step_ns?, heap_bytes? (a function)
---@return integer calls
function Bursts:most_calls(pass, call_ns, limits)
  local heap_bytes = limits.heap_bytes and limits.heap_bytes()
  local calls = math.max(1, math.floor(math.min(
    self:_calls_beside_own(pass, call_ns, limits),
    self:_swept_calls(call_ns, limits, heap_bytes))))
  self.calm_calls = self:_calm_calls(heap_bytes)
  if self.calm_calls and self.calm_calls > calls then
    calls = math.max(calls, math.min(self.calm_calls,
      math.floor(limits.batch_ns / call_ns)))
  end
  return calls
end

--- The most calls of a batch while the collector rests, for a plan.
---@param pass string
---@param call_ns number
---@param limits table
---@return integer calls
function Bursts:planned_calls(pass, call_ns, limits)
  return math.max(1, math.floor(self.heap.from_bytes
    and limits.batch_ns / call_ns
    or self:_calls_beside_own(pass, call_ns, limits)))
end

--- The burst that has to be expected of a batch of so many calls.
---@param pass string
---@param calls integer
---@return number ns
function Bursts:expected(pass, calls)
  if self.calm_calls and calls <= self.calm_calls then return 0 end
  return (self:_worst(pass))
end

-- Learns what a byte costs while the heap is swept. What a batch takes that
-- allocates hardly anything is not the collector's doing.
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
    -- Further than it was thought to begin: each time twice as far.
    if heap.from_bytes and after_bytes > heap.from_bytes
      and allocated >= GROWN * after_bytes then
      heap.from_bytes = after_bytes + heap.probe * self.call_bytes
      heap.probe = 2 * heap.probe
    end
  end
  -- The end of one may be seen before its sweeping is over.
  heap.has_ended = heap.is_under_way and (heap.has_ended or ended
    or after_bytes < FALLEN * heap.from_bytes)
  if heap.has_ended and heap.run_bytes >= GROWN * after_bytes then
    heap.is_under_way, heap.has_ended = false, false
  end
  heap.left_bytes = after_bytes
end

--- Records a batch.
---@param pass string
---@param row table
---@param calls integer
---@param usual_ns number time of these calls
---@param limits table?
function Bursts:saw(pass, row, calls, usual_ns, limits)
  local ns = row.wall_ns
  if row.cpu_ns and row.cpu_ns > 0 then ns = math.min(ns, row.cpu_ns) end
  local burst_ns, kept = ns - usual_ns, KEPT
  -- What was not to be expected is not forgotten because it was not seen.
  if self.calm_calls and calls <= self.calm_calls then kept = 1 end
  self.longest[pass] = math.max(kept * (self.longest[pass] or 0), burst_ns)
  self.slowest[pass] = math.max(kept * (self.slowest[pass] or 0), ns / calls)
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
