-- Regressions of a result's samples. A regression is data:
-- {responder = "time", predictors = {"iters", ...}, intercept = true}.
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local rows = require "tare.analysis.rows"

local fits = {}

-- Columns of variables that have another name (columns.REGRESSED).
local COLUMN = { time = "time_ns", cpu_time = "cpu_ns" }

local COLLINEAR_VIF = 100 -- above it, coefficients are not reliable

-- Neighbouring batches are alike, so a bootstrap that draws single rows gives
-- intervals that are too narrow. It draws blocks of neighbours instead (Kunsch,
-- Annals of Statistics 17, 1989), each an eighth of the rows. For 200 rows
-- whose neighbours are alike by 0, 0.5, 0.8 and 0.9, 96, 93, 93 and 91 % of the
-- intervals hold; if single rows are drawn, 89 to 34 %.
local BLOCKS = 8

local function column_of(samples, name)
  if name == "time" and not samples.time_ns then return samples.wall_ns end
  return samples[COLUMN[name] or name]
end

-- The columns of a regression; or nil, a code, and a message that names the
-- column at fault. A predictor that does not vary explains nothing.
local function design_of(samples, regression)
  local count = #samples.iters
  local function complete(name)
    local column = column_of(samples, name)
    if columns.complete(column, count) then return column end
    return nil, "absent", name .. " has no values in these batches"
  end
  local responder, code, message = complete(regression.responder)
  if not responder then return nil, code, message end
  local predictors = {}
  for i, name in ipairs(regression.predictors) do
    local column
    column, code, message = complete(name)
    if not column then return nil, code, message end
    if count > 1 and not columns.varies(column) then
      if column[1] == 0 then
        return nil, "zero_column", name .. " is zero in every batch"
      elseif regression.intercept then
        return nil, "collinear", name .. " is the same in every batch, so it "
          .. "can't be separated from the intercept"
      end
    end
    predictors[i] = column
  end
  return responder, predictors
end

local function plain(estimate)
  return estimate and { value = estimate.value, low = estimate.low,
    high = estimate.high }
end

--- One regression with intervals by bootstrap. Where there are several
--- launches, launches are drawn and, within each, rows; else blocks of
--- neighbouring rows.
---@param samples table<string, number[]> in the order of measuring
---@param regression { responder: string, predictors: string[],
---  intercept: boolean }
---@param settings { resamples: integer, confidence: number, seed: integer }
---@return table? fit see the report's 'fits'
---@return string? code why there is none, like "collinear"
---@return string? message
function fits.fit(samples, regression, settings)
  local responder, predictors, refusal = design_of(samples, regression)
  if not responder then return nil, predictors, refusal end
  local has_launches = rows.has_launches(samples)
  local block = math.floor(#responder / BLOCKS)
  local boot, code, message = core.stats.bootstrap(responder, predictors, {
    intercept = regression.intercept, resamples = settings.resamples,
    confidence = settings.confidence, seed = settings.seed,
    method = "expanded", groups = has_launches and samples.launch or nil,
    block = not has_launches and block > 1 and block or nil })
  if not boot then
    local column = tonumber(message:match " %(column (%d+)%)$")
    local name = regression.predictors[column or 0]
    return nil, code, name and message:gsub("^a column", name)
      :gsub(" %(column %d+%)$", "") or message
  end
  local vif, worst = {}, 0
  local coefficients = { intercept = plain(boot.intercept) }
  for i, name in ipairs(regression.predictors) do
    coefficients[name] = plain(boot.coefficients[i])
    vif[name] = boot.vif and boot.vif[i]
    worst = math.max(worst, vif[name] or 0)
  end
  return {
    responder = regression.responder, predictors = regression.predictors,
    intercept = regression.intercept, r2 = boot.r2 and boot.r2.value,
    r2_low = boot.r2 and boot.r2.low, r2_high = boot.r2 and boot.r2.high,
    adjusted_r2 = boot.adjusted_r2 and boot.adjusted_r2.value, vif = vif,
    collinear = worst > COLLINEAR_VIF or nil, coefficients = coefficients,
  }
end

--- The regression of time on calls: with an intercept where sizes differ.
---@param samples table<string, number[]>
---@return table regression
function fits.of_time(samples)
  return { responder = "time", predictors = { "iters" },
    intercept = columns.varies(samples.iters) }
end

--- The regression of time on calls and on the collections that were seen
--- (Core_bench's), with an intercept where sizes differ; nil where the number
--- of collections is the same in all batches.
---@param samples table<string, number[]>
---@return table? regression
function fits.of_collections(samples)
  local predictors = { "iters" }
  for _, name in ipairs { "gc_minor", "gc_major" } do
    if columns.complete(samples[name], #samples.iters)
      and columns.varies(samples[name]) then
      predictors[#predictors + 1] = name
    end
  end
  if #predictors == 1 then return nil end
  return { responder = "time", predictors = predictors,
    intercept = columns.varies(samples.iters) }
end

return fits
