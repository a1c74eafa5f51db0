-- Gates: the rules of --fail-on, which compare figures with a baseline. A noisy
-- figure fails when its best estimate is beyond the threshold and its interval
-- leaves no doubt that there is more than before; an exact one (allocations,
-- bytes, instructions) when its difference is beyond. (An interval that has to
-- be wholly beyond would let most of what is 7 % slower pass at 'time>5%', with
-- half-widths of 3 %; this way half of what is 5 % slower fails.)
local compare = require "tare.judge.compare"
local fingerprint = require "tare.judge.fingerprint"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local nearest = require "tare.base.nearest"
local unicode = require "tare.base.unicode"
local units = require "tare.base.units"

local gate = {}

-- Rules, as people write them: "time>5%,allocs>0" --------------------------

local PARSE_ABSOLUTE = { ns = units.parse_duration, bytes = units.parse_bytes }

local function plain_number(text)
  local number = tonumber(text)
  if number and number >= 0 and number < 1/0 then return number end
  return nil, ("'%s' is not a number"):format(text)
end

-- "5%" -> { share = 0.05 }; "100ns", "1KiB", "2" -> { amount = }
local function parse_threshold(text, metric)
  if text:find("%%$") then
    local share, message = units.parse_percent(text)
    return share and { share = share }, message
  end
  if metric.unit == "ns" and not text:find("%a$") then
    return nil, ("'%s' needs a unit (like 5%% or 100ns)"):format(text)
  end
  local parse = PARSE_ABSOLUTE[metric.unit] or plain_number
  local amount, message = parse(text)
  return amount and { amount = amount }, message
end

local function parse_rule(text)
  local name, threshold = text:match("^%s*([%w_]+)%s*>%s*(.-)%s*$")
  threshold = (threshold or ""):gsub("^([%d.]+)%s+(%S+)$", "%1%2")
  if threshold == "" or threshold:find("[%s<>]") then
    return nil, ("'%s' is not a rule (like time>5%% or allocs>0)%s"):format(
      text, text:find "^%s*[%w_]+%s*$" and "; in a shell '>' needs quotes: "
      .. "'time>5%'" or text:find "<" and "; a rule says what would be too "
      .. "much, as in time>5%" or "")
  end
  local metric = metrics.find(name)
  if not metric then
    local names = {}
    for _, m in ipairs(metrics.all()) do names[m.name] = true end
    local hint = nearest.hint(name, names)
    return nil, ("no metric '%s'%s"):format(name, hint ~= "" and hint
      or "; there are time, bytes, allocs, instructions, collector, net and "
        .. "more, the fields of a result in 'tare report FILE --format json'")
  end
  if metric.no_interval then
    return nil, ("'%s' has no interval to be judged by; gates can be on time, "
      .. "median, cycles, collector, net, bytes, allocs or instructions")
      :format(name)
  end
  local rule, message = parse_threshold(threshold, metric)
  if not rule then return nil, message end
  rule.metric, rule.text = name, name .. ">" .. threshold
  return rule
end

