local fixtures = require "spec.support.fixtures"
local text = require "tare.report.text"
local width = require "tare.report.width"

local function rendered(options, report)
  return assert(text.render(report or fixtures.report(), options))
end

local function lines_of(s)
  local list = {}
  for line in s:gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

local function has(s, part)
  assert.is_truthy(s:find(part, 1, true), "lacks: " .. part)
end

local function lacks(s, part)
  assert.is_nil(s:find(part, 1, true), "has: " .. part)
end

local SMALL = { schema = "tare/1", env = { lua = "Lua 5.4.4" }, results = {
  { id = "s/slow", suite = "s", r2 = 0.99991, allocs = { value = 2 },
    time = { value = 2304, low = 2281, high = 2327 } },
  { id = "s/quick", suite = "s", r2 = 0.9987, allocs = { value = 1 },
    time = { value = 525, low = 500, high = 600 } },
} }

describe("the text report", function()
  it("is a table a suite, with units shared by column", function()
    assert.equal([[
Lua 5.4.4

  s           time  95% CI        R2  allocs  vs fastest
  slow   2304 ns    +-1.0%    0.9999       2       4.39x
  quick   525.0 ns  500..600  0.9987       1       1.00x

2 benches.
]], rendered({ ascii = true }, SMALL))
  end)

  it("groups by suite and group, and says what failed", function()
    local out = rendered()
    local places = {}
    for _, part in ipairs { "\n  strings ", "\n  tables/array ",
      "\n  broken ", "\n  vec " } do
      places[#places + 1] = out:find(part, 1, true)
    end
    assert.equal(4, #places)
    assert.is_true(places[1] < places[2] and places[2] < places[3])
    has(out, "  raises  failed")
    has(out, "failed: broken/raises: broken_bench.lua:7: attempt to index")
    has(out, "21 benches, 1 failed.")
  end)

  it("leaves out columns that say nothing, suite by suite", function()
    local titles = {}
    for _, line in ipairs(lines_of(rendered())) do
      local suite = line:match("^  (%S+) .*time")
      if suite then titles[suite] = line end
    end
    has(titles["tables/array"], "minor/1k")
    has(titles["tables/array"], "allocs")
    lacks(titles.strings, "allocs")
    lacks(titles.strings, "gc mode")
    has(titles.strings, "vs baseline")
    has(titles.vec, "vs fastest")
    lacks(titles["tables/array"], "vs ")
  end)

  it("shows the columns that are asked for", function()
    local out = rendered({ columns = "median,+net", plots = false }, SMALL)
    has(out, "  s      median  net  95% CI      R2")
    lacks(out, "allocs")
    local none, message = text.render(SMALL, { columns = "nonsense" })
    assert.is_nil(none)
    assert.matches("no column 'nonsense'", message)
  end)

  it("sorts on request, either way, what has no figure last", function()
    local function order(sort)
      local report = fixtures.report()
      local out, names = rendered({ sort = sort, plots = false,
        columns = "time" }, report), {}
      for name in out:gmatch("\n  (%l+) +[%d.]+ ns") do
        names[#names + 1] = name
      end
      return table.concat(names, " ")
    end
    assert.equal("concat buffer format gsub", order(nil))
    assert.equal("buffer format concat gsub", order("time"))
    assert.equal("gsub concat format buffer", order("-time"))
    assert.equal("buffer concat format gsub", order("name"))
    local none, message = text.render(SMALL, { sort = "beauty" })
    assert.is_nil(none)
    assert.matches("^can't sort by 'beauty', but by: name, allocs, ", message)
  end)

  it("keeps to the width, saying which columns that cost", function()
    for _, size in ipairs { 40, 60, 80, 120 } do
      local out = rendered { width = size }
      for _, line in ipairs(lines_of(out)) do
        local words_of_one = line:find("^%s*%S+$") -- can't be broken
        assert.is_true(width.of(line) <= size or words_of_one ~= nil, line)
      end
    end
    has(rendered { width = 60 }, "Left out for the width: ")
    lacks(rendered { width = 200 }, "Left out")
  end)

  it("breaks the table when columns were asked for", function()
    local out = rendered({ width = 30, columns = "time,r2,allocs,relative" },
      SMALL)
    local count = select(2, out:gsub("\n  s ", ""))
    assert.equal(2, count)
    has(out, "vs fastest")
    lacks(out, "Left out")
  end)

  it("colours only when it is told to", function()
    lacks(rendered(), "\27")
    local out = rendered { color = true }
    has(out, "\27[1m")
    has(out, "\27[31mfailed\27[0m")
    has(out, "\27[32mbuffer is 2.04x")
    assert.equal(rendered(), (out:gsub("\27%[%d*m", "")))
  end)

  it("has an ASCII form", function()
    local report = fixtures.report()
    for _, options in ipairs { {}, { width = 50 } } do
      options.ascii = true
      assert.is_nil(rendered(options, report):find("[\128-\255]"))
    end
  end)

  it("lets no control character of a name through", function()
    local report = fixtures.report()
    for _, result in ipairs(report.results) do
      result.error = result.error and "\27]0;title\7"
      result.gc_mode = "\27[2J" .. result.id
      result.warnings = { "\27[31m" }
    end
    report.env.cpu = "\27[31m"
    report.sweeps[1].series[1].label = "\27[31m"
    report.comparisons[1].a = "\27[31m"
    local out = rendered({ failures = { { message = "\27[31m" } },
      notes = { "\27[31m" }, explain = true }, report)
    assert.is_nil(out:gsub("\n", ""):find("%c"))
  end)

  it("draws sweeps and says how they grow", function()
    local out = rendered { ascii = true }
    has(out, "vec/fill over n\n")
    has(out, "10                  100                 1000")
    has(out, "o impl=append grows like n, exponent 0.97 (0.93 to 1.01)")
    has(out, "impl=append overtakes impl=insert at n = 1,300")
    lacks(rendered { plots = false }, "overtakes")
  end)

  it("draws alternatives as boxes", function()
    local made = require "spec.support.made"
    local results = {}
    for i, name in ipairs { "p", "q" } do
      results[i] = made.result("s", "x", { ns = 100 * i, noise = 0.05 },
        { id = ("s/x{impl=%s}"):format(name), params = { impl = name } })
    end
    local out = rendered({ ascii = true }, { results = results })
    has(out, "\ns/x\n  x{impl=p}  ")
    assert.matches("x{impl=q} +|%-*=*#=*%-*|", out)
  end)

  it("draws comparisons and says what they found", function()
    local out = rendered { ascii = true }
    has(out, "strings, against concat\n")
    assert.matches("  buffer +[-|]*#[-|]* +: +0.490x", out)
    has(out, "gsub is 2.51x (2.42 to 2.66) slower than concat.")
  end)

  it("labels an axis of ratios with digits that tell them apart", function()
    local results = fixtures.report().results
    local a, b = results[1].id, results[2].id
    local out = rendered({ ascii = true }, { results = results, comparisons = {
      { a = a, b = b, metric = "time", verdict = "same",
        ratio = { value = 1.0005, low = 0.9990, high = 1.0022 } } } })
    assert.matches("0%.999x +0%.9995x +1x +1%.0005x +1%.001x", out)
  end)

  it("says warnings with advice, gates and notes", function()
    local out = rendered { failures = { { message = "a/b: allocs rose" } },
      notes = { "not gated: c" } }
    has(out, "warning: speed drifted (strings/gsub). Later batches were")
    has(out, "\ngate: a/b: allocs rose\n")
    has(out, "\nnote: not gated: c\n")
    has(out, "1 gate not passed.")
  end)

  it("explains its columns", function()
    local out = rendered({ explain = true, columns = "time,allocs" }, SMALL)
    has(out, "What the columns say")
    has(out, "\n  time: wall time a call")
    has(out, "\n  allocs: blocks allocated a call")
    lacks(rendered(nil, SMALL), "What the columns say")
  end)

  it("renders a Report in which almost everything is absent", function()
    assert.equal("0 benches.\n", rendered(nil, { results = {} }))
    assert.matches("\n  a +%-\n", rendered(nil, { results = { { id = "a" } } }))
    has(rendered({ width = 20, explain = true }, { results = {
      { id = "a", samples = { iters = {}, wall_ns = {} }, time = {} } } }),
      "1 bench.")
  end)

  it("takes time in proportion to the number of benches", function()
    local sizes = {}
    for i, n in ipairs { 200, 800 } do
      local report = fixtures.many(n)
      local start = os.clock()
      rendered(nil, report)
      sizes[i] = os.clock() - start
    end
    assert.is_true(sizes[2] < 16 * math.max(sizes[1], 0.005))
  end)

  it("is of ASCII where that is wanted, names as well", function()
    local report = fixtures.report()
    for _, result in ipairs(report.results) do
      result.id = result.id:gsub("/", "/\230\151\165")
      result.name = "\230\151\165" .. result.name
    end
    local shown = text.render(report, { ascii = true, failures = {
      { message = "\230\151\165" } }, notes = { "\230\151\165" } })
    assert.is_nil(shown:find "[\128-\255]")
    assert.truthy(shown:find("\n  \\u65e5", 1, true))
    assert.truthy(shown:find("gate: \\u65e5\n", 1, true))
    assert.truthy(shown:find("note: \\u65e5\n", 1, true))
  end)

  it("splits joined emoji, which terminals count differently", function()
    local report = fixtures.report()
    report.results[1].name = "a\226\128\141b"
    report.results[1].id = "s/a\226\128\141b"
    assert.truthy(text.render(report, {}):find("a\\u200db", 1, true))
  end)

  it("lets a very long name move no row but its own, in a pipe", function()
    local long = ("x"):rep(300)
    local shown = lines_of(rendered({}, { results = {
      { id = "s/" .. long, suite = "s", time = { value = 2304 } },
      SMALL.results[2] } }))
    assert.equal(long .. "  2304", shown[2]:match "^  (x+ +%d+)")
    assert.equal("quick   525.0", shown[3]:match "^  (quick +[%d.]+)")
  end)
end)
