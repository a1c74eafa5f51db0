-- Sweeps of rare kinds, whole: as text, as Markdown and drawn. Compared with
-- what someone has read.
local fixtures = require "spec.support.fixtures"
local golden = require "spec.support.golden"
local report = require "tare.report"

-- Series of a sweep over n: { label, { x, ns }..., law = }, and its results.
-- 'share' is that of the intervals; a point without a time is one that failed.
local function sweep_of(series, crossovers, given)
  given = given or {}
  local results, made = {}, { bench = "s/f", axis = given.axis or "n",
    series = {}, crossovers = crossovers or {}, unit = given.unit }
  for k, one in ipairs(series) do
    local points = {}
    for _, at in ipairs(one) do
      local id = ("s/f{impl=%s,n=%s}"):format(one[0],
        golden.flat(at[1]))
      local share = at[3] or given.share or 0.02
      local time = at[2] and { value = at[2], low = at[2] * (1 - share),
        high = at[2] * (1 + share), unit = "ns" }
      results[#results + 1] = { id = id, suite = "s", name = "f",
        params = { impl = one[0], n = at[1] }, warnings = at.warnings or {},
        launches = 3, rounds = 40, time = time, baseline = one.baseline,
        error = not time and "no time" or nil }
      if time then
        points[#points + 1] = { x = at[1], value = time.value, low = time.low,
          high = time.high, id = id }
      end
    end
    made.series[k] = { label = "impl=" .. one[0], points = points,
      law = one.law }
  end
  return { env = { lua = "Lua 5.4.4" }, results = results, sweeps = { made },
    options = { confidence = 0.95 }, comparisons = given.comparisons or {} }
end

local function line(label, f, sizes, more)
  local series = more or {}
  series[0] = label
  for i, n in ipairs(sizes) do series[i] = { n, f(n) } end
  return series
end

local function law(name, constant, factor, exponent, also)
  return { name = name, also = also or {}, coefficients = {
    constant = constant, factor = factor }, exponent = exponent and {
    value = exponent, low = exponent - 0.1, high = exponent + 0.1 } }
end

local SIZES = { 1, 10, 100, 1000, 10000 }
local function linear(a, b) return function(n) return a + b * n end end
local function cross(x, low, high, a, b)
  return { a = "impl=" .. (a or "a"), b = "impl=" .. (b or "b"), x = x,
    low = low, high = high }
end

local MADE = {
  { "one series", sweep_of { line("a", linear(10, 2), SIZES,
    { law = law("n", 10, 2, 1) }) } },
  { "one size", sweep_of { line("a", linear(10, 2), { 5 }),
    line("b", linear(5, 9), { 5 }) } },
  { "crossings with one end, both, none", sweep_of({
    line("a", linear(10, 2), SIZES), line("b", linear(60, 1), SIZES),
    line("c", linear(500, 0.1), SIZES) }, { cross(50, 40, 60),
    cross(258, 200, nil, "a", "c"), cross(490, nil, 600, "b", "c") }) },
  { "crossings without ends", sweep_of({ line("a", linear(10, 2), SIZES),
    line("b", linear(60, 1), SIZES) }, { cross(50) }) },
  { "a crossing that is far from where lines meet", sweep_of({ line("a",
      linear(10, 2), SIZES), line("b", linear(1013, 1), SIZES) }, {
    cross(9900, 500, 10000) }) },
  { "a crossing between no series that is there", sweep_of({
    line("a", linear(10, 2), SIZES), line("b", linear(60, 1), SIZES) },
    { cross(50, 40, 60, "a", "z") }) },
  { "lines that meet twice", sweep_of({ line("a", function(n)
    return 100 + 5 * math.abs(math.log(n) - 4)
  end, SIZES), line("b", linear(112, 0), SIZES) }, { cross(4, 3, 6),
    cross(700, 500, 900, "b", "a") }) },
  { "points that failed or are missing", sweep_of { { [0] = "a", { 1, 10 },
    { 10, nil }, { 100, 300 } }, { [0] = "b", { 1, 20 }, { 10, 30 } },
    { [0] = "c", { 10, 40 }, { 1000, 500 } } } },
  { "points that are too noisy", sweep_of { { [0] = "a", { 1, 10, 0.9 },
    { 10, 25 }, { 100, 300, 1.2 } }, { [0] = "b", { 1, 20 }, { 10, 30, 0.6 },
    { 100, 280 } } } },
  { "notes on points", sweep_of { { [0] = "a", { 1, 10,
    warnings = { "no_loop" } }, { 10, 25 } }, { [0] = "b", { 1, 20 }, { 10, 30,
    warnings = { "no_loop", "timeout" } } } } },
  { "laws", sweep_of { line("a", linear(0, 2), SIZES,
      { law = law("n", 0, 2, 1.04) }), line("b", linear(60, 0), SIZES,
      { law = law("1", 60, 0) }), line("c", linear(5, 0.1), SIZES,
      { law = law("n^2", -5, 0.1, 2, { "n log n", "n^3" }) }),
    line("d", linear(7, 3), SIZES, { law = law("log n", 7, 3, nil, { "1" }) })
    } },
  { "as quick as each other", sweep_of { line("a", linear(10, 2), SIZES),
    line("b", linear(10, 2.01), SIZES) } },
  { "as quick, one far behind", sweep_of { line("a", linear(10, 2), SIZES),
    line("b", linear(10, 2.01), SIZES), line("c", linear(90, 20), SIZES) } },
  { "many series of long names", sweep_of { line("a rather long name of one",
      linear(10, 2), SIZES), line("a rather long name of two", linear(20, 2),
      SIZES), line("third", linear(30, 2), SIZES), line("fourth",
      linear(40, 2), SIZES), line("fifth", linear(50, 2), SIZES),
    line("sixth", linear(60, 2), SIZES), line("seventh", linear(70, 1), SIZES)
    } },
  { "of times below zero and very far apart", sweep_of({ line("a",
      linear(1, 1e-3), { 1, 2, 3 }), line("b", linear(1e9, 1e8), { 1, 2, 3 })
    }, nil, { share = 1.5 }) },
  { "sizes that are no whole numbers", sweep_of { line("a", linear(10, 200),
      { 0.25, 0.5, 0.75 }), line("b", linear(100, 20), { 0.25, 0.5, 0.75 }) } },
  { "beside a baseline", sweep_of({ line("a", linear(10, 2), SIZES,
      { baseline = true }), line("b", linear(60, 1), SIZES) }, nil, {
    comparisons = { { a = "s/f{impl=b,n=1}", b = "s/f{impl=a,n=1}",
      metric = "time", verdict = "slower", ratio = { value = 5, low = 4.9,
      high = 5.1 } }, { a = "s/f{impl=b,n=1000}", b = "s/f{impl=a,n=1000}",
      metric = "time", verdict = "faster", ratio = { value = 0.53, low = 0.5,
      high = 0.56 } }, { a = "s/f{impl=b,n=10}", b = "s/f{impl=a,n=10}",
      metric = "time", verdict = "unclear", ratio = { value = 1.2, low = 0.5,
      high = 2 } } } }) },
}

