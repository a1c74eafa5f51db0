-- The overview: one row a bench, one column a metric that any of them has,
-- its unit shared by the column, sorted by the script where there is one.
local collector = require "tare.report.html.collector"
local columns = require "tare.report.html.columns"
local groups = require "tare.report.groups"
local markup = require "tare.report.html.markup"
local metrics = require "tare.base.metrics"
local scale = require "tare.report.scale"
local units = require "tare.base.units"

local element = markup.element

local function value_of(name)
  return function(result) return (metrics.get(result, name) or {}).value end
end

-- Half the interval's width as a share of the value.
local function precision(result)
  local e = metrics.get(result, "time")
  if not (metrics.has_interval(e) and e.value ~= 0) then return nil end
  return (e.high - e.low) / 2 / math.abs(e.value)
end

local function percent_text(v) return ("%.1f\194\160%%"):format(v * 100) end

-- The column of a metric, its unit shared.
local function of_metric(name, digits)
  local metric = metrics.find(name)
  return { title = metric.title, about = metric.explain, unit = metric.unit,
    value = value_of(name), digits = digits }
end

-- 'text' prints one value; without it the column shares the unit.
local COLUMNS = {
  of_metric("time", 4),
  { title = "\194\177", value = precision, text = percent_text,
    about = "half the interval, as a share of the time" },
  of_metric("net", 4),
  { title = "collector", value = collector.share, text = percent_text,
    bar = true, about = "the collector's share of the time" },
  of_metric("allocs", 3), of_metric("bytes", 3), of_metric("instructions", 3),
  { title = "R\194\178", value = function(r) return r.r2 end,
    about = "how much of the time the number of calls explains",
    text = function(v) return ("%.3f"):format(v) end },
}

local AFTER = 2 -- columns that the ratio comes after

-- A column with its texts; nil where no result has a value.
local function filled(definition, results)
  local values, texts = {}, {}
  for i, result in ipairs(results) do
    local v = definition.value(result)
    if scale.is_drawable(v) then
      values[i] = v
      texts[i] = definition.text and definition.text(v)
    end
  end
  if next(values) == nil then return nil end
  local column = definition.text and { texts = texts, pads = {}, suffix = "" }
    or columns.column(values, #results, definition.unit, definition.digits)
  column.title, column.about = definition.title, definition.about
  column.bar, column.values = definition.bar, values
  return column
end

local function relative(report)
  local references = groups.references(report)
  return { title = "ratio",
    about = "against the baseline of its group, else the fastest of it",
    value = function(result)
      local ratio = (references[result] or {}).ratio
      return ratio and ratio.value
    end,
    text = function(v) return units.number(v, 3) .. "\195\151" end }
end

local function columns_of(report)
  local list = {}
  for _, column in ipairs(COLUMNS) do
    list[#list + 1] = filled(column, report.results)
  end
  local ratio = filled(relative(report), report.results)
  if ratio then table.insert(list, math.min(#list, AFTER) + 1, ratio) end
  return list
end

local function cell(column, i)
  local v = column.values[i]
  if not v then return '<td class="n none">\226\128\147</td>' end
  return columns.cell(column, i, "n", v, column.bar and collector.bar(v))
end

-- Where each time lies on a logarithmic axis of all of them.
local function spots(results)
  local values = {}
  for _, r in ipairs(results) do
    local v = value_of("time")(r)
    if scale.is_drawable(v) and v > 0 then values[#values + 1] = v end
  end
  if #values < 2 then return nil end
  return scale.log(scale.log_padded(scale.extent(values)))
end

local function spot(axis, result)
  local v = value_of("time")(result)
  local mark = ""
  if scale.is_drawable(v) and v > 0 then
    mark = ('<i style="--x:%.1f%%"></i>'):format(axis.at(v) * 100)
  end
  return '<td class="spot">' .. mark .. "</td>"
end

local function state(result)
  if result.error then return '<td class="bad n">failed</td>' end
  local count = #(result.warnings or {})
  if count == 0 then return '<td class="n"></td>' end
  return ('<td class="warn n">%d</td>'):format(count)
end

local function row(report, list, axis, i)
  local result = report.results[i]
  local cells = { '<th scope="row"><a href="#r' .. i .. '">'
    .. markup.id(result.id) .. "</a></th>" }
  if axis then cells[2] = spot(axis, result) end
  for _, column in ipairs(list) do cells[#cells + 1] = cell(column, i) end
  cells[#cells + 1] = state(result)
  return "<tr>" .. table.concat(cells) .. "</tr>"
end

local function head(list, axis)
  local cells = { '<th scope="col" data-sort="text">bench</th>' }
  if axis then
    cells[2] = '<th scope="col" class="spot">log scale</th>'
  end
  for _, column in ipairs(list) do
    cells[#cells + 1] = element("th", { "scope", "col", "class", "n",
      "data-sort", "number", "title", column.about },
      columns.title(column.title, column.suffix))
  end
  cells[#cells + 1] = '<th scope="col" class="n" data-sort="text" '
    .. 'title="how many warnings a bench has">warn</th>'
  return table.concat(cells)
end

--- The overview of a Report; row i links to #ri.
---@param report table
---@return string markup
return function(report)
  local list, axis = columns_of(report), spots(report.results)
  local rows = {}
  for i = 1, #report.results do rows[i] = row(report, list, axis, i) end
  return markup.table("overview", head(list, axis), table.concat(rows))
end
