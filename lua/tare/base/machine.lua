-- The machine that a result was measured on: a report that was merged, or
-- resumed elsewhere, has several.
local machine = {}

--- The environment of a result.
---@param report table Report
---@param result table of it
---@return table env empty where nothing is known
function machine.env(report, result)
  local env = (report.envs or {})[result.env_index or 1] or report.env
  return type(env) == "table" and env or {}
end

-- Of a file, it may be anything.
local function positive(x)
  return type(x) == "number" and x > 0 and x < 1/0 and x or nil
end

--- What gives the clock of the machine of a result.
---@param report table Report
---@return fun(result: table): { reference_ns: number?, best_width: number? }
function machine.clocks(report)
  return function(result)
    local clock = machine.env(report, result).clock
    clock = type(clock) == "table" and clock or {}
    return { reference_ns = positive(clock.reference_ns),
      best_width = positive(clock.best_width) }
  end
end

return machine
