-- What launches measured of a cell, joined.
local core = require "tare.core"
local measured = require "tare.base.measured"
local lists = require "tare.base.lists"
local options = require "tare.base.options"
local Record = require "tare.conductor.record"
local Bench = require "tare.conductor.bench"

local CELL = { id = "s/a", suite = "s", name = "a", params = {},
  loop = "inline", options = assert(options.resolve({}, "spec")) }

local function samples_of(rows)
  local samples = core.samples(math.max(2, #rows))
  for _, row in ipairs(rows) do samples:push(row) end
  return samples
end

-- A launch's bench after its story.
local function bench(launch, rows, more)
  local one = Bench.new(CELL, { launch = launch, share = 1, seed = 1 })
  one.samples, one.info = rows and samples_of(rows), { loop = "inline" }
  one.warmed_up = { calls = 10, ns = 100 }
  for name, value in pairs(more or {}) do one[name] = value end
  return one
end

local function record_of(list)
  local record = Record.new(CELL)
  for _, one in ipairs(list) do record:add(one[1] or one, one.offset_ns) end
  return record:finish(), record
end

local function is_nan(value) return value ~= value end

describe("launches of a cell", function()
  it("become one record, with the launch of each row", function()
    local merged = record_of { bench(1, {
        { iters = 1, wall_ns = 10, launch = 1, round = 1 },
        { iters = 2, wall_ns = 20, launch = 1, round = 2 } }),
      bench(2, { { iters = 3, wall_ns = 31, launch = 2, round = 3 } }) }
    assert.same({ iters = { 1, 2, 3 }, wall_ns = { 10, 20, 31 },
      launch = { 1, 1, 2 }, round = { 1, 2, 3 } }, merged.samples)
    assert.equal(2, merged.launches)
    assert.same({ calls = 20, ns = 200 }, merged.warmup)
    assert.equal("s/a", merged.id)
    assert.is_nil(merged.error)
  end)

  it("become all that is taken for measured, and nothing else", function()
    local cell = {}
    for _, name in ipairs { "id", "suite", "group", "name", "params",
      "compared", "baseline", "lua", "source", "loop" } do
      cell[name] = name
    end
    cell.options = { gc = "natural", jit = true, split = false,
      gc_pause = 200, gc_minor_multiplier = 20,
      precision = 0.01, discard = { "gc" }, regress = {} }
    local record = Record.new(cell)
    local samples = samples_of { { iters = 1, heap_bytes = 1 } }
    local function one_ns() return 1 end
    record:add({ launch = 1, calls = 1, measured_call_ns = one_ns,
      warmed_up = { calls = 1, ns = 1 }, waited_ns = 1,
      info = { gc_mode = "incremental", throughput = {} }, warnings = {},
      samples = { columns = function() return samples:columns() end,
        thinned = function() return 1 end },
      passes = { profile = {}, traces = {} } }, 0)
    record:add({ launch = 2, calls = 1, error = "gone", warnings = {},
      passes = {}, waited_ns = 0, measured_call_ns = one_ns }, 0)
    record:add_machine_instructions(1)
    local found = record:finish()
    -- what the command line adds, and what only a record has
    for _, name in ipairs { "in_process", "sitting", "env_index",
      "measured_again", "error" } do
      assert.is_nil(found[name])
      found[name] = true
    end
    found.is_measured, found.warnings = nil, nil
    assert.same(measured.names, lists.keys(found))
  end)

  it("have times that go on from the first launch", function()
    local function launch(number, start_ns)
      return bench(number, { { iters = 1, start_ns = start_ns } },
        { passes = { stopped = { samples = samples_of {
          { iters = 1, start_ns = start_ns + 1 } } } } })
    end
    local merged = record_of { launch(1, 7),
      { launch(2, 2), offset_ns = 1000 } }
    assert.same({ 7, 1002 }, merged.samples.start_ns)
    assert.same({ 8, 1003 }, merged.passes.stopped.samples.start_ns)
  end)

  it("leave absent what one of them did not measure", function()
    local samples = record_of({ bench(1, { { iters = 1 } }),
      bench(2, { { iters = 2, cycles = 9 } }) }).samples
    assert.is_true(is_nan(samples.cycles[1]))
    assert.equal(9, samples.cycles[2])
    samples = record_of({ bench(1, { { iters = 1, cycles = 8 } }),
      bench(2, { { iters = 2 } }) }).samples
    assert.equal(8, samples.cycles[1])
    assert.is_true(is_nan(samples.cycles[2]))
  end)

  it("keep what went well and say what did not", function()
    local merged = record_of { bench(1, { { iters = 1 } }),
      bench(2, nil, { error = "gone", warnings = { timeout = true } }) }
    assert.is_nil(merged.error)
    assert.same({ "launch_failed", "timeout" }, merged.warnings)
    assert.same({ { launch = 2, message = "gone" } }, merged.failed_launches)
    assert.equal(1, merged.launches)
    assert.same({ 1 }, merged.samples.iters)
  end)

  it("keep what was measured before the run was interrupted, where only the "
    .. "end of a launch was cut off", function()
      local cut_off = bench(1, { { iters = 1 } })
      cut_off:keep_rows()
      cut_off:fail("it was interrupted", "interrupted")
      local merged = record_of { cut_off }
      assert.is_nil(merged.error)
      assert.same({ 1 }, merged.samples.iters)
      assert.same({ "interrupted" }, merged.warnings)
      local torn = bench(1, { { iters = 1 } })
      torn:warn "interrupted"
      torn:fail("broken")
      torn:keep_rows()
      assert.equal("broken", record_of({ torn }).error)
    end)

  it("are an error where none went well", function()
    local merged = record_of { bench(1, nil, { error = "gone" }),
      bench(2, nil, { error = "gone too" }) }
    assert.equal("gone", merged.error)
    assert.is_nil(merged.failed_launches)
    assert.same({ iters = {}, wall_ns = {} }, merged.samples)
  end)

  it("are no record where there is none", function()
    assert.is_nil((record_of {}))
  end)

  it("are enough after two that failed, or one that did not come back",
    function()
      local function is_lost(...)
        return select(2, record_of { ... }):is_lost()
      end
      local failed = bench(1, nil, { error = "gone" })
      assert.is_false(is_lost())
      assert.is_false(is_lost(failed))
      assert.is_false(is_lost(failed, bench(2, { { iters = 1 } })))
      assert.is_true(is_lost(failed, failed))
      assert.is_true(is_lost(bench(1, nil, { error = "late",
        warnings = { timeout = true } })))
    end)

  it("have exact figures counted by one of them, and known to the next",
    function()
      local census = { iters = 16, allocs = 32 }
      local merged, record = record_of { bench(1, { { iters = 1 } },
        { passes = { census = census } }), bench(2, { { iters = 1 } }) }
      assert.equal(census, merged.passes.census)
      assert.equal(census, record.known.census)
    end)

  it("have the warnings of all, each once and in order", function()
    local merged = record_of {
      bench(1, {}, { warnings = { not_settled = true, memory_cap = true } }),
      bench(2, {}, { warnings = { not_settled = true } }) }
    assert.same({ "memory_cap", "not_settled" }, merged.warnings)
  end)

  it("are still changing after the warm-up if half of them are", function()
    local changing = { warnings = { not_settled = true } }
    assert.same({}, record_of { bench(1, {}, changing), bench(2, {}),
      bench(3, {}) }.warnings)
    assert.same({ "not_settled" }, record_of { bench(1, {}, changing),
      bench(2, {}) }.warnings)
  end)

  -- Lower edges of the bins of pauses: 32 a decade, from 10 ns on.
  local function edge_ns(bin) return 10 * 10 ^ (bin / 32) end

  -- A launch with pauses: so many in each bin from 'first' on. 'factor': what
  -- text in between has left of the edges.
  local function paced(launch, first, counts, max, factor)
    local edges, total = {}, 0
    for i, count in ipairs(counts) do
      edges[i], total = edge_ns(first + i - 1) * (factor or 1), total + count
    end
    edges[#counts + 1] = edge_ns(first + #counts)
    return bench(launch, { { iters = 1 } }, { passes = { paced = {
      samples = samples_of { { iters = 5, launch = launch } },
      pauses = { count = total, max = max, p50 = 0, p95 = 0, p99 = 0,
        histogram = { edges_ns = edges, counts = counts } } } } })
  end

  it("have the rows of passes joined, and their pauses: one has the quantiles "
    .. "that a single launch with all of them would have", function()
    local pass = record_of({ paced(1, 32, { 60, 30 }, 110),
      paced(2, 34, { 8, 2 }, 130, 1 + 1e-9) }).passes.paced
    assert.same({ 5, 5 }, pass.samples.iters)
    assert.same({ 1, 2 }, pass.samples.launch)
    local pauses = pass.pauses
    assert.same({ 60, 30, 8, 2 }, pauses.histogram.counts)
    for i, edge in ipairs(pauses.histogram.edges_ns) do
      assert.near_relative(edge_ns(31 + i), edge, 1e-12)
    end
    assert.equal(100, pauses.count)
    assert.equal(130, pauses.max)
    assert.near_relative(edge_ns(32 + 50 / 60), pauses.p50, 1e-12)
    assert.near_relative(edge_ns(34 + 5 / 8), pauses.p95, 1e-12)
    assert.near_relative(edge_ns(35 + 1 / 2), pauses.p99, 1e-12)
    assert.same(pauses, record_of({ paced(1, 32, { 60, 30, 8, 2 }, 130) })
      .passes.paced.pauses)
    -- None is longer than the longest.
    pauses = record_of({ paced(1, 32, { 60 }, 101), paced(2, 32, { 60 }, 100) })
      .passes.paced.pauses
    assert.equal(101, pauses.p50)
    -- Between two launches that are far apart there is nothing.
    pauses = record_of({ paced(1, 32, { 60 }, 105), paced(2, 36, { 40 }, 140) })
      .passes.paced.pauses
    assert.same({ 60, 0, 0, 0, 40 }, pauses.histogram.counts)
    assert.equal(6, #pauses.histogram.edges_ns)
  end)

  it("say that samples were thinned", function()
    local samples = core.samples(4)
    for i = 1, 9 do samples:push { iters = i } end
    local merged = record_of { bench(1, nil, { samples = samples }) }
    assert.equal(9, merged.thinned + #merged.samples.iters)
    assert.is_nil(record_of({ bench(1, { { iters = 1 } }) }).thinned)
  end)
end)

describe("the calls that a quota has room for", function()
  it("are those of the time that is left, by the slower of what a call was "
    .. "thought to take and what it took, or of the calls", function()
    for _, case in ipairs {
      -- quota, room; what a call takes; what is spent; what calls took
      { "1ms", math.huge },
      { "1ms", math.huge, call_ns = 0 },
      { "1ms", math.huge, took_ns = 0, calls = 10 },
      { "1ms", 1000, call_ns = 1e3 },
      { "1ms", 1e6, call_ns = 1 },
      { "1ms", 2e6, call_ns = 0.5 },
      { "1ms", 600, call_ns = 1e3, spent_ns = 4e5 },
      { "1ms", 0, call_ns = 1e3, spent_ns = 1e6 },
      { "1ms", 500, call_ns = 1e3, took_ns = 2e4, calls = 10 },
      { "1ms", 1000, call_ns = 1e3, took_ns = 5e3, calls = 10 },
      { "1ms", 2e6, took_ns = 5, calls = 10 },
      { "1ms", 500, share = 0.5, call_ns = 1e3 },
      { "100x", 100 },
      { "100x", 100, call_ns = 1e3, spent_ns = 1e9 },
      { "100x", 50, share = 0.5 },
    } do
      local one = Bench.new({ id = "s/a", options = assert(options.resolve(
        { quota = case[1] }, "spec")) }, { launch = 1, seed = 1,
        share = case.share or 1 })
      if case.call_ns then one:expect(case.call_ns) end
      one:charge(case.spent_ns or 0)
      one:count_timed(case.took_ns or 0, case.calls or 0)
      assert.equal(case[2], one:room())
    end
  end)
end)
