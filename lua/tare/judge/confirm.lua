-- A noisy figure that a gate stopped, held against what fresh processes say of
-- it: a whole process can be off, by its addresses, hash seed or traces, or by
-- what else the machine did. The gate stands only if no launch lets it pass.
local metrics = require "tare.base.metrics"

local confirm = {}

local GATED = { "time", "cycles", "net", "collector" } -- that are kept

local function key_of(finding) return finding.id .. "\0" .. finding.rule end

--- The benches to measure again: those that noisy failures name, and what each
--- is compared with.
---@param failures table[] of tare.judge.gate
---@param results table[] of the run
---@return table<string, boolean>? ids nil where there is nothing to confirm
function confirm.ids(failures, results)
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

-- Leaves in each result what another launch measured of it, and which rules
-- that met.
local function remember(results, launch, failures)
  local of_launch = {}
  for _, result in ipairs(launch) do
    if not result.error then of_launch[result.id] = figures_of(result) end
  end
  for _, failure in ipairs(failures) do
    local figures = failure.noisy and of_launch[failure.id]
    if figures then
      figures.met = figures.met or {}
      table.insert(figures.met, failure.rule)
    end
  end
  for _, result in ipairs(results) do
    local figures = of_launch[result.id]
    if figures then
      result.measured_again = result.measured_again or {}
      table.insert(result.measured_again, figures)
    end
  end
end

local function passed(failure, pass)
  return ("%s; measured again in a fresh process it changed%s: passed")
    :format(failure.message, pass.change)
end

--- Holds failures against one more launch. Those of counts stay, and those of
--- which the launch says nothing; each that it agrees with counts it.
---@param failures table[] of tare.judge.gate; 'agreed' is added up
---@param held table of gate.evaluate over the launch
---@param results table[] of the run; they get 'measured_again'
---@param launch table[] results of the launch
---@return table[] kept failures
---@return string[] notes a sentence for each that was let pass
function confirm.weigh(failures, held, results, launch)
  local kept, notes, met, passes = {}, {}, {}, {}
  remember(results, launch, held.failures)
  for _, finding in ipairs(held.failures) do met[key_of(finding)] = true end
  for _, finding in ipairs(held.passes) do passes[key_of(finding)] = finding end
  for _, failure in ipairs(failures) do
    local pass = failure.noisy and passes[key_of(failure)]
    if pass then
      notes[#notes + 1] = passed(failure, pass)
    else
      kept[#kept + 1] = failure
      if failure.noisy and met[key_of(failure)] then
        failure.agreed = (failure.agreed or 0) + 1
      end
    end
  end
  return kept, notes
end

--- Failures whose reason says how many launches agree.
---@param failures table[] of confirm.weigh
---@return table[] failures new ones
function confirm.told(failures)
  local list = {}
  for i, failure in ipairs(failures) do
    local copy = {}
    for name, value in pairs(failure) do copy[name] = value end
    if failure.agreed then
      copy.message = ("%s; %d fresh process%s too"):format(failure.message,
        failure.agreed, failure.agreed == 1 and "" or "es")
    end
    list[i] = copy
  end
  return list
end

return confirm
