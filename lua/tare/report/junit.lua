-- JUnit XML, as CI systems show it: a testcase a bench; a bench that raised is
-- an error, one that fails at a gate is a failure.
local escape = require "tare.report.escape"
local figures = require "tare.report.figures"
local groups = require "tare.report.groups"
local metrics = require "tare.base.metrics"
local numerals = require "tare.base.numerals"

local junit = {}

-- Seconds that went into the measuring of a bench.
local function seconds(result)
  local total = result.warmup and result.warmup.ns or 0
  for _, ns in ipairs((result.samples or {}).wall_ns or {}) do
    if ns == ns then total = total + ns end
  end
  return total / 1e9
end

local function by_id(failures)
  local map = {}
  for _, failure in ipairs(failures or {}) do
    map[failure.id] = map[failure.id] or {}
    table.insert(map[failure.id], failure)
  end
  return map
end

local function attributes(list)
  local parts = {}
  for _, pair in ipairs(list) do
    parts[#parts + 1] = (' %s="%s"'):format(pair[1], escape.xml(pair[2]))
  end
  return table.concat(parts)
end

local function element(name, list, text)
  return ("      <%s%s>%s</%s>\n"):format(name, attributes(list),
    escape.xml(text), name)
end

local function said(result)
  local time = metrics.get(result, "time")
  if not time then return "" end
  local text = figures.quantity(time.value, "ns") .. " per call"
  if metrics.has_interval(time) then
    text = ("%s (%s)"):format(text, figures.range(math.max(0, time.low),
      time.high, "ns"))
  end
  return element("system-out", {}, text)
end

local function troubles(result, failures)
  local out = {}
  if result.error then
    out[1] = element("error", { { "message", result.error },
      { "type", "error" } }, result.error)
  end
  for _, failure in ipairs(failures or {}) do
    out[#out + 1] = element("failure", { { "message", failure.message },
      { "type", failure.metric or "gate" } }, failure.message)
  end
  return table.concat(out)
end

local function testcase(result, title, failures)
  return ("    <testcase%s>\n%s%s    </testcase>\n"):format(attributes {
    { "name", groups.label(result, title) },
    { "classname", title == "" and "tare" or title },
    { "time", numerals.fixed(seconds(result), 6) } },
    troubles(result, failures), said(result))
end

local function count(results, failures)
  local errors, failed, time = 0, 0, 0
  for _, result in ipairs(results) do
    if result.error then errors = errors + 1
    elseif failures[result.id] then failed = failed + 1 end
    time = time + seconds(result)
  end
  return { { "tests", #results }, { "failures", failed },
    { "errors", errors }, { "skipped", 0 },
    { "time", numerals.fixed(time, 6) } }
end

local function testsuite(section, failures)
  local out, title = {}, section.title == "" and "tare" or section.title
  for i, result in ipairs(section.results) do
    out[i] = testcase(result, section.title, failures[result.id])
  end
  return ('  <testsuite%s%s>\n%s  </testsuite>\n'):format(
    attributes { { "name", title } },
    attributes(count(section.results, failures)), table.concat(out))
end

---@param options { failures: table[]? }? failures of tare.judge.gate
---@return string
function junit.render(report, options)
  local failures = by_id(options and options.failures)
  local out = { '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites',
    attributes { { "name", "tare" } },
    attributes(count(report.results, failures)), ">\n" }
  for _, section in ipairs(groups.sections(report.results)) do
    out[#out + 1] = testsuite(section, failures)
  end
  out[#out + 1] = "</testsuites>\n"
  return table.concat(out)
end

return junit
