local cjson = require "cjson"
local fixtures = require "spec.support.fixtures"
local gbench = require "tare.report.gbench"
local shape = require "spec.support.shape"

-- The fields of json_schema_version 1.
local CONTEXT = { date = "string", host_name = "string",
  executable = "string", num_cpus = "number", mhz_per_cpu = "number",
  cpu_scaling_enabled = "boolean", caches = "table", load_avg = "table",
  library_version = "string", library_build_type = "string",
  json_schema_version = "number" }
local ROW = { name = "string", run_name = "string", run_type = "string",
  family_index = "number", per_family_instance_index = "number",
  repetitions = "number", repetition_index = "number", threads = "number",
  iterations = "number", real_time = "number", cpu_time = "number",
  time_unit = "string", error_occurred = "boolean?",
  error_message = "string?" }
for _, counter in ipairs { "net", "collector", "cycles", "bytes", "allocs",
  "instructions", "gc_minor", "gc_major", "bytes_per_second",
  "items_per_second" } do ROW[counter] = "number?" end

local function rendered(report, options)
  local data = cjson.decode(gbench.render(report, options))
  shape.holds(data, { context = "table", benchmarks = "table" })
  shape.holds(data.context, CONTEXT, "context")
  for _, row in ipairs(data.benchmarks) do
    shape.holds(row, ROW, "benchmark")
    assert.equal("iteration", row.run_type)
    assert.equal("ns", row.time_unit)
    assert.is_true(row.repetition_index < row.repetitions)
  end
  return data
end

describe("the Google Benchmark report", function()
  it("has the context that readers ask for", function()
    local context = rendered(fixtures.report()).context
    assert.equal(1, context.json_schema_version)
    assert.same({}, context.caches)
    assert.equal(4, context.num_cpus)
    local data = fixtures.report()
    data.started, data.env.host, data.env.tare = "2026-01-02 03:04 UTC",
      "a\27b", 5
    data.env.turbo = true
    context = rendered(data).context
    assert.equal("2026-01-02T03:04:00+00:00", context.date)
    assert.equal("a\\x1bb", context.host_name)
    assert.equal(data.env.lua, context.executable)
    assert.equal("", context.library_version) -- it is no text
    assert.matches('"caches":%[%]', gbench.render(fixtures.report()))
  end)

  it("says that the core's clock follows the load where its governor does so",
    function()
      for _, case in ipairs { { "performance", false }, { "powersave", true },
        { nil, false } } do
        local data = fixtures.report()
        data.env.governor = case[1]
        assert.equal(case[2], rendered(data).context.cpu_scaling_enabled)
      end
    end)

  it("has one iteration row a bench, in nanoseconds", function()
    local report = fixtures.report()
    local rows = rendered(report).benchmarks
    assert.equal(#report.results, #rows)
    assert.equal(report.results[1].time.value, rows[1].real_time)
    assert.equal("strings/concat", rows[1].run_name)
    assert.equal(4, rows[5].allocs)
  end)

  it("counts benches of one name as a family", function()
    local rows = rendered(fixtures.report()).benchmarks
    local families = {}
    for _, row in ipairs(rows) do
      if row.name:find("^vec/fill") then
        assert.equal(#families, row.per_family_instance_index)
        families[#families + 1] = row.family_index
      end
    end
    assert.equal(14, #families)
    assert.equal(families[1], families[14])
  end)

  it("marks a bench that raised", function()
    local row = rendered(fixtures.report()).benchmarks[6]
    assert.is_true(row.error_occurred)
    assert.matches("attempt to index", row.error_message)
  end)

  it("has a repetition a batch when the samples are asked for", function()
    local report = fixtures.report()
    local rows = rendered(report, { samples = true }).benchmarks
    local samples = report.results[1].samples
    assert.equal(#samples.iters, rows[1].repetitions)
    assert.equal(samples.iters[1], rows[1].iterations)
    assert.equal(samples.wall_ns[1] / samples.iters[1], rows[1].real_time)
    assert.equal(1, rows[2].repetition_index)
  end)

  it("has per batch the times per call, and the processor's where it is known",
    function()
      local function rows_of(samples)
        local rows = {}
        for i, row in ipairs(rendered({ results = { { id = "a",
          time = { value = 10 }, samples = samples } } },
          { samples = true }).benchmarks) do
          rows[i] = { row.iterations, row.real_time, row.cpu_time,
            row.repetition_index, row.repetitions }
        end
        return rows
      end
      local none = 0 / 0
      assert.same({ { 4, 10, 5, 0, 2 }, { 8, 20, 15, 1, 2 } }, rows_of {
        iters = { 4, 8 }, wall_ns = { 40, 160 }, cpu_ns = { 20, 120 } })
      assert.same({ { 4, 10, 10, 0, 2 }, { 8, 20, 15, 1, 2 } }, rows_of {
        iters = { 4, 8 }, wall_ns = { 40, 160 }, cpu_ns = { none, 120 } })
      assert.same({ { 4, 10, 10, 0, 1 } }, rows_of { iters = { 4 },
        wall_ns = { 40 } })
      assert.same({ { 2, 20, 20, 0, 1 } }, rows_of { iters = { 4, 0, 2, 8 },
        wall_ns = { none, 10, 40 } }) -- a time that is none, no calls, neither
      assert.same({ { 4, 10, 10, 0, 1 } }, rows_of { iters = { 4 },
        wall_ns = { none } }) -- the bench's own time
    end)

  it("has Google's own counters for throughput", function()
    local row = rendered { results = { { id = "a", time = { value = 10 },
      throughput = { bytes = 100, items = 1 } } } }.benchmarks[1]
    assert.near(1e10, row.bytes_per_second, 1)
    assert.near(1e8, row.items_per_second, 1)
  end)

  it("tells the clock from cycles, of the first bench that has both figures",
    function()
      -- Of each bench: nanoseconds and cycles per call.
      for _, case in ipairs {
        { mhz = 3200, { 10, 32 } },
        { mhz = 3333, { 0.3, 1 } },
        { mhz = 500, { 1, 0.5 } },
        { mhz = 0, { 10 } },
        { mhz = 0, { nil, 32 } },
        { mhz = 0, { 0, 32 } },
        { mhz = 3200, { 10 }, { 0, 32 }, { 10, 32 }, { 10, 40 } },
        { mhz = 0 },
      } do
        local results = {}
        for i, one in ipairs(case) do
          results[i] = { id = "s/" .. i, time = one[1] and { value = one[1] },
            cycles = one[2] and { value = one[2] } }
        end
        assert.equal(case.mhz, rendered { results = results }
          .context.mhz_per_cpu)
      end
    end)

  it("has the clock that all times are at, where that is known", function()
    local data = rendered { env = { clock = { reference_ghz = 2.9506 } },
      results = { { id = "a", time = { value = 10 },
        cycles = { value = 32 } } } }
    assert.equal(2951, data.context.mhz_per_cpu)
  end)
end)
