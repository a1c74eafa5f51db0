-- Made-up records of a run, for the specs of the analysis: batches of 100 ns a
-- call in launches, with what a spec makes of them.
local made = require "spec.support.made"

local made_run = {}

made_run.SETTINGS = { confidence = 0.95, resamples = 200, seed = 1,
  tolerance = 0.01 }

--- A record.
---@param shape { launches: integer?, batches: integer?, noise: number?,
---  seed: integer?, call_ns: (fun(launch: integer, i: integer): number)?,
---  fixed_ns: number?, iters: (fun(i: integer): integer)? }
---@param row (fun(row: table, launch: integer, i: integer))? sets columns of a
---  batch: it has iters and wall_ns
---@return table record
function made_run.record(shape, row)
  local random = made.generator(shape.seed or 1)
  local samples, n, now = {}, 0, 0
  for launch = 1, shape.launches or 1 do
    for i = 1, shape.batches or 60 do
      local iters = shape.iters and shape.iters(i) or 1000 + i * 37 % 60 * 50
      local call_ns = shape.call_ns and shape.call_ns(launch, i) or 100
      local batch = { iters = iters, start_ns = now, round = i,
        wall_ns = (shape.fixed_ns or 0) + iters * call_ns
          * (1 + (shape.noise or 0.01) * random.normal()) }
      if (shape.launches or 1) > 1 then batch.launch = launch end
      if row then row(batch, launch, i) end
      n, now = n + 1, now + batch.wall_ns
      for name, value in pairs(batch) do
        samples[name] = samples[name] or {}
        samples[name][n] = value
      end
    end
  end
  return { id = "s/a", suite = "s", name = "a", params = {}, loop = "inline",
    gc = "natural", warnings = {}, samples = samples, passes = {},
    launches = shape.launches or 1 }
end

--- Whether a result has a warning.
function made_run.warns(result, code)
  for _, one in ipairs(result.warnings) do
    if one == code then return true end
  end
  return false
end

--- Half the width of an estimate's interval, of its value.
function made_run.half(estimate)
  return (estimate.high - estimate.low) / 2 / estimate.value
end

return made_run
