-- Times at the reference clock. The frequency of a core changes with load and
-- heat; the cycles that a batch takes do not. So times are reported as cycles
-- times the reference period, which is kept for this machine (tare.env.clock).
local columns = require "tare.base.sample_columns"
local lists = require "tare.base.lists"

local reference = {}

--- Samples with 'time_ns', the time of each batch at the reference clock. The
--- times of parts of a batch are converted, too; 'wall_ns' stays. Without a
--- clock, or without cycles, time_ns is wall_ns.
---@param samples table columns
---@param clock { reference_ns: number? }?
---@return table samples a new table, which shares columns
---@return boolean is_scaled
function reference.samples(samples, clock)
  local period_ns, count = clock and clock.reference_ns, #samples.iters
  local scaled = lists.copy(samples)
  if not period_ns or not columns.complete(samples.cycle_ns, count) then
    scaled.time_ns = samples.wall_ns
    return scaled, false
  end
  local function at_reference(column)
    local times_ns = {}
    for row = 1, count do
      local ns = column[row]
      times_ns[row] = ns and ns * period_ns / samples.cycle_ns[row]
    end
    return times_ns
  end
  for _, name in ipairs(columns.TIMED) do
    local to = name == "wall_ns" and "time_ns" or name -- 'wall_ns' stays
    scaled[to] = samples[name] and at_reference(samples[name])
  end
  return scaled, true
end

--- The passes of a record, their samples at the reference clock.
---@param passes table<string, table>?
---@param clock table?
---@return table<string, table> passes
function reference.passes(passes, clock)
  local scaled = {}
  for name, pass in pairs(passes or {}) do
    scaled[name] = pass
    if pass.samples and pass.samples.iters then
      local copy = lists.copy(pass)
      copy.samples = reference.samples(pass.samples, clock)
      scaled[name] = copy
    end
  end
  return scaled
end

return reference
