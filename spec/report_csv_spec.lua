local csv = require "tare.report.csv"
local fixtures = require "spec.support.fixtures"
local metrics = require "tare.base.metrics"
local reader = require "spec.support.csv"

describe("the CSV report", function()
  it("has one row a bench, in base units and in full", function()
    local report = fixtures.report()
    local rows = reader.rows(csv.render(report))
    assert.equal(#report.results, #rows)
    for i, row in ipairs(rows) do
      local time = report.results[i].time or {}
      assert.equal(time.value, tonumber(row.time_ns))
      assert.equal(time.low, tonumber(row.time_ns_low))
      assert.equal(time.high, tonumber(row.time_ns_high))
    end
    assert.equal("tables/fill{n=10}", rows[5].id)
    assert.equal("array", rows[5].group)
    assert.equal("n=10", rows[5].params)
    assert.equal("4", rows[5].allocs)
    assert.equal("drift;two_speeds", rows[4].warnings)
  end)

  it("has columns for ends where there can be an interval", function()
    local row = reader.rows(csv.render(fixtures.report()))[1]
    for _, metric in ipairs(metrics.all()) do
      local name = metric.name .. "_" .. metric.unit
      if not row[name] then name = metric.name end -- cycles
      assert.is_string(row[name])
      assert.equal(not (metric.exact or metric.no_interval),
        row[name .. "_low"] ~= nil, name)
    end
  end)

  it("has none of figures of which nothing says how far they are off",
    function()
      local row = reader.rows(csv.render(fixtures.report()))[1]
      for _, name in ipairs { "mean_ns", "min_ns", "stddev_ns", "mad_ns",
        "overhead_ns", "long_bytes_bytes", "long_allocs_allocs",
        "ipc_instructions", "branch_misses_misses", "cache_misses_misses",
        "gc_minor_collections", "gc_major_collections", "promoted_bytes",
        "retained_bytes", "full_time_ns", "bytes", "allocs", "instructions" } do
        assert.is_string(row[name], name)
        assert.is_nil(row[name .. "_low"], name)
        assert.is_nil(row[name .. "_high"], name)
      end
      for _, name in ipairs { "time_ns", "net_ns", "collector_ns",
        "cpu_time_ns", "minor_time_ns", "major_time_ns" } do
        assert.is_string(row[name .. "_low"], name)
        assert.is_string(row[name .. "_high"], name)
      end
    end)

  it("keeps what failed, with its message", function()
    local rows = reader.rows(csv.render(fixtures.report()))
    assert.equal("broken_bench.lua:7: attempt to index a nil value",
      rows[6].error)
    assert.equal("", rows[6].time_ns)
  end)

  it("brings quotes, commas and line breaks in names across", function()
    local rows = reader.rows(csv.render(fixtures.report()))
    assert.equal(fixtures.HOSTILE:gsub("\1", "\\x01"), rows[#rows].suite)
  end)

  it("disarms names that a spreadsheet would compute", function()
    local rows = reader.rows(csv.render { results = {
      { id = "=cmd|' /C calc'!A0", name = "@x", suite = "-1", params = {} } } })
    assert.equal("'=cmd|' /C calc'!A0", rows[1].id)
    assert.equal("'@x", rows[1].name)
    assert.equal("'-1", rows[1].suite)
  end)

  it("has a row a batch when the samples are asked for", function()
    local report = fixtures.report()
    local rows = reader.rows(csv.render(report, { samples = true }))
    local expected, paced = 0, 0
    for _, result in ipairs(report.results) do
      expected = expected + #(result.samples or { iters = {} }).iters
    end
    for _, row in ipairs(rows) do
      if row.pass == "paced" then paced = paced + 1 end
    end
    local names = {}
    for name in csv.render(report, { samples = true }):match "^[^\n]*"
      :gmatch "[^,]+" do
      assert.is_nil(names[name], name)
      names[name] = true
    end
    assert.is_true(names.wall_ns)
    assert.equal(40, paced)
    assert.equal(expected + 40, #rows)
    assert.equal("1", rows[1].row)
    assert.equal(report.results[1].samples.wall_ns[1],
      tonumber(rows[1].wall_ns))
    assert.equal("", rows[1].mutator_ns)
  end)

  it("has the regressions that were asked for as its last columns", function()
    local report = fixtures.report()
    report.options.regress = { { responder = "time", intercept = true,
      predictors = { "iters", "gc_minor", "gc_major" } } }
    report.results[1].fit_errors = { { responder = "time", message = "no rows",
      predictors = { "iters", "gc_minor", "gc_major" } } }
    local rows = reader.rows(csv.render(report))
    local name = "time ~ iters + gc_minor + gc_major: "
    local fit = report.results[5].fits[2]
    assert.equal(fit.coefficients.gc_minor.low,
      tonumber(rows[5][name .. "gc_minor_low"]))
    assert.equal(fit.r2, tonumber(rows[5][name .. "r2"]))
    assert.equal("no rows", rows[1][name .. "error"])
    assert.equal("", rows[1][name .. "iters"])
  end)

  it("of no benches is its titles", function()
    assert.equal(1, #reader.parse(csv.render { results = {} }))
    assert.same({ { "id", "pass", "row" } },
      reader.parse(csv.render({ results = {} }, { samples = true })))
  end)
end)
