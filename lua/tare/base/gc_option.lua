-- What the collector does while a bench is measured: the values of --gc. Each
-- mode defines all fields, so that a new mode which joins what there is needs
-- only a line here (and its name where docs/architecture.md says).
--
--   stops      timed batches run with the collector stopped, under a memory cap
--   collects   a full collection runs before each timed batch
--   share      the second pass's share of a launch's time; 0 without one
--   is_arms    the second pass has the collector stopped; else tare runs and
--              times the collector in it
--   is_plain   the second pass is left out without the option 'split', and
--              where a host has stopped its collector
--   automatic  the collector runs by itself in timed batches: where a host has
--              stopped it, its part is missing
--   counts     whether the pass 'counts' is useful: short batches, for the
--              regression on counts of collections
--   is_biased  whether times include fresh memory (see the warning)
local modes = {
  { name = "natural", stops = false, collects = false, share = 0.2,
    is_arms = false, is_plain = true, automatic = true, counts = true,
    is_biased = false },
  { name = "paced", stops = false, collects = false, share = 0.8,
    is_arms = false, is_plain = false, automatic = false, counts = true,
    is_biased = false },
  { name = "stopped", stops = true, collects = true, share = 0,
    is_arms = false, is_plain = false, automatic = false, counts = false,
    is_biased = true },
  { name = "collect", stops = false, collects = true, share = 0,
    is_arms = false, is_plain = false, automatic = false, counts = false,
    is_biased = false },
  { name = "arms", stops = false, collects = false, share = 0.4,
    is_arms = true, is_plain = false, automatic = true, counts = true,
    is_biased = true },
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
