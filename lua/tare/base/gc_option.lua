-- What the collector does while a bench is measured: the values of --gc. A new
-- mode that joins what there is needs a line here, its type and its description
-- (docs/architecture.md), and code where it is unlike all others. A mode either
-- collects, or has a second pass with a share.
--
--   collects  a full collection runs before each timed batch
--   stops     timed batches run with the collector stopped, under a memory cap
--   second    the pass between timed batches in which the collector runs by
--             itself: 'paced', in which tare runs and times it, or 'stopped',
--             without it
--   share     the second pass's share of a launch's time
--   on_split  the second pass is only for the option 'split', and left out
--             where a host has stopped its collector
--   explain   what its name does not say
local modes = {
  { name = "natural", second = "paced", share = 0.2, on_split = true },
  { name = "paced", second = "paced", share = 0.8 },
  { name = "stopped", stops = true, collects = true },
  { name = "collect", collects = true,
    explain = "a full collection before each batch" },
  { name = "arms", second = "stopped", share = 0.4,
    explain = "with and without it in turn" },
}

local by_name, names = {}, {}
for i, mode in ipairs(modes) do
  by_name[mode.name], names[i] = mode, mode.name
end

local gc_option = { names = names, all = modes }

--- The mode of a name.
---@param name string
---@return table mode that of "natural" for an unknown name, which a stored
---  report may have
function gc_option.of(name) return by_name[name] or modes[1] end

return gc_option
