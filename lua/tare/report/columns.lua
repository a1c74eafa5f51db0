-- Every column that a table of results can have. A column is data:
--
--   key, explain    its name for --columns, which is its title; its meaning
--   words           what it is called where there is no table
--   align           "left" or "right"
--   value           of a result: what to sort by; without it nobody can
--   cell            of a result: the CELL of tare.report.document, or nil for
--                   none; given the context of the document, and whether its
--                   interval was asked for. A cell that 'is_nothing' is no
--                   reason to show the column
--   estimate        of a figure: { value, low?, high? } of a result, or nil
--   of_samples      it, or its interval, is made of the samples, and missing in
--                   results without
--   needs_counters  of the processor (tare.base.metrics)
local distribution = require "tare.report.distribution"
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local gc_option = require "tare.base.gc_option"
local groups = require "tare.report.groups"
local lists = require "tare.base.lists"
local metrics = require "tare.base.metrics"
local nearest = require "tare.base.nearest"
local numerals = require "tare.base.numerals"
local units = require "tare.base.units"

local columns = {}

-- The default columns, after the bench's name. If the terminal is too narrow,
-- the last ones are left out first.
local USUAL = { "time", "wait", "compared", "gc", "bytes", "instr",
  "machine_instr" }

local known, order = {}, {}

