local cjson = require "cjson"
local fixtures = require "spec.support.fixtures"
local pyperf = require "tare.report.pyperf"
local shape = require "spec.support.shape"

-- What pyperf's documentation of its JSON and its own checks ask for: values
-- above zero, warm-ups as (loops, value), metadata as single lines.
local function check_metadata(metadata)
  for key, value in pairs(metadata) do
    if type(value) == "string" then
      assert.matches("^%S", value)
      assert.is_nil(value:find("[\r\n]"))
    else
      assert.is_number(value, key)
    end
  end
end

local function check_run(run)
  shape.holds(run, { values = "table", warmups = "table?",
    metadata = "table?" }, "run")
  assert.is_true(#run.values > 0)
  for _, value in ipairs(run.values) do assert.is_true(value > 0) end
  for _, warmup in ipairs(run.warmups or {}) do
    assert.equal(2, #warmup)
    assert.is_true(warmup[1] >= 1 and warmup[1] % 1 == 0 and warmup[2] >= 0)
  end
  local loops = (run.metadata or {}).loops
  assert.is_true(loops == nil or loops >= 1 and loops % 1 == 0)
end

local function rendered(report)
  local data = cjson.decode((assert(pyperf.render(report))))
  shape.holds(data, { version = "string", benchmarks = "table",
    metadata = "table" })
  assert.equal("1.0", data.version)
  check_metadata(data.metadata)
  local names = {}
  for _, benchmark in ipairs(data.benchmarks) do
    shape.holds(benchmark, { runs = "table", metadata = "table" })
    check_metadata(benchmark.metadata)
    assert.equal("second", benchmark.metadata.unit)
    assert.is_nil(names[benchmark.metadata.name])
    names[benchmark.metadata.name] = true
    for _, run in ipairs(benchmark.runs) do check_run(run) end
  end
  return data
end

describe("the pyperf report", function()
  it("has a benchmark for each bench that has a time", function()
    local report = fixtures.report()
    local data = rendered(report)
    assert.equal(#report.results - 1, #data.benchmarks)
    assert.equal("strings/concat", data.benchmarks[1].metadata.name)
    assert.equal("Example 9 @ 3 GHz", data.metadata.cpu_model_name)
  end)

  it("gives the large batches, in seconds a call, with their loops", function()
    local samples = { iters = { 10, 1000, 1000, 500 },
      wall_ns = { 1e5, 2e6, 3e6, 1e6 } }
    local data = rendered { results = { { id = "a", time = { value = 2000 },
      samples = samples, warmup = { calls = 100, ns = 3e5 } } } }
    local runs = data.benchmarks[1].runs
    assert.equal(2, #runs)
    assert.equal(1000, runs[1].metadata.loops)
    assert.near(2e-6, runs[1].values[1], 1e-15)
    assert.near(3e-6, runs[1].values[2], 1e-15)
    assert.equal(500, runs[2].metadata.loops)
    assert.same({ 100, 3e-6 }, runs[1].warmups[1])
  end)

  it("keeps batches of different launches apart", function()
    local data = rendered { results = { { id = "a", time = { value = 1 },
      samples = { iters = { 5, 5, 5 }, wall_ns = { 5, 6, 7 },
        launch = { 1, 2, 1 } } } } }
    assert.equal(2, #data.benchmarks[1].runs)
    assert.equal(2, #data.benchmarks[1].runs[1].values)
  end)

  it("leaves out what the time is not of, but not all", function()
    local function values(left_out)
      return rendered { results = { { id = "a", time = { value = 1 },
        left_out = left_out, samples = { iters = { 5, 5 },
          wall_ns = { 5, 500 } } } } }.benchmarks[1].runs[1].values
    end
    assert.equal(2, #values(nil))
    assert.equal(1, #values { 2 })
    assert.near(1e-9, values({ 2 })[1], 1e-18)
    assert.equal(2, #values { 1, 2 })
  end)

  it("falls back to the estimate where there are no samples", function()
    local data = rendered { results = { { id = "a", time = { value = 5e9 } } } }
    assert.same({ { values = { 5 } } }, data.benchmarks[1].runs)
  end)

  it("makes names single, unique and not empty", function()
    local function bench(id) return { id = id, time = { value = 1 } } end
    local data = rendered { results = { bench("a"), bench("a"), bench(" "),
      bench("x\ny") } }
    local names = {}
    for i, b in ipairs(data.benchmarks) do names[i] = b.metadata.name end
    assert.same({ "a", "a (2)", "bench", "x\\ny" }, names)
  end)

  it("is refused where no bench has a time", function()
    local text, message = pyperf.render { results = { { id = "a",
      error = "x" } } }
    assert.is_nil(text)
    assert.matches("no bench has a time", message)
  end)
end)
