local Suite = require "tare.bench.suite"

local function noop() end

local RUN = { quota = { ns = 1e9 }, gc = "natural" }

local function ids(suite, choose)
  local list = {}
  for i, cell in ipairs(assert(suite:cells(RUN, choose))) do
    list[i] = cell.id
  end
  return list
end

describe("a suite", function()
  it("names benches by suite, group and parameters", function()
    local suite = Suite.new "vec"
    suite:bench("fill", { run = noop, params = { n = { 10, 100 } } })
    suite:group("deep", function(group)
      group:bench("a", noop)
      group:group("er", function(inner) inner:bench("b", noop) end)
    end)
    assert.same({ "vec/fill{n=10}", "vec/fill{n=100}", "vec/deep/a",
      "vec/deep/er/b" }, ids(suite))
  end)

  it("compares benches of a group at the same parameters", function()
    local suite = Suite.new "s"
    local spec = { run = noop, params = { n = { 1, 2 } } }
    suite:bench("a", spec):bench("b", spec)
    local cells = suite:cells(RUN)
    assert.equal(cells[1].compared, cells[3].compared)
    assert.equal(cells[2].compared, cells[4].compared)
    assert.are_not.equal(cells[1].compared, cells[2].compared)
  end)

  it("compares the implementations of one bench with each other", function()
    local suite = Suite.new "s"
    local spec = { run = noop, params = { impl = { "x", "y" } } }
    suite:bench("a", spec):bench("b", spec)
    local cells = suite:cells(RUN)
    assert.equal(cells[1].compared, cells[2].compared)
    assert.are_not.equal(cells[1].compared, cells[3].compared)
  end)

  it("compares over the axis asked for, with the baseline named", function()
    local suite = Suite.new "s"
    suite:bench("a", { run = noop, baseline = "y", compare = "data",
      params = { data = { "x", "y" }, impl = { "p", "q" } } })
    local cells = suite:cells(RUN)
    assert.equal(cells[1].compared, cells[3].compared)
    assert.are_not.equal(cells[1].compared, cells[2].compared)
    assert.is_nil(cells[1].baseline)
    assert.is_true(cells[3].baseline)
  end)

  it("leaves out combinations, and reads a generator once", function()
    local suite = Suite.new "s"
    suite:bench("a", { run = noop, params = { n = ("1 2 3"):gmatch("%d") },
      exclude = function(p) return p.n == "1" end,
      where = function(p) return p.n ~= "3" end })
    assert.same({ "s/a{n=2}" }, ids(suite))
    assert.same({ "s/a{n=2}" }, ids(suite))
  end)

  it("takes only what is chosen", function()
    local suite = Suite.new("s"):bench("a", noop):bench("b", noop)
    assert.same({ "s/b" }, ids(suite, {
      takes = function(id) return id == "s/b" end }))
  end)

  it("hands over cells that the run's overrides have changed", function()
    local sweep = require "tare.sweep"
    local suite = Suite.new "s"
    suite:bench("a", { run = noop, params = { n = { 1, 2 } } })
    assert.same({ "s/a{n=7}" }, ids(suite,
      { overrides = { assert(sweep.parse_override "n=7") } }))
  end)

  local function raises(message, f)
    local ok, got = pcall(f)
    assert.is_false(ok)
    assert.truthy(got:find(message, 1, true), got)
    assert.truthy(got:find("suite_spec.lua", 1, true), got)
  end

  it("raises at the caller's line when it is misused", function()
    local suite = Suite.new "s"
    suite:bench("a", noop)
    raises("stands twice", function() suite:bench("a", noop) end)
    raises("expected a function or a table, got nil",
      function() suite:bench("b") end)
    raises("'name' must be a string, got nil", function() suite:bench() end)
    raises("suite:bench(name, ...)", function() suite.bench("a", print) end)
    raises("suite:bench(name, ...)", function() suite.group("a", print) end)
    raises("'launches' is an option of a run, not of a bench",
      function() suite:bench("b", { run = noop, launches = 3 }) end)
    raises("no such field: 'stup'; did you mean 'setup'?",
      function() suite:bench("b", { run = noop, stup = noop }) end)
    raises("'setup' must be a function, got number",
      function() suite:bench("b", { run = noop, setup = 1 }) end)
    raises("'where' must be a function, got table",
      function() suite:bench("b", { run = noop, where = {} }) end)
    raises("axis 'n' has no values",
      function() suite:bench("b", { run = noop, params = { n = {} } }) end)
    raises("there is no axis 'm' to compare", function()
      suite:bench("b", { run = noop, params = { n = 1 }, compare = "m" })
    end)
    raises("'baseline' names an implementation, but there are no 'params'",
      function() suite:bench("b", { run = noop, baseline = "x" }) end)
    raises("'baseline' must be true, or the name of an implementation, got "
      .. "number",
      function() suite:bench("b", { run = noop, baseline = 1 }) end)
    raises("'throughput' must be { bytes = } or { items = }, got number",
      function() suite:bench("b", { run = noop, throughput = 3 }) end)
    raises("'throughput' has 'bytes' and 'items', no 'item'",
      function()
        suite:bench("b", { run = noop, throughput = { item = 3 } })
      end)
    raises("'throughput': 'items' must be a number or a function, got string",
      function()
        suite:bench("b", { run = noop, throughput = { items = "3" } })
      end)
    raises("both 'run' and 'batch'",
      function() suite:bench("b", { run = noop, batch = noop }) end)
    raises("'quota': 'x' is not a duration",
      function() suite:bench("b", { run = noop, quota = "x" }) end)
  end)
end)

