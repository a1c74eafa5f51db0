-- As Keirin does (R. Bowyer's library for Clojure): batches in which a
-- collection ended, or a trace was made, go.
local columns = require "tare.base.columns"

local discarded = {}

local FEWEST_ROWS = 10 -- to be left, or none goes

--- The samples without what is to be dropped, or the same ones.
---@param samples table<string, number[]>
---@param kinds string[]? "gc", "jit"
---@return table samples
---@return integer dropped rows that went, or would have
function discarded.of(samples, kinds)
  local drop = {}
  for _, kind in ipairs(kinds or {}) do drop[kind] = true end
  if not next(drop) then return samples, 0 end
  local kept = columns.filter(samples, function(row)
    local seen = (samples.gc_minor or {})[row] or 0
    seen = seen + ((samples.gc_major or {})[row] or 0)
    local events = (samples.jit_events or {})[row] or 0
    return not (drop.gc and seen > 0 or drop.jit and events > 0)
  end)
  local dropped = #samples.iters - #kept.iters
  if dropped == 0 or #kept.iters < FEWEST_ROWS then return samples, dropped end
  return kept, dropped
end

return discarded
