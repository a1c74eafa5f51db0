-- Gates: what --fail-on asks, held against a baseline. A noisy figure fails
-- when its whole interval lies beyond the threshold, an exact one (allocations,
-- bytes, instructions) when its difference does.
local diff = require "tare.judge.diff"
local fingerprint = require "tare.judge.fingerprint"
local interval = require "tare.base.interval"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local rules = require "tare.judge.rules"
local unicode = require "tare.base.unicode"
local units = require "tare.base.units"

local gate = {}

local OF_CENSUS = { allocs = true, bytes = true }

-- Exact figures are quotients of counts; this much is rounding.
local ROUNDING = 1e-9

local MANYFOLD = 10 -- where percentages no longer say much

--- See tare.judge.rules.
gate.parse = rules.parse

-- The difference a - b with its interval (Zou and Donner 2008, as in
-- tare.base.interval); ends that are absent count as far away.
local function difference(a, b)
  local function side(x, y) return x and y and x - y or 1/0 end
  local down = math.sqrt(side(a.value, a.low) ^ 2 + side(b.high, b.value) ^ 2)
  local up = math.sqrt(side(a.high, a.value) ^ 2 + side(b.value, b.low) ^ 2)
  local value = a.value - b.value
  return { value = value, low = value - down, high = value + up }
end

local function exceeds_exactly(new, old, rule)
  local limit = rule.share and old.value * (1 + rule.share)
    or old.value + rule.amount
  return new.value > limit + ROUNDING * math.max(math.abs(limit), 1)
end

local function exceeds_beyond_noise(new, old, rule)
  if rule.amount then return difference(new, old).low > rule.amount end
  local ratio = interval.ratio(new, old)
  return ratio ~= nil and ratio.low > 1 + rule.share
end

local function percent(x) return units.percent(x - 1) end
local function times(x) return units.thousands(tonumber(("%.3g"):format(x))) end

-- " by 20% (18% to 22%)", or " 28,400-fold (23,600 to 33,800)".
local function change_text(new, old)
  local ratio = interval.ratio(new, old)
  if not ratio then return "" end
  local form, text = " by %s", percent
  if ratio.value >= MANYFOLD then form, text = " %s-fold", times end
  local change = form:format(text(ratio.value))
  if ratio.low == 0 or ratio.high == 1/0 then return change end
  return ("%s (%s to %s)"):format(change, text(ratio.low), text(ratio.high))
end

local function noisy_sentence(id, rule, metric, new, old)
  local called = metric.name == "cycles" and rule.metric == "time"
    and "time (in core cycles)" or rule.metric
  return ("%s: %s rose%s, from %s to %s a call; %s"):format(id, called,
    change_text(new, old), units.value(old.value, metric.unit),
    units.value(new.value, metric.unit), rule.text)
end

local function exact_sentence(id, rule, metric, new, old)
  return ("%s: %s rose from %s to %s a call; %s"):format(id, rule.metric,
    units.exact(old.value, metric.unit), units.exact(new.value, metric.unit),
    rule.text)
end

-- The metric that answers a rule for two results: times are compared in
-- cycles where they can be.
local function metric_for(rule, result, old)
  if rule.metric == "time" and rule.share then
    return metrics.find(diff.metric(result, old))
  end
  return metrics.find(rule.metric)
end

-- Counts over unlike numbers of calls differ though the bench is the same:
-- what grows now and then is shared by more or fewer calls.
local function unlike_calls(metric, result, old)
  local a, b = (result.passes or {}).census, (old.passes or {}).census
  a, b = a and a.iters, b and b.iters
  return OF_CENSUS[metric.name] and a and b and a ~= b
    and ("%s were counted over %g call%s, and over %g in the baseline; a "
      .. "longer quota may allow as many"):format(metric.name, a,
      a == 1 and "" or "s", b)
end

