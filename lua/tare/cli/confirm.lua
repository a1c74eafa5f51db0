-- Measures again, in fresh child processes, what a noisy gate stopped.
local confirm = require "tare.judge.confirm"
local gate = require "tare.judge.gate"
local measuring = require "tare.cli.measuring"

local command = {}

-- The cells of the failures that are left, and what they are compared with.
local function cells_of(failures, report, planned)
  local ids, cells = confirm.ids(failures, report.results), {}
  for _, cell in ipairs(ids and planned.all_cells or {}) do
    if ids[cell.id] then cells[#cells + 1] = cell end
  end
  return cells
end

-- The same measurement under another seed.
local function settings_of(planned, number)
  local own = {}
  for name, value in pairs(planned.settings) do own[name] = value end
  own.seed = own.seed + number * own.launches
  return own
end

-- Results of a launch, as those of this run are stamped.
local function launched(cells, planned, given, number)
  local results = {}
  local sink = { is_eager = function() return false end,
    add_draws = function() end }
  function sink.add(_, list)
    for _, result in ipairs(list) do
      result.env_index = planned.rest.env_index
      results[#results + 1] = result
    end
  end
  local signal = measuring.again({ cells = cells,
    settings = settings_of(planned, number) }, given, sink)
  return results, signal
end

local function weigh(verdict, report, planned, given, launch)
  local held = gate.evaluate({ env = report.env, envs = report.envs,
    results = launch }, planned.baseline, planned.rules,
    { force = given.force })
  local kept, notes = confirm.weigh(verdict.failures, held, report.results,
    launch)
  verdict.failures = kept
  for _, list in ipairs { verdict.notes, verdict.unconfirmed } do
    for _, note in ipairs(notes) do list[#list + 1] = note end
  end
end

--- Holds the noisy failures of a verdict against up to --confirm launches;
--- those that a launch lets pass become notes. Results get 'measured_again'.
---@param verdict table of verdicts.of; its failures and notes change
---@param report table
---@param planned table
---@param given table the command line
---@return string? signal what interrupted it
function command.run(verdict, report, planned, given)
  verdict.unconfirmed = {}
  for number = 1, given.confirm do
    local cells = cells_of(verdict.failures or {}, report, planned)
    if #cells == 0 then break end
    local ok, launch, signal = pcall(launched, cells, planned, given, number)
    if not ok then
      table.insert(verdict.notes, "not measured again: " .. tostring(launch))
      break
    end
    if signal then return signal end
    weigh(verdict, report, planned, given, launch)
  end
  verdict.failures = verdict.failures and confirm.told(verdict.failures)
end

return command
