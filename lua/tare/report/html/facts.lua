-- Lists of names and values: the figures of a result, its regressions, and
-- the nested tables of environment and options.
local markup = require "tare.report.html.markup"
local metrics = require "tare.base.metrics"
local plot = require "tare.report.html.plot"
local units = require "tare.base.units"

local escape = markup.escape
local facts = {}

--- A list of names and values (markup).
---@param entries table[] { name, value }...
---@return string markup
function facts.list(entries)
  local parts = {}
  for i, entry in ipairs(entries) do
    parts[i] = "<div><dt>" .. escape(entry[1]) .. "</dt><dd>" .. entry[2]
      .. "</dd></div>"
  end
  return '<dl class="facts">' .. table.concat(parts) .. "</dl>"
end

-- A figure with its interval; 'factor' scales both.
local function figure_text(e, unit, factor)
  local function text(x, digits)
    return plot.quantity(x * factor, unit, digits)
  end
  local value = text(e.value, 4)
  if not metrics.has_interval(e) then return value end
  if e.low == e.high then return value .. " exactly" end
  return value .. (' <span class="dim">%s to %s</span>'):format(text(e.low, 3),
    text(e.high, 3))
end

local NUMBERS = {
  { "rounds", "rounds", "rounds" }, { "discarded", "batches left out", "rows" },
  { "launches", "launches", "launches" },
  { "heap_bytes", "heap at the start", "bytes" },
}

local OUTLIERS = { "low_severe", "low_mild", "high_mild", "high_severe" }

local function outliers_text(outliers)
  local parts = {}
  for _, name in ipairs(OUTLIERS) do
    if (outliers[name] or 0) > 0 then
      parts[#parts + 1] = ("%.0f %s"):format(outliers[name],
        (name:gsub("_", " ")))
    end
  end
  return parts[1] and table.concat(parts, ", ") or "none"
end

local function add(entries, name, text)
  entries[#entries + 1] = { name, text }
end

--- The figures of a result.
---@param result table
---@return string markup
function facts.figures(result)
  local entries = {}
  for _, metric in ipairs(metrics.all()) do
    local e = metrics.get(result, metric.name)
    if e then
      add(entries, metric.title, figure_text(e, metric.unit,
        metric.factor or 1))
    end
  end
  if result.r2 then add(entries, "R\194\178", ("%.5f"):format(result.r2)) end
  for _, f in ipairs(NUMBERS) do
    if type(result[f[1]]) == "number" then
      add(entries, f[2], plot.quantity(result[f[1]], f[3], 4))
    end
  end
  if type(result.outliers) == "table" then
    add(entries, "outliers", outliers_text(result.outliers))
  end
  return facts.list(entries)
end

--- What each figure means that any of the results has.
---@param results table[]
---@return string markup
function facts.glossary(results)
  local entries = {}
  for _, metric in ipairs(metrics.all()) do
    for _, result in ipairs(results) do
      if metrics.get(result, metric.name) then
        add(entries, metric.title, escape(metric.explain))
        break
      end
    end
  end
  return facts.list(entries)
end

local function coefficient_row(name, e, vif)
  local function number(x) return escape(units.number(x, 4)) end
  return ('<tr><th scope="row">%s</th><td class="n">%s</td>'
    .. '<td class="n">%s</td><td class="n">%s</td><td class="n">%s</td></tr>')
    :format(escape(name), number(e.value), number(e.low), number(e.high),
      vif and ("%.1f"):format(vif) or "")
end

local function fit_table(fit)
  local rows, names = {}, {}
  for i, name in ipairs(fit.predictors or {}) do names[i] = name end
  local formula = table.concat(names, " + ")
  if fit.intercept then names[#names + 1] = "intercept" end
  for _, name in ipairs(names) do
    local e = (fit.coefficients or {})[name]
    if type(e) == "table" then
      rows[#rows + 1] = coefficient_row(name, e, (fit.vif or {})[name])
    end
  end
  local title = escape(tostring(fit.responder)) .. " ~ "
    .. escape(formula)
  if fit.pass then title = title .. ", pass '" .. escape(fit.pass) .. "'" end
  local metric = metrics.find(fit.responder)
  local unit = metric and metric.unit .. " " or ""
  if fit.r2 then title = title .. (", R\194\178 %.5f"):format(fit.r2) end
  if fit.collinear then title = title .. ": not told apart (VIF)" end
  return '<p class="formula">' .. title .. "</p>" .. markup.table("fit",
    "<th>predictor</th>" .. '<th class="n">' .. unit .. "each</th>"
    .. '<th class="n">low</th><th class="n">high</th><th class="n">VIF</th>',
    table.concat(rows))
end

--- The regressions of a result, folded away; "" where there are none.
---@param fits table[]?
---@return string markup
function facts.regressions(fits)
  if not (fits and fits[1]) then return "" end
  local parts = {}
  for i, fit in ipairs(fits) do parts[i] = fit_table(fit) end
  return "<details class=\"more\"><summary>Regressions</summary>"
    .. table.concat(parts) .. "</details>"
end

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  return keys
end

-- A plain value; the end of its name tells the unit of a number.
local function leaf(name, value)
  if type(value) == "number" then
    local unit = tostring(name):match("_(%l+)$")
    if unit == "bytes" or unit == "ns" then
      return plot.quantity(value, unit, 4)
    end
    return escape(value % 1 == 0 and ("%.0f"):format(value)
      or units.number(value, 6))
  end
  return escape(tostring(value))
end

local function flatten(t, prefix, entries)
  for _, key in ipairs(sorted_keys(t)) do
    local name, value = prefix .. tostring(key), t[key]
    if type(value) ~= "table" then
      entries[#entries + 1] = { name, leaf(key, value) }
    elseif type(value[1]) == "string" or type(value[1]) == "number" then
      local texts = {}
      for i, item in ipairs(value) do texts[i] = leaf(key, item) end
      entries[#entries + 1] = { name, table.concat(texts, ", ") }
    else
      flatten(value, name .. ".", entries)
    end
  end
end

--- A table of any depth as a list of dotted names and values.
---@param t table
---@return string markup
function facts.tree(t)
  local entries = {}
  flatten(t, "", entries)
  return facts.list(entries)
end

return facts