describe("the options of a cell", function()
  -- The only cell of a bench.
  local function cell_of(spec, run)
    return assert(Suite.new("s"):bench("a", spec):cells(run or RUN))[1]
  end

  it("are the run's, under the bench's, under those of its parameters",
    function()
      local options = cell_of({ run = noop, gc_pause = 120, gc = "paced",
        params = { gc = { "collect" } } }, { gc = "natural", gc_pause = 100,
        seed = 3 }).options
      assert.equal(3, options.seed)
      assert.equal(120, options.gc_pause)
      assert.equal("collect", options.gc)
      assert.is_false(cell_of({ run = noop, jit = false },
        { jit = true }).options.jit)
    end)

  it("leave those of the run as they are", function()
    local run = { gc = "natural" }
    cell_of({ run = noop, gc = "paced" }, run)
    assert.same({ gc = "natural" }, run)
  end)

  local function loop_of(spec, run) return cell_of(spec, run).loop end

  it("have the loop that the bench asks for, or else the run", function()
    assert.equal("inline", loop_of({ run = noop }, {}))
    assert.equal("call", loop_of({ run = noop }, { loop = "call" }))
    assert.equal("call", loop_of({ run = noop, loop = "call" },
      { loop = "inline" }))
    assert.equal("batch", loop_of({ batch = noop }, {}))
  end)

  it("have no loop of the run's that the bench can't have", function()
    assert.equal("inline", loop_of({ run = noop }, { loop = "batch" }))
    assert.equal("batch", loop_of({ batch = noop }, { loop = "inline" }))
  end)

  it("refuse a loop of the cell's own that can't be", function()
    local cells = assert(Suite.new("s"):bench("a", { run = noop,
      params = { loop = { "batch", "call" } } }):cells(RUN))
    local by_loop = {}
    for _, cell in ipairs(cells) do by_loop[cell.values.loop] = cell end
    assert.equal("the loop kind 'batch' needs a function 'batch'",
      by_loop.batch.refusal)
    assert.is_nil(by_loop.call.refusal)
    assert.equal("'batch' loops itself: its loop kind can't be 'call'",
      cell_of({ batch = noop, params = { loop = { "call" } } }).refusal)
  end)
end)
