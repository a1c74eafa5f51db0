-- The regressions that --regress asked for: one table for each, a row for each
-- bench, coefficients with their intervals and R2.
local columns = require "tare.base.sample_columns"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local metrics = require "tare.base.metrics"

local regressions = {}

--- The name of a regression: "time ~ iters + gc_minor".
---@param regression { responder: string, predictors: string[] }
---@return string
function regressions.name(regression)
  local names = {}
  for i, name in ipairs(regression.predictors or {}) do
    names[i] = tostring(name)
  end
  return escape.visible(("%s ~ %s"):format(tostring(regression.responder),
    table.concat(names, " + ")))
end
local name_of = regressions.name

-- Those that a result was asked for: its own, else those of the run.
local function asked_of(result, report)
  local list = result.regress or (report.options or {}).regress
  return type(list) == "table" and list or {}
end

-- What came of a regression: the fit (the last of its name: what was asked for
-- comes after what is always done), or why there is none.
local function outcome(result, name)
  local found
  for _, fit in ipairs(result.fits or {}) do
    if name_of(fit) == name then found = fit end
  end
  if found then return found end
  for _, wrong in ipairs(result.fit_errors or {}) do
    if name_of(wrong) == name then
      return nil, tostring(wrong.message or wrong.code or "can't be fitted")
    end
  end
end

--- Every regression that was asked for, with what came of it in each result.
---@return { name: string, responder: string, predictors: string[],
---  of: table<table, { fit: table?, message: string? }> }[]
function regressions.asked(report)
  local list, by_name = {}, {}
  for _, result in ipairs(report.results) do
    for _, one in ipairs(not result.error and asked_of(result, report) or {})
    do
      local name = type(one) == "table" and name_of(one)
      if name and not by_name[name] then
        by_name[name] = { name = name, responder = one.responder,
          predictors = one.predictors or {}, of = {} }
        list[#list + 1] = by_name[name]
      end
      if name then
        local fit, message = outcome(result, name)
        by_name[name].of[result] = { fit = fit, message = message }
      end
    end
  end
  return list
end

--- The unit of a fit's coefficients.
---@param fit { responder: string }
---@return string
function regressions.unit(fit)
  return columns.REGRESSED[fit.responder] or "count"
end

--- Whether a coefficient is above zero with its whole interval.
---@param e { value: number, low: number?, high: number? }
---@return boolean
function regressions.is_positive(e)
  return e.value > 0 and (e.low or e.value) > 0
end

local function coefficient_cell(fit, predictor, unit)
  local e = (fit.coefficients or {})[predictor]
  if type(e) ~= "table" or type(e.value) ~= "number" then return nil end
  local text = figures.quantity(e.value, unit)
  if not metrics.has_interval(e) or e.low == e.high then
    return { text = text, value = e.value }
  end
  local more, how = figures.interval(e, unit)
  return { text = text, value = e.value, interval = how or "range",
    more = more or ("(%s)"):format(figures.range(e.low, e.high, unit)) }
end

local function r2_cell(fit)
  if type(fit.r2) ~= "number" or fit.r2 ~= fit.r2 then return nil end
  local more, how = figures.r2_range(fit)
  return { text = figures.r2(fit.r2), value = fit.r2, more = more,
    interval = how }
end

local COLLINEAR = "not separable (VIF)"

--- Sections of a document, one for each regression.
---@return table[]
function regressions.sections(report)
  local sections = {}
  for _, asked in ipairs(regressions.asked(report)) do
    local unit = regressions.unit(asked)
    local responder = escape.visible(asked.responder or "it")
    local list = { { key = "bench", title = "bench", align = "left",
      explain = "id of the bench" } }
    for _, name in ipairs(asked.predictors) do
      local shown = escape.visible(name)
      list[#list + 1] = { key = name, align = "right", predictor = name,
        title = "per " .. shown, explain = ("by how much a batch's %s is more "
          .. "for one more of %s, with its interval"):format(responder, shown) }
    end
    list[#list + 1] = { key = "intercept", title = "intercept",
      align = "right", predictor = "intercept", explain = ("the %s of a batch "
        .. "for which all of these are 0"):format(responder) }
    list[#list + 1] = { key = "r2", title = "R2", align = "right",
      explain = "share of the variance that the fit explains, from 0 to 1" }
    local made = { columns = list, rows = {} }
    local wrong = {}
    for _, result in ipairs(report.results) do
      local found = asked.of[result]
      local name = escape.visible(result.id)
      if found and found.fit then
        local cells = { { text = name, value = result.id } }
        for i = 2, #list do
          cells[i] = list[i].predictor
            and coefficient_cell(found.fit, list[i].predictor, unit)
            or not list[i].predictor and r2_cell(found.fit)
            or { text = "-", style = "dim" }
        end
        made.rows[#made.rows + 1] = { cells = cells, result = result }
        if found.fit.collinear then
          wrong[#wrong + 1] = { text = ("%s: %s"):format(name, COLLINEAR),
            style = "warn" }
        end
      elseif found then
        wrong[#wrong + 1] = { style = "bad", text = ("%s can't be fitted: %s")
          :format(name, escape.visible(found.message
            or "it has no such samples")) }
      end
    end
    sections[#sections + 1] = { kind = "regression", sentences = wrong,
      title = "regression " .. asked.name,
      table = made.rows[1] and made or nil }
  end
  return sections
end

--- Fields of a row of CSV for the regressions of a Report: titles, and a
--- function that gives the values of a result.
---@return string[] titles
---@return fun(result: table): table
function regressions.fields(report)
  local titles, fields = {}, {}
  local function add(asked, what, read)
    titles[#titles + 1] = asked.name .. ": " .. what
    fields[#fields + 1] = function(result)
      local found = asked.of[result]
      if found then return read(found.fit or {}, found) end
    end
  end
  for _, asked in ipairs(regressions.asked(report)) do
    local names = {}
    for i, name in ipairs(asked.predictors) do names[i] = name end
    names[#names + 1] = "intercept"
    for _, name in ipairs(names) do
      for _, part in ipairs { "value", "low", "high" } do
        add(asked, part == "value" and name or name .. "_" .. part,
          function(fit)
            local e = (fit.coefficients or {})[name]
            return type(e) == "table" and e[part] or nil
          end)
      end
    end
    for _, part in ipairs { "r2", "r2_low", "r2_high" } do
      add(asked, part, function(fit) return fit[part] end)
    end
    add(asked, "error", function(_, found) return found.message end)
  end
  return titles, function(result)
    local values = {}
    for i, read in ipairs(fields) do values[i] = read(result) end
    return values
  end
end

return regressions
