-- The warnings that a result can carry: what each code means and what to do
-- about it. The one place where these sentences stand; renderers ask here.
local warnings = {}

local KNOWN = {
  -- what was measured
  optimized_away = { "too fast to be real",
    "The bench can't be told from the empty loop: it does next to nothing, or "
    .. "a compiler (LuaJIT's) removed the work. Return what was computed, and "
    .. "let it depend on arguments that change." },
  loop_unknown = { "the loop is still in it",
    "There was no empty loop whose cost could be told and subtracted (a "
    .. "longer --quota; loops of one's own and inputs of each call have none)."
    },
  launch_failed = { "a launch failed",
    "A child process ended without its results; the figures come from the "
    .. "others. Run the bench alone with --launches 1 to see its message." },
  timeout = { "stopped by the timeout",
    "The bench took longer than --timeout and was ended; what it had "
    .. "measured until then is shown." },
  quota_exceeded = { "one call is longer than the quota",
    "Too few calls fit for an interval. Give a longer --quota, or measure a "
    .. "smaller piece of work." },
  budget_exceeded = { "one call is longer than the step",
    "The host gives less time a step than one call takes, so a few calls were "
    .. "measured and no more. Give a larger budget (while a level loads, for "
    .. "example), or measure a smaller piece of work." },
  memory_cap = { "memory cap reached",
    "With the collector stopped the heap reached its cap and the run ended "
    .. "early. Use --gc paced, or a smaller batch." },
  stopped_is_biased = { "measured with the collector stopped",
    "Fresh memory costs page faults and cache misses: such times are often "
    .. "10 to 50 % too high, and what is saved by stopping it too low. "
    .. "--gc paced separates the collector's share without that." },
  setting_unused = { "a setting without effect",
    "Pause, step multiplier and step size are settings of the incremental "
    .. "collector; minor and major multiplier those of the generational one. "
    .. "What was set belongs to the other mode. Choose one with --gc-mode." },
  -- how much was measured
  interrupted = { "interrupted",
    "The run was ended before this bench had its quota: fewer batches than "
    .. "asked for, or fewer launches. --resume measures it again." },
  few_samples = { "few samples",
    "Too few batches for an interval that can be trusted. Give a longer "
    .. "--quota." },
  precision_missed = { "less precise than asked",
    "The interval is wider than --precision asks: the quota was over before, "
    .. "or processes lie further apart than that. Give a longer --quota, or "
    .. "--launches 4 or more." },
  dropped_rows = { "batches dropped",
    "Batches in which a collection ended, or the JIT was at work, were left "
    .. "out, as --discard asks; the column 'dropped' counts them." },
  none_dropped = { "no batches dropped",
    "Nearly every batch had a collection or a trace in it, and fewer than ten "
    .. "would be left, so all were kept. --gc paced tells the collector's part "
    .. "instead; a longer --warmup lets the compiler settle." },
  thinned = { "samples thinned",
    "There were more batches than rows to keep them, so every other one was "
    .. "dropped. The estimates hold; a shorter --quota keeps all." },
  not_settled = { "warm-up did not settle",
    "Batch times or the JIT were still changing when the warm-up's cap was "
    .. "reached. Give a longer --warmup." },
  shared_traces = { "compiled code shared",
    "What this bench calls was compiled for another caller first, and LuaJIT "
    .. "reaches later callers through the code of the first: it may cost more "
    .. "here than alone. Measure it in a run of its own (--filter)." },
  -- the model
  collinear_counts = { "calls and collections grow together",
    "Each batch had collections in proportion to its calls, so their costs "
    .. "can't be told apart by regression. --gc paced measures them apart; "
    .. "--gc arms compares batches with and without the collector." },
  -- the noise
  high_variance = { "a few batches make most of the variance",
    "Outliers inflate the spread: something else took the core at times. "
    .. "Prefer median and minimum, and see 'tare env'." },
  drift = { "speed drifted",
    "Later batches were steadily slower or quicker than earlier ones: the "
    .. "core's clock, heat, or a heap that grows. Compare cycles rather than "
    .. "time, and interleave what is compared." },
  two_speeds = { "two speeds",
    "Batch times fall into two groups: the machine changed between a fast "
    .. "and a slow state, or the bench does. Look at the density; cycles and "
    .. "the low end repeat better than the mean." },
  autocorrelated = { "neighbouring batches are alike",
    "Batches close in time are more alike than chance allows, so there is "
    .. "less information in them than their number says. More launches or a "
    .. "longer --quota help; more batches in the same time do not." },
  crowded = { "the core was shared",
    "At times another hardware thread was busy on the same core, so less got "
    .. "done in each of its cycles: such batches are slower in cycles too. "
    .. "Leave cores idle; on a rented machine, prefer the low end." },
  preempted = { "the core was taken away",
    "The system gave the core to other processes in the midst of batches: "
    .. "these are left out of estimates and ratios, so there are fewer. Run "
    .. "fewer programs beside, or give a longer --quota." },
  slow_first_launch = { "the first launch was slower",
    "The first process was slower than all others: cold caches or files. "
    .. "Use more launches, or run the suite once before." },
}

--- Every known code, sorted.
---@return string[]
function warnings.codes()
  local codes = {}
  for code in pairs(KNOWN) do codes[#codes + 1] = code end
  table.sort(codes)
  return codes
end

--- What a code means: a title of a few words and a sentence of advice. A code
--- from a newer tare explains itself as far as it can: its words are the title.
---@param code string
---@return { code: string, title: string, advice: string? }
function warnings.explain(code)
  local known = KNOWN[code]
  if known then return { code = code, title = known[1], advice = known[2] } end
  return { code = code, title = (tostring(code):gsub("_", " ")) }
end

return warnings
