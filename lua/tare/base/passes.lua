-- The passes of a cell beside its timed rounds: what each measures is in
-- result.passes, by its name. What iterates over passes uses these lists.
--
--   has_rows    it has rows from each launch, in 'samples'. Else it has figures
--               of one launch: counts, which are exact and would be the same in
--               every launch; of a full collection a time, too
--   is_between  its batches are between the timed ones, and their sizes follow
--               from the time per call: if that was wrong they are taken again
local passes = {
  { name = "paced", has_rows = true, is_between = true },
  { name = "counts", has_rows = true, is_between = true },
  { name = "stopped", has_rows = true, is_between = true },
  { name = "empty", has_rows = true },
  { name = "census" },
  { name = "long_census" },
  { name = "instructions" },
  { name = "full" },
  { name = "profile" },
  { name = "traces" },
}

local with_rows, with_figures, between = {}, {}, {}
for _, pass in ipairs(passes) do
  table.insert(pass.has_rows and with_rows or with_figures, pass.name)
  if pass.is_between then between[#between + 1] = pass.name end
end

local COUNTED_CALLS = 16
local LONG_CALL_NS = 4e6 -- of which one is profiled: it takes some 0.1 s

-- How many calls are profiled of a function that takes so long.
local function profiled_calls(call_ns)
  return call_ns <= LONG_CALL_NS and COUNTED_CALLS or 1
end

--- Names of passes, each list in a fixed order. SETTLING_BATCHES: how many
--- unrecorded batches follow one with the collector stopped, whose garbage is
--- collected in them. COUNTED_CALLS: how many calls exact figures are of,
--- always the same, so that they repeat; a power of two, so that figures per
--- call are exact. PROFILE_SLOWDOWN: of a call that is profiled, at most.
--- PLENTY_OF_COLLECTIONS: a batch in which so many end, in the mean,
--- says by itself what they cost; of fewer, neighbours are joined into spans.
--- LEAST_RETAINED: bytes per call; less comes from caches that fill.
return { with_rows = with_rows, with_figures = with_figures, between = between,
  SETTLING_BATCHES = 2, COUNTED_CALLS = COUNTED_CALLS, PROFILE_SLOWDOWN = 100,
  PLENTY_OF_COLLECTIONS = 3, LEAST_RETAINED = 0.5,
  profiled_calls = profiled_calls }