--- Reads "time>5%,allocs>0,bytes>1KiB": for each metric by how much a call may
--- cost more than in the baseline, as a share or as an amount.
---@param text string
---@return table[]? rules { metric, text, share? or amount? }
---@return string? message
function gate.parse(text)
  local list = {}
  for part in text:gmatch("[^,]+") do
    local rule, message = parse_rule(unicode.visible(part))
    if not rule then return nil, message end
    list[#list + 1] = rule
  end
  if #list == 0 then return nil, "no rule is given (like time>5%)" end
  return list
end

-- A rule in words: "no more allocs than before", "at most 5% more time than
-- before".
local function meaning_of(rule)
  local what = rule.metric:gsub("_", " ")
  if (rule.share or rule.amount) == 0 then
    return ("no more %s than before"):format(what)
  end
  return ("at most %s more %s than before"):format(rule.text:match ">(.*)",
    what)
end

-- Checking rules --------------------------------------------------------------

local OF_CENSUS = { allocs = true, bytes = true }

-- Exact figures are quotients of counts; this much is rounding.
local ROUNDING = 1e-9

-- The figures of a rule: the metric, both values, their ratio and their
-- difference. Times of one run are compared by its lockstep, others in cycles
-- if both have them, or else at the same clock (check_result).
local function sides_of(rule, result, old_result, lockstep)
  local metric = metrics.find(rule.metric)
  local in_lockstep = rule.metric == "time" and lockstep
  if rule.metric == "time" and rule.share and not lockstep then
    metric = metrics.find(compare.metric(result, old_result))
  end
  local new = metrics.get(result, metric.name)
  local old = metrics.get(old_result, metric.name)
  local sides = { metric = metric, new = new, old = old }
  if not (new and old) then return sides end
  if in_lockstep then
    local ratio = in_lockstep.ratio
    sides.in_lockstep = true
    sides.has_interval = metrics.has_interval(ratio)
    sides.ratio = { value = ratio.value, low = ratio.low or 0,
      high = ratio.high or 1/0 }
    sides.difference = { value = old.value * (ratio.value - 1),
      low = old.value * (sides.ratio.low - 1),
      high = old.value * (sides.ratio.high - 1) }
  else
    sides.has_interval = metrics.has_interval(new) and metrics.has_interval(old)
    sides.ratio = interval.ratio(new, old)
    sides.difference = interval.difference(new, old)
  end
  return sides
end

-- What of two sides a rule is about, its limit, and what no change is. A share
-- of nothing is nothing: without a ratio the difference is judged.
local function judged(sides, rule)
  if rule.share and sides.ratio then return sides.ratio, 1 + rule.share, 1 end
  return sides.difference,
    rule.amount or math.max(0, sides.old.value) * rule.share, 0
end

local function exceeds(sides, rule)
  if not sides.metric.exact then
    if sides.ratio and interval.is_vague(sides.ratio) then return false end
    local found, limit, no_change = judged(sides, rule)
    return found ~= nil and found.value > limit and found.low > no_change
  end
  local old = sides.old.value
  local limit = rule.share and old * (1 + rule.share) or old + rule.amount
  return sides.new.value > limit + ROUNDING * math.max(math.abs(limit), 1)
end

-- Whether what passed may all the same be beyond the rule.
local function may_exceed(sides, rule)
  if sides.metric.exact then return false end
  local found, limit = judged(sides, rule)
  return found ~= nil and found.high > limit
end

local MORE = 1.3 -- than would just do: the next run's noise differs

-- How many times as much has to be measured until a figure that can't be
-- decided is: until its interval, which shrinks with the square root, is within
-- the rule, or leaves out no change where the estimate is beyond the rule; in
-- this run alone, where the other report stays as it is, and in both. Infinite
-- where that would not do.
local function factors_to_decide(sides, rule)
  local scale = rule.share and sides.ratio
    and function(x) return math.log(math.max(x, 0)) end
    or function(x) return x end
  local found, limit, no_change = judged(sides, rule)
  local is_beyond = found.value > limit
  local off = scale(found.value) - scale(is_beyond and no_change or limit)
  -- How far an interval reaches on the side where that is.
  local function reach(e, is_down)
    return math.abs(scale(e.value) - scale(is_down and e.low or e.high))
  end
  local room = off ^ 2 / MORE
  local both = reach(found, is_beyond) ^ 2 / room
  if sides.in_lockstep then return both, both end
  local left = room - reach(sides.old, not is_beyond) ^ 2
  return left > 0 and reach(sides.new, is_beyond) ^ 2 / left or 1/0, both
end

-- The metrics of which less is faster.
local OF_SPEED = { time = true, cycles = true, net = true }

-- The change of what a gate lets pass, or can't decide: "23% less to 7.0% more
-- time" where it may be both.
local function change_text(ratio, metric)
  if ratio.low < 1 and ratio.high > 1 and ratio.high < 10 then
    return ("%s %s"):format(units.less_or_more(ratio.low, ratio.high),
      (metric:gsub("_", " ")))
  end
  return (units.change(ratio, OF_SPEED[metric] ~= nil))
end

-- What a call counts more or less of than it did, which may be why it takes
-- longer: "; it executes 18 Lua instructions more, allocates 64 B more and
-- makes 1 allocation more".
local function cause(result, old)
  local parts, same = {}, {}
  for _, entry in ipairs { { "instructions", "executes",
    " Lua instructions" }, { "bytes", "allocates", "" },
    { "allocs", "makes", " allocations" } } do
    local a, b = metrics.get(result, entry[1]), metrics.get(old, entry[1])
    local more = a and b and a.value - b.value
    if more and math.abs(more) > ROUNDING * b.value then
      local noun = math.abs(more) == 1 and entry[3]:gsub("s$", "")
        or entry[3]
      parts[#parts + 1] = ("%s %s%s %s"):format(entry[2],
        units.exact(math.abs(more), metrics.find(entry[1]).unit), noun,
        more > 0 and "more" or "less")
    elseif more and (entry[1] ~= "allocs" or not same[1]) then
      same[#same + 1] = entry[1] == "allocs" and "allocates" or entry[2]
    end
  end
  if parts[1] then return "; it " .. lists.sentence(parts) end
  return same[1] and ("; it %s as much as before"):format(
    table.concat(same, " and ")) or ""
end

-- Nobody thinks in picoseconds.
local function noisy_text(x, unit, digits)
  if unit == "ns" and x > 0 and x < 1 then
    return units.number(x, digits or 3) .. " ns"
  end
  return units.value(x, unit, digits or 3)
end

-- Why a gate failed: "s/a: time rose from 100 ns to 120 ns per call, 1.20 times
-- as slow (1.18 to 1.22); over 105 ns, 5% more than before (gate time>5%)",
-- with "even the low end is" where that is so; what is exact has no ends:
-- "allocs rose from 2 to 3 per call (gate allocs>0)". Where what is compared
-- rose and the times beside it did not: "time is 1.12 times as slow (1.08 to
-- 1.16) round by round, though it was 100 ns and is 99.0 ns per call; even the
-- low end is over 5% more than before".
local function sentence(rule, sides, result, old, against)
  local metric, new, before = sides.metric, sides.new, sides.old
  local called, change, why = rule.metric, "", ""
  if not metric.exact then
    -- A ratio of rounds is rarely that of the two times that are printed.
    local is_of_rounds = sides.in_lockstep and units.percent(
      sides.ratio.value) ~= units.percent(new.value / before.value)
    change = sides.ratio and ("%s%s"):format(units.change(sides.ratio,
      OF_SPEED[rule.metric] ~= nil), is_of_rounds and " round by round" or "")
      or ""
    why = cause(result, old)
    -- Cycles are compared; where the times are made of them, they are shown.
    if metric.name == "cycles" and rule.metric == "time" then
      if result.time_from == "cycles" and old.time_from == "cycles" then
        metric = metrics.find "time"
        new, before = metrics.get(result, "time"), metrics.get(old, "time")
      else
        called = "time (in core cycles)"
      end
    end
  end
  local per_call = metric.of_run and "" or " per call"
  local was, is = units.apart(before.value, new.value, metric.unit,
    not metric.exact and noisy_text or nil)
  local rose = new.value > before.value
  local how = rose and ("rose from %s to %s%s%s%s%s"):format(was, is, per_call,
    against, change ~= "" and ", " or "", change)
    or ("is %s%s, though it was %s and is %s%s"):format(change, against, was,
      is, per_call)
  local allowed = rule.amount or math.max(0, before.value) * rule.share
  local limit = "" -- that nothing may be more needs no words
  if allowed > 0 then
    local show = metric.exact and units.exact or noisy_text
    local found, most = judged(sides, rule)
    limit = ("; %sover %s%s more than before"):format(
      not metric.exact and found.low > most and "even the low end is " or "",
      rose and show(before.value + allowed, metric.unit) .. ", " or "",
      rule.text:match ">(.*)")
  elseif not metric.exact then
    limit = "; even the low end is more than before"
  end
  return ("%s: %s %s%s%s (gate %s)"):format(unicode.visible(result.id), called,
    how, why, limit, rule.text)
end

-- Counts over different numbers of calls differ even for the same bench: an
-- occasional growth is divided by more or fewer calls.
local function unlike_calls(metric, result, old, called)
  local a, b = (result.passes or {}).census, (old.passes or {}).census
  a, b = a and a.iters, b and b.iters
  return OF_CENSUS[metric.name] and a and b and a ~= b
    and ("%s were counted over %g call%s, and over %g in %s"):format(
      metric.name, a, a == 1 and "" or "s", b, called), "a longer --quota may "
      .. "allow as many"
end

local LONGER = "give a longer --quota, or a quieter machine"

-- "too few undisturbed batches for time in the baseline": where that is, and
-- what to do about that side.
local function lacking(rule, sides, names)
  local where = {}
  for i, side in ipairs { "new", "old" } do
    if not metrics.has_interval(sides[side]) then
      where[#where + 1] = names[i]
    end
  end
  if not where[1] then
    return ("too few undisturbed batches to compare %s with %s"):format(
      rule.metric, names[2]), LONGER
  end
  return ("too few undisturbed batches for %s in %s"):format(rule.metric,
    table.concat(where, " and ")), metrics.has_interval(sides.new)
    and ("measure %s again with a longer --quota, or on a quieter machine")
      :format(names[2])
    or LONGER
end

-- Why a rule can't be judged over two results, and what to do about it; nil
-- where it can.
local function hindrance(rule, sides, result, old_result, names)
  local option = metrics.find(rule.metric).option
  local asked = option and "--" .. option:gsub("_", "-")
  if not sides.new then
    return "no " .. rule.metric .. " measured", asked and "add " .. asked
  elseif not sides.old then
    return ("no %s in %s"):format(rule.metric, names[2]),
      ("measure %s again%s"):format(names[2], asked and " with " .. asked or "")
  elseif not (sides.metric.exact or sides.has_interval) then
    return lacking(rule, sides, names)
  end
  return unlike_calls(sides.metric, result, old_result, names[2])
end

-- The outcome of a rule for a bench; or nil, the reason why it can't be
-- checked, whether a count is missing in one of the two reports (a gate that
-- ignored that would pass the worst changes), and what to do.
local function outcome_of(rule, result, old_result, context)
  local sides = sides_of(rule, result, old_result,
    context.lockstep[result.id])
  local metric = sides.metric
  local block = context.forbidden(result.id, metric.name)
  local reason, remedy = block and block.reason, nil
  if not reason then
    reason, remedy = hindrance(rule, sides, result, old_result, context.names)
  end
  if reason then
    return nil, reason, metric.exact and (sides.new or sides.old) ~= nil, remedy
  end
  local found = { id = result.id, metric = rule.metric, rule = rule.text,
    noisy = not metric.exact, fails = exceeds(sides, rule),
    change = sides.ratio and change_text(sides.ratio, rule.metric)
      or units.value(sides.new.value, metric.unit, 3) }
  if not found.fails and may_exceed(sides, rule) then
    found.undecided = { text = ("%s: %s"):format(unicode.visible(result.id),
      found.change) }
    found.undecided.alone, found.undecided.both = factors_to_decide(sides, rule)
  end
  if found.fails then
    found.message = sentence(rule, sides, result, old_result, context.against)
  end
  return found
end

-- Reasons by their text, each with the benches that it concerns.
local function note(notes, reason, id, remedy)
  if not notes[reason] then
    notes[reason] = { reason = reason, ids = {}, remedy = remedy }
    notes[#notes + 1] = notes[reason]
  end
  table.insert(notes[reason].ids, unicode.visible(id))
end

local FEW = 3 -- benches that a note names before it counts the others

local function texts_of(notes, beginning)
  local texts = {}
  for i, entry in ipairs(notes) do
    texts[i] = ("%s: %s (%s)%s"):format(beginning, entry.reason,
      lists.named(entry.ids, FEW), entry.remedy and "; " .. entry.remedy or "")
  end
  return texts
end

local function check_result(verdict, notes, result, old, wanted, context)
  old = compare.at_clock_of(old, result)
  for i, rule in ipairs(wanted) do
    local finding, reason, is_lost, remedy = outcome_of(rule, result, old,
      context)
    local counts = verdict.rules[i]
    local how = finding and "checked" or "unchecked"
    counts[how] = counts[how] + 1
    if not finding then
      note(notes, reason, result.id, remedy)
      verdict.unchecked = verdict.unchecked + 1
      if is_lost then note(verdict.lost, reason, result.id, remedy) end
    else
      if finding.undecided then
        counts.unclear = counts.unclear + 1
        table.insert(counts.undecided, finding.undecided)
      end
      table.insert(finding.fails and verdict.failures or verdict.passes,
        finding)
    end
  end
end

local NAMES = { "this run", "the baseline" }

--- Compares a report with a baseline, by rules.
---@param report table
---@param baseline table Report
---@param wanted table[] rules of gate.parse
---@param options { force: boolean?, names: string[]?, comparisons: table[]? }?
---  'force' compares across fingerprints; what to call the two; comparisons of
---  both in lockstep (see tare.judge.compare), whose ratio 'time' goes by
---@return { failures: table[], passes: table[], notes: string[],
---  lost: string[], checked: integer, unchecked: integer, rules: table[] }
---  rules as { metric, text, meaning, checked, unclear, unchecked, undecided },
---  unclear those of the checked that did not fail, but may be beyond it, and
---  'undecided' which these are, as { text, alone, both }: how they changed,
---  and how many times as much has to be measured to decide them, in this run
---  alone and in both reports; failures as { id, metric, rule, noisy, change,
---  message }, 'change' in words; no message of a pass;
---  notes say what could not be checked, and why; 'lost' those of counts
---  that one of the two has
function gate.evaluate(report, baseline, wanted, options)
  options = options or {}
  local names = options.names or NAMES
  local context = { names = names, lockstep = {},
    against = options.comparisons and " against " .. names[2] or "",
    forbidden = fingerprint.guard(options.force and {}
      or fingerprint.compare(report, baseline, names)) }
  for _, one in ipairs(options.comparisons or {}) do
    context.lockstep[one.a] = one
  end
  local verdict, notes = { failures = {}, passes = {}, lost = {},
    unchecked = 0, rules = {} }, {}
  for i, rule in ipairs(wanted) do
    verdict.rules[i] = { metric = rule.metric, text = rule.text,
      meaning = meaning_of(rule), checked = 0, unclear = 0, unchecked = 0,
      undecided = {} }
  end
  local of_baseline = lists.by_id(baseline.results)
  for _, result in ipairs(report.results) do
    local old = of_baseline[result.id]
    local reason, remedy
    if not old then
      reason = "not in " .. names[2]
    elseif result.error then
      reason = "the bench failed"
    elseif old.error then
      reason, remedy = "it failed in " .. names[2],
        ("measure %s again"):format(names[2])
    end
    if reason then
      note(notes, reason, result.id, remedy)
      verdict.unchecked = verdict.unchecked + #wanted
      for _, counts in ipairs(verdict.rules) do
        counts.unchecked = counts.unchecked + 1
      end
    else
      check_result(verdict, notes, result, old, wanted, context)
    end
  end
  verdict.notes = texts_of(notes, "not checked")
  verdict.lost = texts_of(verdict.lost, "a gate on counts could not be checked")
  verdict.checked = #verdict.failures + #verdict.passes
  return verdict
end

-- Confirming ------------------------------------------------------------------
--
-- A noisy figure that fails is measured again in fresh processes: a whole
-- process can be off, by its addresses, hash seed or traces, or by what else
-- the machine did. The gate fails only if no such repetition lets it pass.

local GATED = { "time", "cycles", "net", "collector" } -- that are kept

local function key_of(finding) return finding.id .. "\0" .. finding.rule end

--- The benches to measure again: those that noisy failures name, and what each
--- is compared with.
---@param failures table[] of tare.judge.gate
---@param results table[] of the run
---@return table<string, boolean>? ids nil where there is nothing to confirm
function gate.to_confirm(failures, results)
  local ids, groups, any = {}, {}, false
  for _, failure in ipairs(failures) do
    if failure.noisy then ids[failure.id], any = true, true end
  end
  for _, result in ipairs(results) do
    if ids[result.id] then groups[result.compared or ""] = true end
  end
  for _, result in ipairs(results) do
    if result.baseline and groups[result.compared] then
      ids[result.id] = true
    end
  end
  return any and ids or nil
end

local function figures_of(result)
  local figures = {}
  for _, name in ipairs(GATED) do
    local found = metrics.get(result, name)
    figures[name] = found and { value = found.value, low = found.low,
      high = found.high, unit = metrics.find(name).unit }
  end
  return figures
end

-- Leaves in each result what a repetition measured of it, and which gates
-- failed on that.
local function remember(results, repeated, failures)
  local figures_by_id = {}
  for _, result in ipairs(repeated) do
    if not result.error then figures_by_id[result.id] = figures_of(result) end
  end
  for _, failure in ipairs(failures) do
    local figures = failure.noisy and figures_by_id[failure.id]
    if figures then
      figures.met = figures.met or {}
      table.insert(figures.met, failure.rule)
    end
  end
  for _, result in ipairs(results) do
    local figures = figures_by_id[result.id]
    if figures then
      result.measured_again = result.measured_again or {}
      table.insert(result.measured_again, figures)
    end
  end
end

--- Compares failures with a repetition, in which their benches were measured
--- again. Failures of counts stay, and those of benches that it lacks; in each
--- other one that stays, 'agreed' counts it.
---@param failures table[] of tare.judge.gate
---@param judged_again table of gate.evaluate, of the repetition
---@param results table[] of the run; they get 'measured_again'
---@param repeated table[] results of the repetition
---@return table[] kept failures
---@return string[] notes a sentence for each that was let pass
---@return table[] undecided of those the ones that it did not clear for
---  certain, as in gate.evaluate, each with the text of its rule
function gate.weigh(failures, judged_again, results, repeated)
  local kept, notes, undecided, failed, passes = {}, {}, {}, {}, {}
  remember(results, repeated, judged_again.failures)
  for _, finding in ipairs(judged_again.failures) do
    failed[key_of(finding)] = true
  end
  for _, finding in ipairs(judged_again.passes) do
    passes[key_of(finding)] = finding
  end
  for _, failure in ipairs(failures) do
    local pass = failure.noisy and passes[key_of(failure)]
    if pass then
      notes[#notes + 1] = ("%s; but measured again in a fresh process it was "
        .. "%s: %s"):format(failure.message, pass.change, pass.undecided
        and "this could not be decided, so it does not fail" or "passed")
      undecided[#undecided + 1] = pass.undecided and { rule = failure.rule,
        text = ("%s: %s, measured again %s"):format(
          unicode.visible(failure.id), failure.change, pass.change),
        alone = pass.undecided.alone, both = pass.undecided.both } or nil
    else
      kept[#kept + 1] = failure
      if failure.noisy and failed[key_of(failure)] then
        failure.agreed = (failure.agreed or 0) + 1
      end
    end
  end
  return kept, notes, undecided
end

local TIMES = { "measured again, it exceeded the limit too",
  "measured again twice, it exceeded the limit both times" }

--- Failures whose reason says how many repetitions agree; its figures are of
--- the first measurement.
---@param failures table[] of gate.weigh
---@return table[] failures new ones
function gate.with_agreement(failures)
  local list = {}
  for i, failure in ipairs(failures) do
    local copy = lists.copy(failure)
    if failure.agreed then
      copy.message = failure.message .. "; " .. (TIMES[failure.agreed]
        or ("measured again %d times, it exceeded the limit each time"):format(
        failure.agreed))
    end
    list[i] = copy
  end
  return list
end

return gate