-- Why a rule can't be held over two figures; nil where it can.
local function hindrance(rule, metric, new, old)
  if not new then return "no " .. rule.metric .. " measured" end
  if not old then return "no " .. rule.metric .. " in the baseline" end
  if not metric.exact
    and not (metrics.has_interval(new) and metrics.has_interval(old)) then
    return "no interval of " .. rule.metric .. " to judge by"
  end
end

-- What a rule says of a bench, or nil, the reason why it can't be held, and
-- whether a count of one of the two is lost by that: a gate that looks away
-- would pass the worst.
local function hold(rule, result, baseline_result, forbidden)
  local metric = metric_for(rule, result, baseline_result)
  local block = forbidden(result.id, metric.name)
  local new = metrics.get(result, metric.name)
  local old = metrics.get(baseline_result, metric.name)
  local reason = block and block.message or hindrance(rule, metric, new, old)
    or unlike_calls(metric, result, baseline_result)
  if reason then
    return nil, reason, metric.exact and (new or old) ~= nil
  end
  local sentence = metric.exact and exact_sentence or noisy_sentence
  local exceeds = metric.exact and exceeds_exactly or exceeds_beyond_noise
  local met = exceeds(new, old, rule)
  return { id = result.id, metric = rule.metric, rule = rule.text,
    noisy = not metric.exact, met = met, change = change_text(new, old),
    message = met and sentence(unicode.visible(result.id), rule, metric, new,
      old) or nil }
end

-- Reasons by their text, each with the benches that it concerns.
local function note(notes, reason, id)
  if not notes[reason] then
    notes[reason] = { reason = reason, ids = {} }
    notes[#notes + 1] = notes[reason]
  end
  table.insert(notes[reason].ids, unicode.visible(id))
end

local FEW = 3 -- benches that a note names before it counts the others

local function note_text(entry, beginning)
  return ("%s: %s (%s)"):format(beginning, entry.reason,
    lists.named(entry.ids, FEW))
end

local function texts_of(notes, beginning)
  local texts = {}
  for i, entry in ipairs(notes) do texts[i] = note_text(entry, beginning) end
  return texts
end

local function check_result(verdict, notes, result, old, wanted, forbidden)
  for _, rule in ipairs(wanted) do
    local finding, reason, is_lost = hold(rule, result, old, forbidden)
    if not finding then
      note(notes, reason, result.id)
      verdict.unchecked = verdict.unchecked + 1
      if is_lost then note(verdict.lost, reason, result.id) end
    elseif finding.met then
      table.insert(verdict.failures, finding)
    else
      table.insert(verdict.passes, finding)
    end
  end
end

--- Holds a report against a baseline.
---@param report table
---@param baseline table Report
---@param wanted table[] rules of gate.parse
---@param options { force: boolean? }? 'force' compares across fingerprints
---@return { failures: table[], passes: table[], notes: string[],
---  lost: string[], checked: integer, unchecked: integer } failures as { id,
---  metric, rule, noisy, change, message }, 'change' in words; no message of a
---  pass; notes say what could not be checked, and why; 'lost' those of counts
---  that one of the two has
function gate.evaluate(report, baseline, wanted, options)
  local differences = options and options.force and {}
    or fingerprint.compare(report, baseline, { "this run", "the baseline" })
  local forbidden = fingerprint.guard(differences)
  local verdict, notes = { failures = {}, passes = {}, lost = {},
    unchecked = 0 }, {}
  local of_baseline = lists.by_id(baseline.results)
  for _, result in ipairs(report.results) do
    local old = of_baseline[result.id]
    if not old then note(notes, "not in the baseline", result.id)
    elseif result.error then note(notes, "the bench failed", result.id)
    elseif old.error then note(notes, "it failed in the baseline", result.id)
    else check_result(verdict, notes, result, old, wanted, forbidden) end
  end
  verdict.notes = texts_of(notes, "not gated")
  verdict.lost = texts_of(verdict.lost, "a gate on counts could not be held")
  verdict.checked = #verdict.failures + #verdict.passes
  return verdict
end

return gate
