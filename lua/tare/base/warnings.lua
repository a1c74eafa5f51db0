-- The warnings that a result can carry: what each code means and what to do
-- about it. The one place where these sentences are; renderers ask here. They
-- are in the words of the command line; a program that measures itself gets
-- them in those of its options ('in_program').
local lists = require "tare.base.lists"

local warnings = {}

-- What a warning is about: the machine (said once for all benches), a bench
-- whose figure suffers, precision (a bench whose figure suffers where its
-- interval is wide), the samples, where intervals allow for it and there is
-- nothing to do, or an option, which did what it was asked to do.
local MACHINE, BENCH, PRECISION, SAMPLES, OPTION = "machine", "bench",
  "precision", "samples", "option"

-- By code: what it is about, a title, and advice in the words of the command
-- line; for programs another advice, where those words can't be replaced by
-- names of options. 'always': without it, a figure means something else than it
-- says, so it is shown however many others there are.
local KNOWN = {
  -- what was measured
  optimized_away = { BENCH, "too fast to be real",
    "The bench takes no longer than the empty loop: it does next to nothing, "
    .. "or a compiler (LuaJIT's) removed the work. Return what was computed, "
    .. "and let it depend on arguments that change.", always = true },
  loop_unknown = { BENCH, "the loop's cost is still in it",
    "The cost of the empty loop could not be measured, so it was not "
    .. "subtracted. Give a longer --quota; benches with a loop of their own "
    .. "or inputs for each call have no empty loop.", always = true },
  launch_failed = { BENCH, "a launch failed",
    "What happened in it comes after the name. The figures come from the "
    .. "others.", always = true },
  no_loop = { BENCH, "batches of more calls take no longer",
    "The time hardly depends on n, so what is measured is not a call. "
    .. "Let batch(n) do its work n times, in a loop.", always = true },
  timeout = { BENCH, "stopped by the timeout",
    "The bench took longer than --timeout, was ended, and is not tried again. "
    .. "Figures, if there are any, come from its other launches.",
    always = true },
  quota_exceeded = { BENCH, "one call is longer than the quota",
    "Too few calls fit for an interval. Give a longer --quota, or measure a "
    .. "smaller piece of work.", always = true },
  budget_exceeded = { BENCH, "one call is longer than the step",
    "The host gives less time per step than one call takes, so only a few "
    .. "calls were measured. Give a larger budget (while a level loads, for "
    .. "example), or measure a smaller piece of work.", always = true },
  not_profiled = { BENCH, "not profiled in a host's loop",
    "A call takes up to a hundred times as long while it is profiled, which "
    .. "the step has no room for. Give a larger budget once, or use "
    .. "tare.profile where a longer wait does no harm." },
  not_counted = { BENCH, "instructions not counted in a host's loop",
    "A call takes up to sixty times as long while its instructions are "
    .. "counted, which the step has no room for. Give a larger budget once, or "
    .. "use tare.measure where a longer wait does no harm." },
  memory_cap = { BENCH, "memory cap reached",
    "With the collector stopped a batch reached the memory cap. It was "
    .. "dropped, and later ones have fewer calls; where a single call reaches "
    .. "the cap, the bench fails. Use --gc paced, or a larger --memory-cap.",
    always = true },
  stopped_is_biased = { OPTION, "measured with the collector stopped",
    "Fresh memory costs page faults and cache misses: such times are often "
    .. "10 to 50 % too high. --gc paced separates the collector's share "
    .. "without that." },
  collector_stopped = { BENCH, "the collector was stopped",
    "The host, a policy of it or the bench had stopped Lua's collector, so the "
    .. "time is without collections, and the collector's part is not known. "
    .. "Where the host collects between the steps of a session, no --gc shows "
    .. "it. Measure while it runs, or with --gc paced, which drives it "
    .. "itself.", always = true },
  setting_unused = { OPTION, "a setting without effect",
    "Pause, step multiplier and step size are settings of the incremental "
    .. "collector, minor and major multiplier of the generational one. What "
    .. "was set belongs to the other mode. Choose one with --gc-mode." },
  -- how much was measured
  interrupted = { BENCH, "interrupted",
    "The run was ended before this bench had its quota: fewer batches or "
    .. "launches than asked for. --resume measures it again." },
  few_cycles = { BENCH, "too few collections seen",
    "The run was too short for the collector's cycles: the few that were seen "
    .. "give neither the collector's part of a call nor the time of a call "
    .. "with its collections. Give a --quota as long as the result asks for "
    .. "(cycles_needed_ns)." },
  inside_unknown = { BENCH, "the collector's part is not known",
    "Calls have collections inside, and make so much garbage that with steps "
    .. "after calls, the only ones that compiled code allows, the function "
    .. "alone takes as long as it does with its collector. --gc arms, or "
    .. "--jit off for the share that interpreted calls have." },
  off_pace = { BENCH, "the collector's pace was not kept",
    "While tare drove the collector, calls had more or fewer collections than "
    .. "they have otherwise (gc_minor, gc_major), so what these took is not "
    .. "what calls usually pay. A longer --quota has longer batches, in which "
    .. "the pace is kept better; --gc arms needs no pacing." },
  few_samples = { PRECISION, "few batches",
    "Too few batches for an interval that can be trusted. Give a longer "
    .. "--quota." },
  precision_missed = { PRECISION, "less precise than asked",
    "The interval is wider than --precision asks, since batches or processes "
    .. "differ. A longer --quota or a quieter machine narrows it." },
  precision_unseen = { PRECISION, "less precise than asked, whatever the quota",
    "More of the same would not make the interval as narrow as --precision "
    .. "asks: what is left of it is how other runs or other processes differ "
    .. "from what was measured. If the time is of one process, give more "
    .. "--launches (or a longer --quota, where only one fits); else compare "
    .. "within one run, for ratios are more precise.",
    "One process can't show how processes differ, and that alone makes the "
    .. "interval wider than 'precision' asks. `tare run` measures in "
    .. "several." },
  dropped_rows = { OPTION, "batches dropped",
    "Batches in which a collection ended, or the JIT compiled, were left out, "
    .. "as --discard asks; the column 'discarded' counts them." },
  none_dropped = { BENCH, "no batches dropped, for nearly all would have been",
    "Nearly every batch had a collection or a compilation in it, however "
    .. "short, and fewer than ten would be left, so all were kept. "
    .. "--gc paced measures the collector's part instead; a longer --warmup "
    .. "lets compilation end.", always = true },
  thinned = { OPTION, "samples thinned",
    "There were more batches than rows to keep them, so every other one was "
    .. "dropped. The estimates hold; a shorter --quota keeps all." },
  not_settled = { PRECISION, "still changing after the warm-up",
    "Batch times or the JIT were still changing when the longest warm-up was "
    .. "over. Give a longer --warmup." },
  shared_traces = { BENCH, "compiled code shared",
    "What this bench calls was compiled for another caller first, and LuaJIT "
    .. "reaches later callers through the code of the first: it may cost more "
    .. "here than alone. Measure it in a run of its own (--filter).",
    "What this bench calls was compiled for another caller first, and LuaJIT "
    .. "reaches later callers through the code of the first: it may cost more "
    .. "here than alone. Measure it before all others, in a fresh state." },
  -- the model
  collinear_counts = { OPTION, "calls and collections grow together",
    "Each batch had collections in proportion to its calls, so a regression "
    .. "can't separate their costs. --gc paced measures them separately; "
    .. "--gc arms compares batches with and without the collector." },
  -- the noise
  high_variance = { SAMPLES, "some batches took far longer",
    "Outliers inflate the spread: something else used the core at times. "
    .. "Prefer median and minimum, and see 'tare env'." },
  drift = { MACHINE, "speed drifted",
    "Later batches were steadily slower or quicker than earlier ones: the "
    .. "core's clock, heat, or a heap that grows. Compare cycles instead of "
    .. "time." },
  two_speeds = { MACHINE, "two speeds",
    "Batch times form two groups: the machine switched between a fast and a "
    .. "slow state, or the bench does. Look at the distribution; cycles and "
    .. "the minimum repeat better than the mean." },
  autocorrelated = { SAMPLES, "neighbouring batches are alike",
    "Batches close in time are more alike than chance allows, so they hold "
    .. "less information than their number says. More launches or a longer "
    .. "--quota help.",
    "Batches close in time are more alike than chance allows, so they hold "
    .. "less information than their number says. A longer 'quota' helps." },
  crowded = { SAMPLES, "the core was shared",
    "At times another hardware thread was busy on the same core, so each of "
    .. "its cycles did less. Leave cores idle." },
  preempted = { SAMPLES, "other programs took the core now and then",
    "The system gave the core to other processes in the middle of batches; "
    .. "these are left out of estimates and ratios, or have the time that they "
    .. "ran if they have few calls. Run fewer programs at the same time, or "
    .. "give a longer --quota." },
  stood_still = { MACHINE, "paused now and then",
    "In the middle of some batches the process stood still though no other "
    .. "had the core, or the clock was set: it was stopped (SIGSTOP, a "
    .. "debugger), or the machine was. These batches are left out." },
  crowded_run = { BENCH, "too noisy (shared core)",
    "Too few batches had the core for themselves: others were at work on it "
    .. "for nearly the whole run. The time may be far too high, and has no "
    .. "interval. Stop what else runs, or measure again later." },
  slow_first_launch = { MACHINE, "the first process was slower",
    "The first process was slower than all others: cold caches or files. "
    .. "Use more launches, or run the suite once before." },
}