-- Beside a baseline at every size: how 'b' compares with it at each.
for _, case in ipairs { { "faster", "faster", "faster", "faster", "faster" },
  { "same", "same", "same", "same", "same" }, { "slower", "same", "unclear",
  "faster", "faster" }, { "unclear", "unclear", "unclear", "unclear",
  "unclear" }, { "slower", "slower", "slower", "slower", "same" }, { "faster",
  "unclear", "unclear", "unclear", "unclear", "unclear", "same" } } do
  local comparisons, sizes = {}, {}
  for i, verdict in ipairs(case) do
    local n, value = 10 ^ (i - 1), verdict == "faster" and 1 / (1 + i)
      or verdict == "slower" and 1 + i or 1
    sizes[i] = n
    comparisons[i] = { a = ("s/f{impl=b,n=%d}"):format(n), metric = "time",
      b = ("s/f{impl=a,n=%d}"):format(n), verdict = verdict, ratio = {
      value = value, low = value * 0.97, high = value * 1.03 } }
  end
  MADE[#MADE + 1] = { "baseline: " .. table.concat(case, " "), sweep_of({
    line("a", linear(10, 2), sizes, { baseline = true }),
    line("b", linear(60, 1), sizes) }, nil, { comparisons = comparisons }) }
end

describe("sweeps, whole", function()
  it("are text and Markdown", function()
    local record = golden.record("sweeps_text.txt", nil, 330)
    for i, case in ipairs(MADE) do
      local options = { width = i % 2 == 0 and 80 or 110, ascii = i % 3 == 0,
        explain = i == 4 }
      record:add(("%02d %s\n%s"):format(i, case[1], assert(report.render(
        case[2], "text", options))))
      record:add(("%02d as Markdown\n%s"):format(i, assert(report.render(
        case[2], "markdown", {}))))
    end
    record:check()
  end)

  it("are drawn", function()
    local record = golden.record("sweeps_html.txt", nil, 390)
    for i, case in ipairs(MADE) do
      local page = assert(report.render(case[2], "html", {}))
      record:add(("%02d %s\n"):format(i, case[1]) .. golden.by_tag(page)
        :match "<body>(.*)")
    end
    record:check()
  end)

  it("leave out columns where they are wide", function()
    local record = golden.record("sweeps_narrow.txt", nil, 390)
    for _, width in ipairs { 30, 40, 50, 60, 70, 90 } do
      record:add(("%02d\n%s"):format(width, assert(report.render(MADE[13][2],
        "text", { width = width }))))
    end
    local data = fixtures.report()
    for _, width in ipairs { 24, 36, 48, 60, 72, 84 } do
      record:add(("%02d of a report\n%s"):format(width, assert(report.render(
        data, "text", { width = width, columns = "all" }))))
    end
    record:check()
  end)
end)