local function define(column)
  known[column.key], order[#order + 1] = column, column
  column.title = column.key
end

--- The confidence that intervals of a Report have.
---@param options table? of the Report
---@return number
function columns.confidence(options)
  local share = tonumber((options or {}).confidence)
  return share and share > 0 and share < 1 and share or 0.95
end

--- Whether a run had too few cycles of the collector to compute its part.
---@return boolean
function columns.has_few_cycles(result)
  return lists.has(result.warnings, "few_cycles")
end

--- How many times as long a run may be proposed for an interval's sake; beyond,
--- processes or neighbours differ, and nobody knows whether any would do.
columns.MOST_LONGER = 30

-- A length of time in one digit, and none that is too short.
local function rounded_up(ns)
  local step = 10 ^ numerals.exponent(ns, 1)
  return math.ceil(ns / step - 1e-9) * step
end

--- The quota that a noisy time asks for, in nanoseconds: the width of an
--- interval shrinks with the square root, and one of 25 % of the value on
--- either side is wanted. Nil where no quota is likely to do.
---@param options table? of the Report
---@return number?
function columns.needed_ns(result, options)
  local time = metrics.get(result, "time")
  if not metrics.has_interval(time) then
    local needed = tonumber(result.cycles_needed_ns)
    return columns.has_few_cycles(result) and needed
      and needed > 0 and needed < 1/0 and rounded_up(needed) or nil
  end
  local quota = options and options.quota
  local ns = type(quota) == "table" and tonumber(quota.ns)
  if not (ns and time.value > 0) then return nil end
  local wanted = ((time.high - time.low) / time.value / 0.5) ^ 2
  if wanted > columns.MOST_LONGER then return nil end
  return numerals.rounded(ns * math.max(2, wanted), 1)
end

--- Why a time can't be trusted: the text in place of its interval; nil if it
--- can.
---@param options table? of the Report
---@return string?
function columns.noise_of(result, options)
  local time = metrics.get(result, "time")
  if not time or result.error then return nil end
  if lists.has(result.warnings, "crowded_run") then
    return "too noisy (shared core)"
  end
  if not metrics.has_interval(time) then
    local needed = columns.needed_ns(result)
    if needed then
      return "too few collections; needs about "
        .. figures.quantity(needed, "ns", 1)
    end
    return "too few batches"
  elseif time.value > 0 and not figures.is_noisy(time) then
    return nil
  end
  local quota = units.quota((options or {}).quota)
  if not quota then return "too noisy" end
  local text = "too noisy at " .. quota
  local needed = columns.needed_ns(result, options)
  return needed and ("%s; needs about %s"):format(text,
    (figures.quantity(needed, "ns", 1))) or text
end

--- A figure of a result: with fewer digits where it is a time of one whose time
--- can't be trusted.
---@param x number
---@param unit string
---@return string
function columns.written(x, unit, result)
  local is_unsure = unit == "ns" and columns.noise_of(result)
  return (is_unsure and figures.unsure or figures.quantity)(x, unit)
end

-- A process is as fast as its memory layout and hash seed let it be, which is
-- some percent; nobody knows what makes one much slower. Where most are alike
-- the few others are no reason to doubt what is usual.
local DRAWN, MOST_ALIKE = 1.2, 0.85

--- The groups into which the processes of a result fall, where nobody knows
--- which is usual; else nil.
---@return { value: number, share: number }[]?
function columns.doubtful_groups(result)
  local list, low, high = result.groups, 1/0, 0
  if type(list) ~= "table" or not list[2]
    or lists.has(result.warnings, "crowded_run") then return nil end
  for _, one in ipairs(list) do
    local value = tonumber(one.value)
    if not value or (tonumber(one.share) or 0) >= MOST_ALIKE then return nil end
    low, high = math.min(low, value), math.max(high, value)
  end
  return high > DRAWN * low and list or nil
end

--- The groups into which the processes of a result fall: "1.20 us in 7 of 11
--- processes, 1.90 us in 3; 1 mostly disturbed, not counted"; nil where they
--- are one, and where others had the core: such a time has no processes to
--- trust.
---@return string?
function columns.groups_text(result)
  local found = result.groups
  if type(found) ~= "table" or #found < 2
    or lists.has(result.warnings, "crowded_run") then return nil end
  local values = result.launch_values -- of those that say something
  local all = tonumber(result.launches)
  local launches = type(values) == "table" and #values or all
  local is_counted = launches and launches > 1 and launches < 1e6
    and launches % 1 == 0
  local total = is_counted and all and all > launches and all < 1e6
    and all % 1 == 0 and all or launches
  local parts = {}
  for i, one in ipairs(found) do
    local share = tonumber(one.share) or 0
    if not (share > 0 and share <= 1) then share = 0 end
    local who = is_counted and ("%d"):format(math.floor(share * launches + 0.5))
      or figures.percent(share)
    local of_all = i > 1 and "" or is_counted
      and (" of %d processes"):format(total) or " of the processes"
    parts[i] = ("%s in %s%s"):format(figures.quantity(one.value, "ns"), who,
      of_all)
  end
  local text = table.concat(parts, ", ")
  if is_counted and total > launches then
    text = ("%s; %d mostly disturbed, not counted"):format(text,
      total - launches)
  end
  return text
end

-- A cell with the interval of an estimate, if there is one.
local function with_its(e, unit, cell)
  if e then cell.more, cell.interval = figures.interval(e, unit) end
  return cell
end

-- A column of figures with a unit. 'estimate' gives { value, low?, high? } of a
-- result, or nil; it is called with the report's confidence, for figures that
-- are made of the batches here. 'more' are other fields of the column, like a
-- cell of its own, or 'text', which writes the figure.
local function define_figure(key, unit, explain, estimate, more)
  local column = { key = key, explain = explain, align = "right",
    estimate = estimate,
    value = function(result)
      local e = estimate(result, columns.confidence(nil))
      return e and e.value
    end,
    cell = function(result, context, with_interval)
      local e = estimate(result, columns.confidence(context.options))
      if not e then return nil end
      return with_its(with_interval and e, unit, { value = e.value,
        text = more and more.text and more.text(e.value)
          or columns.written(e.value, unit, result) })
    end }
  for name, value in pairs(more or {}) do column[name] = value end
  define(column)
end

-- Cells of metrics that show more than the figure, or have it otherwise.
local CELLS = {}

function CELLS.time(result, context)
  local e = metrics.get(result, "time") -- of a failed teardown, there is one
  if result.error and not e then return { text = "failed", style = "bad" } end
  if not e then return nil end
  local found = columns.doubtful_groups(result)
  if found then
    return { value = e.value, style = "warn",
      text = figures.quantity(found[1].value, "ns"),
      short = columns.written(e.value, "ns", result), -- as in changes
      more = "or " .. figures.quantity(found[2].value, "ns") }
  elseif columns.noise_of(result, context.options) then
    return { value = e.value, style = "dim",
      text = e.value > 0 and figures.unsure(e.value, "ns") or "-" }
  end
  return with_its(e, "ns", { value = e.value,
    text = figures.quantity(e.value, "ns") })
end

-- A C function has no instructions of Lua: a zero would look like a
-- measurement.
function CELLS.instr(result)
  local e = metrics.get(result, "instructions")
  if not e or e.value == 0 then return nil end
  return { value = e.value, text = figures.exact(e.value, "instructions") }
end

-- The intervals of mean and sd are not stored: they are made of the samples
-- when these columns are asked for.
local OF_SAMPLES = { mean = "mean", sd = "stddev" }
for title, name in pairs(OF_SAMPLES) do
  CELLS[title] = function(result, context, with_interval)
    local e = metrics.get(result, name)
    if e and not metrics.has_interval(e) then
      e = distribution[title](result, e, columns.confidence(context.options))
    end
    return e and with_its(with_interval and e, "ns", { value = e.value,
      text = columns.written(e.value, "ns", result) })
  end
end

local function scaled(e, factor)
  if factor == 1 or not e then return e end
  return { value = e.value * factor, low = e.low and e.low * factor,
    high = e.high and e.high * factor }
end

for _, metric in ipairs(metrics.all()) do
  local name, unit, factor = metric.name, metric.unit, metric.factor or 1
  define_figure(metric.title, unit, metric.explain, function(result)
    return scaled(metrics.get(result, name), factor)
  end, { cell = CELLS[metric.title], needs_counters = metric.needs_counters,
    words = metric.words, of_samples = OF_SAMPLES[metric.title] ~= nil,
    text = metric.exact and function(x) return figures.exact(x, unit) end })
end

local STYLE = { faster = "good", slower = "bad" }

-- Whether it is known how wrong a time may be.
local function is_bounded(result)
  return metrics.has_interval(result.time)
    or lists.has(result.warnings, "crowded_run")
end

-- Whether one result is surely quicker. A time of few cycles of the collector
-- may be wrong by any factor, but no call takes less than those of the quickest
-- batch.
local function is_surely_quicker(quick, slow)
  local x, y = metrics.get(quick, "time"), metrics.get(slow, "time")
  if y and not is_bounded(slow) then y = metrics.get(slow, "min") end
  return x and y and x.value > 0 and y.value > 0 and is_bounded(quick)
    and groups.is_far(x, y)
end

--- Which of two results is quicker by a factor of 2, though too noisy to say by
--- how much; nil where neither is, or none is too noisy.
---@param options table? of the Report
---@return "faster"|"slower"|nil how the first is
function columns.far_apart(a, b, options)
  if not (columns.noise_of(a, options) or columns.noise_of(b, options)) then
    return nil
  end
  return is_surely_quicker(a, b) and "faster"
    or is_surely_quicker(b, a) and "slower" or nil
end

--- Whether a time is that of no work, so that no ratio of it says anything.
---@return boolean
function columns.is_unreal(result)
  return lists.has(result.warnings, "optimized_away")
end

define { key = "compared", words = "compared", align = "left",
  explain = "how many times as fast or as slow as the bench in the title, "
    .. "with the interval: of batches that were measured in turn. What is too "
    .. "noisy is faster or slower where the times are a factor of 2 apart",
  cell = function(result, context)
    local set = context.relations.set_of[result]
    local c = context.relations:to_reference(result)
    local noise = columns.noise_of(result, context.options)
    -- It is compared with nobody, however noisy its time is: others say that.
    local is_reference = set and set.reference == result
    if is_reference and (result.baseline or not noise) then
      return { value = 1, style = "dim",
        text = result.baseline and "baseline" or "quickest" }
    end
    if c and columns.is_unreal(result) then
      return { text = "too fast to be real", style = "warn" }
    elseif c and columns.is_unreal(set.reference) then
      return { text = "the reference is too fast to be real", style = "warn",
        short = "reference not real" }
    end
    if not (c and STYLE[c.verdict]) then
      local far = c and columns.far_apart(result, set.reference,
        context.options)
      local is_crowded = lists.has(result.warnings, "crowded_run")
      local why = not is_crowded and noise
        or far and "too noisy to say by how much"
      local first = far and far .. "; " or ""
      if why then
        return { text = first .. why, style = "warn",
          short = first .. why:gsub("^too.*about", "noisy: needs")
            :gsub(" to say.*", "") }
      elseif is_crowded then
        return c and { text = "unclear (too noisy)", short = "unclear",
          style = "warn", verdict = "unclear" }
      end
    end
    if not c then return nil end
    local text, short, range = figures.comparison(c.ratio, c.verdict)
    return { value = c.ratio.value, text = text, short = text, least = short,
      style = STYLE[c.verdict] or "plain", interval = range,
      verdict = c.verdict }
  end }

--- A smaller share of the collector is none.
columns.NEGLIGIBLE_SHARE = 0.005

--- The collector's share of the time; nil where it was not measured.
---@return number?
function columns.collector_share(result)
  local share = metrics.get(result, "collector_share")
  if share then return math.max(0, math.min(1, share.value)) end
  local net, part = metrics.get(result, "net"),
    metrics.get(result, "collector")
  local total = net and part and math.max(0, net.value)
    + math.max(0, part.value)
  return total and total > 0 and math.max(0, part.value) / total or nil
end

define { key = "gc", words = "the collector's share", align = "right",
  explain = "the collector's share of the time; '?' where the run saw too few "
    .. "of its cycles to say",
  value = columns.collector_share,
  cell = function(result)
    if columns.has_few_cycles(result) then
      return { text = "?", style = "warn" }
    end
    local share = columns.collector_share(result)
    if share and share < columns.NEGLIGIBLE_SHARE then
      return { value = 0, text = "0%", style = "dim", is_nothing = true }
    end
    return share and { value = share, text = figures.percent(share) } or nil
  end }

local function quantile_figure(key, q, words, explain)
  define_figure(key, "ns", explain, function(result, confidence)
    return distribution.quantile(result, q, confidence)
  end, { words = words, of_samples = true })
end
quantile_figure("p95", 0.95, "95th percentile", "time per call below which "
  .. "95 % of the batches are; an interval (+p95) of 95% needs 72 of "
  .. "them, and more where launches differ")
quantile_figure("p99", 0.99, "99th percentile", "time per call below which "
  .. "99 % of the batches are; an interval (+p99) of 95% needs 368 of "
  .. "them, and more where launches differ")
quantile_figure("max", 1, "slowest batch", "time per call of the slowest "
  .. "batch; it has no interval, for nothing says how slow the next one may be")

local OUTLIERS = { { "high_severe", "far above" }, { "high_mild", "above" },
  { "low_mild", "below" }, { "low_severe", "far below" } }

define { key = "outliers", words = "outliers", align = "left",
  explain = "batches beyond Tukey's fences (1.5 and 3 interquartile ranges), "
    .. "and the share of the variance that outliers make",
  cell = function(result)
    local o = result.outliers
    if type(o) ~= "table" then return nil end
    local parts = {}
    for _, one in ipairs(OUTLIERS) do
      local count = tonumber(o[one[1]]) or 0
      if count > 0 then
        parts[#parts + 1] = numerals.fixed(count, 0) .. " " .. one[2]
      end
    end
    local variance = type(o.variance) == "table" and o.variance.fraction
      or o.variance
    local text = parts[1] and table.concat(parts, ", ") or "none"
    if type(variance) == "number" and variance >= 0 and variance <= 1
      and parts[1] then
      text = ("%s; %s of the variance"):format(text,
        figures.percent(variance))
    end
    return { text = text }
  end }

for _, kind in ipairs { "bytes", "items" } do
  define_figure(kind .. "_rate", kind, kind .. " that the bench says it "
    .. "processes, per second",
    function(result) return columns.rate(result, kind) end,
    { words = kind .. " per second",
      text = function(x) return figures.quantity(x, kind) .. "/s" end })
end

--- Throughput: what a bench says a call processes, per second, with its
--- interval; nil where it does not say, or has no time.
---@param kind "bytes"|"items"
---@return { value: number, low: number?, high: number? }?
function columns.rate(result, kind)
  local amount = (result.throughput or {})[kind]
  local time = metrics.get(result, "time")
  if not (amount and time and amount > 0 and time.value > 0) then return nil end
  local per_second = amount * 1e9
  local ends = metrics.has_interval(time) and time.low > 0 and time or {}
  return { value = per_second / time.value,
    low = ends.high and per_second / ends.high,
    high = ends.low and per_second / ends.low }
end

define { key = "r2", words = "R\194\178 of time on calls", align = "right",
  explain = "R2: share of the variance of batch times that the number of "
    .. "calls explains, with its interval",
  value = function(result) return (metrics.get(result, "r2") or {}).value end,
  cell = function(result, _, with_interval)
    local r2 = metrics.get(result, "r2")
    if not r2 then return nil end
    local cell, fit = { value = r2.value, text = figures.r2(r2.value) },
      (result.fits or {})[1]
    if with_interval and fit and fit.r2 == r2.value then -- it is of this fit
      cell.more, cell.interval = figures.r2_range(fit)
    end
    return cell
  end }

define_figure("batches", "batches", "batches that were measured",
  function(result)
    local iters = (result.samples or {}).iters
    return iters and { value = #iters }
  end, { words = "batches", of_samples = true })
define_figure("launches", "launches", "processes that measured it",
  function(result) return metrics.get(result, "launches") end,
  { words = "processes" })
define { key = "groups", words = "processes differ", align = "left",
  explain = "the groups into which the processes fall, where they do: what a "
    .. "call took, and in how many of them",
  cell = function(result)
    local text = columns.groups_text(result)
    return text and { text = text }
  end }
-- "12 (gc 10, jit 2)"
define { key = "discarded", words = "batches discarded", align = "right",
  explain = "batches that were left out for a collection or a compilation "
    .. "(--discard)",
  value = function(result) return result.discarded end,
  cell = function(result)
    if not result.discarded then return nil end
    local parts = {}
    for _, kind in ipairs { "gc", "jit" } do
      local count = (result.discarded_by or {})[kind]
      if count and count > 0 then
        parts[#parts + 1] = ("%s %.0f"):format(kind, count)
      end
    end
    return { value = result.discarded, text = ("%.0f"):format(result.discarded),
      more = parts[1] and ("(%s)"):format(table.concat(parts, ", ")) }
  end }

for _, entry in ipairs { { "p50", "median pause" },
  { "p95", "95th percentile of pauses" },
  { "p99", "99th percentile of pauses" },
  { "max", "longest pause" } } do
  local name = entry[1]
  define_figure("pause_" .. name, "ns",
    name == "max" and "longest pause of the collector (pass 'paced')"
      or name .. " of the collector's pauses (pass 'paced')", function(result)
      local paced = (result.passes or {}).paced
      local ns = paced and paced.pauses and paced.pauses[name]
      return type(ns) == "number" and ns == ns and { value = ns } or nil
    end, { words = entry[2] })
end

define { key = "distribution", words = "distribution", align = "left",
  of_samples = true,
  explain = "times of the undisturbed batches from quick to slow, between the "
    .. "two ends; what is far outside is not drawn",
  cell = function(result, context)
    local drawn = distribution.spark(result, context.ascii)
    return drawn and { text = drawn }
  end }

local function define_word(key, words, explain, field)
  define { key = key, words = words, align = "left", explain = explain,
    value = function(result) return result[field or key] end,
    cell = function(result)
      local word = result[field or key]
      return type(word) == "string" and { text = escape.visible(word) } or nil
    end }
end
define_word("loop", "loop",
  "what repeats the function: a compiled Lua loop (inline), "
  .. "calls from C (call), or the function itself (batch)")
local ways = {}
for i, way in ipairs(gc_option.all) do
  ways[i] = way.name
    .. (way.explain and (" (%s)"):format(way.explain) or "")
end
define_word("gc_run", "collector", "what the collector did meanwhile: "
  .. table.concat(ways, ", ", 1, #ways - 1) .. ", or " .. ways[#ways],
  "gc")
define_word("gc_mode", "mode of the collector", "incremental or generational")
define_word("time_from", "time is from",
  "where the time comes from: cycles at the machine's "
  .. "reference clock, or the wall clock")

known.bench = { key = "bench", title = "bench", align = "left",
  explain = "name and parameters",
  value = function(result) return result.id end }

-- Other names of columns: older ones, and words that mean the same.
local ALIASES = { name = "bench", relative = "compared", share = "gc",
  instructions = "instr", stddev = "sd", rows = "batches",
  histogram = "distribution", minor = "gc_minor", major = "gc_major",
  machine_instructions = "machine_instr", r2_collections = "r2",
  interval = "time", comparison = "compared", allocations = "allocs",
  remark = "compared" }

--- The column of a name, or nil.
---@param name string
---@return table?
function columns.find(name)
  name = name:gsub(":interval$", "")
  return known[name] or known[ALIASES[name] or ""]
end

--- The names of all columns, in the order of '--columns all'.
---@return string[]
function columns.names()
  local names = { "bench" }
  for _, column in ipairs(order) do names[#names + 1] = column.key end
  return names
end

local function unknown(name)
  local visible = escape.visible(name)
  local close = nearest.name(name, known)
  return ("no column '%s'; %s"):format(visible, close
    and ("did you mean '%s'?"):format(close)
    or "there are time, compared, gc, bytes, instr, net, allocs, mean, p99 and "
      .. "more: '--columns all' shows every one")
end

--- The columns of a list of names: "a,b,+c" or { "a", "b", "+c" }. A '+' adds
--- the interval; a list that begins with a comma adds to the default columns;
--- "all" means every column. Without a list: the default ones. Those that are
--- 'named' are shown even if they are empty.
---@param names string|string[]|nil
---@return { column: table, interval: boolean?, named: boolean? }[]? chosen
---  with 'has_all' where all were asked for
---@return string? message about a name that is not known
function columns.chosen(names)
  local list, has = {}, {}
  local function add(column, with_interval, is_named)
    if column.key == "bench" then return end
    if not has[column.key] then
      has[column.key] = { column = column }
      list[#list + 1] = has[column.key]
    end
    local one = has[column.key]
    one.interval = one.interval or with_interval
    one.named = one.named or is_named
  end
  if type(names) == "table" then names = table.concat(names, ",") end
  if names == nil or names:find("^%s*,") then
    for _, name in ipairs(USUAL) do add(known[name]) end
  end
  for name in (names or ""):gmatch("[^,%s]+") do
    local plus, key = name:match("^(%+?)(.*)$")
    local column = columns.find(key)
    if key == "all" then
      for _, one in ipairs(order) do add(one, plus == "+") end
      list.has_all = true
    elseif not column then
      return nil, unknown(key)
    else
      add(column, plus == "+", true)
    end
  end
  return list
end

--- The sort order of a name: "time", "-time", "bench"; nil for "none".
---@param name string?
---@return (fun(result: table): any)? key_of
---@return boolean|string|nil descending, or why there is none
function columns.order(name)
  if not name or name == "none" then return nil end
  local sign, key = name:match("^(%-?)(.*)$")
  local column = columns.find(key)
  if not (column and column.value) then
    local close = nearest.name(key, known)
    return nil, ("can't sort by '%s'%s"):format(escape.visible(key),
      close and not column and ("; did you mean '%s'?"):format(close)
      or ", but by bench, time, gc, bytes, instr and other columns of figures")
  end
  return column.value, sign == "-"
end

--- A list in the order of --sort: what has no figure last, equal ones as they
--- came.
---@param wanted { key_of: (fun(result: table): any)?, descending: boolean? } of
---  columns.order; without, as it came
---@param result_of (fun(item: table): table)? of what is no result itself
function columns.sorted(list, wanted, result_of)
  if not wanted.key_of then return list end
  local entries, ordered = {}, {}
  for i, item in ipairs(list) do
    entries[i] = { item = item, index = i,
      key = wanted.key_of(result_of and result_of(item) or item) }
  end
  table.sort(entries, function(a, b)
    if a.key == b.key then return a.index < b.index end
    if a.key == nil or b.key == nil then return b.key == nil end
    if wanted.descending then return a.key > b.key end
    return a.key < b.key
  end)
  for i, entry in ipairs(entries) do ordered[i] = entry.item end
  return ordered
end

--- The order in which columns are left out if the width is too small: the
--- column with the highest rank first.
function columns.rank(key)
  for i, name in ipairs(USUAL) do
    if name == key then return i end
  end
  return #USUAL + 1
end

return columns