--- Every known code, sorted.
---@return string[]
function warnings.codes() return lists.keys(KNOWN) end

-- Values that a sentence gives an option.
local VALUES = { paced = true, arms = true, off = true }

--- A sentence with the options of the command line as those of a bench, a
--- session or tare.measure: "--gc paced" is gc = 'paced', "--quota" is 'quota'.
---@param text string
---@return string
function warnings.in_program(text)
  return (text:gsub("%-%-(%l[%l-]*)( ?)(%l*)", function(option, gap, word)
    local name = option:gsub("-", "_")
    if VALUES[word] then return ("%s = '%s'"):format(name, word) end
    return ("'%s'%s%s"):format(name, gap, word)
  end))
end

--- Whether a report is of a program that measured itself: what the command
--- measures says when that began.
---@param report table
---@return boolean
function warnings.is_of_program(report)
  local first = report.results and report.results[1]
  return first ~= nil and first.in_process == true and not report.started
end

--- What a code means: a title of a few words, a sentence of advice, and what it
--- is about. The title of an unknown code, from a newer tare, is its own words.
---@param code string
---@param of_program boolean? with advice for a program that measures itself
---@return { code: string, title: string, advice: string?, always: boolean?,
---  about: "machine"|"bench"|"precision"|"samples"|"option" }
function warnings.explain(code, of_program)
  local known = KNOWN[code]
  if known then
    return { code = code, about = known[1], title = known[2],
      always = known.always,
      advice = of_program and (known[4] or warnings.in_program(known[3]))
        or known[3] }
  end
  return { code = code, title = (tostring(code):gsub("_", " ")),
    about = BENCH }
end

return warnings
