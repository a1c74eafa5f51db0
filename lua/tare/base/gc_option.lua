-- What the collector does while a bench is measured: the ways of --gc. (Modes
-- are those of Lua's own collector: tare.base.gc_modes.) A new way that only
-- combines these fields needs a line here, its type and its description
-- (docs/architecture.md), and code where it is unlike all others. A way either
-- collects, or has a second pass with a share.
--
--   collects  full collections run before each timed batch, until the heap
--             shrinks no more: at most ten (tare.worker.runtime)
--   stops     timed batches run with the collector stopped, under a memory cap
--   second    the pass between timed batches, from which the collector's part
--             is: 'paced', in which tare runs it, or 'stopped', without it
--   share     the second pass's share of a launch's time
--   optional  the second pass is left out without the option 'split', and where
--             a host has stopped its collector
--   of_host   the time lacks the collector where a host has stopped it, for no
--             pass runs it all the same (collector_stopped)
--   fresh     memory is fresh, so times are too long (stopped_is_biased)
--   explain   what its name does not say
local ways = {
  { name = "natural", second = "paced", share = 0.2, optional = true,
    of_host = true },
  { name = "paced", second = "paced", share = 0.8 },
  { name = "stopped", stops = true, collects = true, fresh = true },
  { name = "collect", collects = true,
    explain = "a full collection before each batch" },
  { name = "arms", second = "stopped", share = 0.4, of_host = true,
    fresh = true, explain = "with and without it in turn" },
}

local by_name, names = {}, {}
for i, way in ipairs(ways) do
  by_name[way.name], names[i] = way, way.name
end

local gc_option = { names = names, all = ways, DEFAULT = "natural" }

--- The way of a name.
---@param name string
---@return table way the default for an unknown name, which a stored report may
---  have
function gc_option.of(name)
  return by_name[name] or by_name[gc_option.DEFAULT]
end

--- The second pass of a way.
---@param name string of the way
---@param split boolean? the option; false leaves an optional one out
---@return "paced"|"stopped"|nil
function gc_option.second(name, split)
  local way = gc_option.of(name)
  if split == false and way.optional then return nil end
  return way.second
end

return gc_option
