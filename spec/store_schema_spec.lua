local fixtures = require "spec.support.fixtures"
local schema = require "tare.store.schema"

local function complaint(change)
  local report = fixtures.report()
  change(report)
  local ok, message = schema.check(report)
  assert.is_nil(ok)
  return message
end

describe("the schema", function()
  it("takes what tare makes", function()
    assert.is_true(schema.check(fixtures.report()))
    assert.is_true(schema.check(fixtures.many(3)))
    assert.is_true(schema.check { schema = "tare/1", results = {} })
  end)

  it("lets fields pass that it does not know", function()
    local report = fixtures.report()
    report.future, report.results[1].future = { 1 }, { x = {} }
    assert.is_true(schema.check(report))
  end)

  it("takes the variance by outliers with or without its grade", function()
    local report = fixtures.report()
    report.results[1].outliers.variance = { fraction = 0.2,
      effect = "moderate" }
    assert.is_true(schema.check(report))
    report.results[1].outliers.variance = { fraction = "0.2" }
    assert.is_nil((schema.check(report)))
  end)

  it("takes what can be shown of profiles and traces, and no less", function()
    assert.matches("profile.calls must be a number", complaint(function(r)
      r.results[1].profile = { lines = {}, instructions = 1, allocs = 0,
        bytes = 0 }
    end), 1, true)
    assert.matches("profile.bytes must be a number, got a string",
      complaint(function(r)
        r.results[1].profile = { lines = {}, calls = 1, instructions = 1,
          allocs = 0, bytes = "0" }
      end), 1, true)
    assert.matches("profile.frames[1].source must be a string, but is missing",
      complaint(function(r)
        r.results[1].profile = { lines = {}, calls = 1, instructions = 1,
          allocs = 0, bytes = 0, frames = { { name = "f", line = 1 } } }
      end), 1, true)
    assert.matches("traces.aborts[1].", complaint(function(r)
      r.results[1].traces = { aborts = { {} } }
    end), 1, true)
    assert.matches("envs must be a list", complaint(function(r)
      r.envs = 5
    end), 1, true)
  end)

  it("takes only lines that there can be, and stacks of frames that there are",
    function()
      local function profiled(more)
        return complaint(function(r)
          local profile = { lines = {}, calls = 1, instructions = 1,
            allocs = 0, bytes = 0 }
          for name, value in pairs(more) do profile[name] = value end
          r.results[1].profile = profile
        end)
      end
      local function traced(traces)
        return complaint(function(r) r.results[1].traces = traces end)
      end
      local function counted(more)
        more.instructions, more.allocs, more.bytes, more.freed_bytes = 1, 0, 0,
          0
        return { more }
      end
      for value, text in pairs { [1.5] = "1.5", [1e308] = "1e+308" } do
        local wrong = " must be a whole number, got " .. text:gsub("%p", "%%%0")
        local at = { source = "x", line = value }
        for _, name in ipairs { "lines", "frames" } do
          assert.matches(name .. "%[1%]%.line" .. wrong, profiled { [name] =
            counted { source = "x", line = value, name = "f" } })
        end
        assert.matches("sources%[1%]%.from" .. wrong, profiled { sources = {
          { source = "x", from = value, text = { "a" } } } })
        at.reason, at.count = "r", 1
        assert.matches("aborts%[1%]%.line" .. wrong, traced { aborts = { at } })
        at.traces, at.side, at.exits, at.taken = 1, 0, 0, 0
        assert.matches("roots%[1%]%.line" .. wrong, traced { roots = { at } })
        assert.matches("compiled" .. wrong, traced { compiled = value })
        at.share = 1
        assert.matches("lines%[1%]%.line" .. wrong, traced { sampled = {
          lines = { at } } })
      end
      for _, frames in ipairs { false, { { name = "f" } } } do
        assert.matches("stacks%[1%]%.frames%[1%] is the number of no frame",
          profiled { frames = frames or nil,
            stacks = counted { frames = { 2 } } })
      end
    end)

  it("takes a figure as a number or as an estimate", function()
    local report = fixtures.report()
    report.results[1].stddev = { value = 1, unit = "ns" }
    report.results[2].stddev = 1
    assert.is_true(schema.check(report))
  end)

  it("tells a newer report from something else", function()
    assert.matches("newer format 'tare/2'",
      complaint(function(r) r.schema = "tare/2" end))
    for _, name in ipairs { "pyperf", 7, false } do
      assert.equal("not a tare report: 'schema' is not 'tare/1'",
        complaint(function(r) r.schema = name end))
    end
    assert.equal("not a tare report: it is no object",
      select(2, schema.check(5)))
  end)

  it("names the place that is wrong", function()
    local cases = {
      ["results must be a list, but is missing"] =
        function(r) r.results = nil end,
      ["results must be a list, got an object"] =
        function(r) r.results = { a = 1 } end,
      ["results[1] must be an object, got a string"] =
        function(r) r.results = { "x" } end,
      ["results[2].id must be a string, but is missing"] =
        function(r) r.results[2].id = nil end,
      ["results[1].time.value must be a number, got a string"] =
        function(r) r.results[1].time.value = "1" end,
      ["results[1].time must be an object, got a number"] =
        function(r) r.results[1].time = 1 end,
      ["results[1].params.n must be a plain value, got an object"] =
        function(r) r.results[1].params = { n = {} } end,
      ["results[1].clean_batches must be a whole number, got 0.5"] =
        function(r) r.results[1].clean_batches = 0.5 end,
      ["results[1].left_out[1] must be a whole number, got a null"] =
        function(r) r.results[1].left_out = { 0/0 } end,
      ["results[1].fit_errors[1] must be an object, got a boolean"] =
        function(r) r.results[1].fit_errors = { true } end,
      ["results[1].warnings[1] must be a string, got a null"] =
        function(r) r.results[1].warnings = { 0/0 } end,
      ["comparisons[1].ratio must be an object, but is missing"] =
        function(r) r.comparisons[1].ratio = nil end,
      ["sweeps[1].series must be a list, but is missing"] =
        function(r) r.sweeps[1].series = nil end,
      ["sweeps[1].series[1].points[1].x must be a number, but is missing"] =
        function(r) r.sweeps[1].series[1].points[1].x = nil end,
      ["sweeps[1].series[1].law.coefficients.factor must be a number, "
        .. "got a string"] =
        function(r) r.sweeps[1].series[1].law.coefficients.factor = "1" end,
    }
    for message, change in pairs(cases) do
      assert.equal("not a sound report: " .. message, complaint(change))
    end
  end)

  it("checks all that analysis takes over as it was measured", function()
    local wrong = { thinned = "1", waited_ns = {}, in_process = 1,
      loop_cost = { value = "1" }, measured_warnings = "few_cycles",
      regress = { { predictors = { "iters" } } } }
    for name, value in pairs(wrong) do
      assert.matches("^not a sound report: results%[1%]%." .. name,
        complaint(function(r) r.results[1][name] = value end))
    end
  end)

  it("wants of a comparison who is compared, and with what result", function()
    for _, name in ipairs { "a", "b", "verdict", "ratio" } do
      assert.matches("^not a sound report: comparisons%[1%]%." .. name
        .. " must be .* but is missing$",
        complaint(function(r) r.comparisons[1][name] = nil end))
    end
  end)

  it("complains in one line that commands no terminal", function()
    local message = complaint(function(r)
      r.results[1].params = { ["\27[31m\n"] = {} }
    end)
    assert.equal("not a sound report: results[1].params.\\x1b[31m\\n must be "
      .. "a plain value, got an object", message)
  end)

  it("wants columns of one length", function()
    assert.matches("samples%.%w+ has %d rows where another column has %d",
      complaint(function(r)
        r.results[1].samples = { iters = { 1, 2 }, wall = { 1 } }
      end))
  end)

  it("wants samples that can have been measured", function()
    local cases = { iters = { 0, -1, 1e308, 0/0 }, wall_ns = { -1, 1/0, 0/0 },
      launch = { -1, 0/0 }, draw = { -1, 0/0 }, heap_bytes = { -1e308 } }
    for column, values in pairs(cases) do
      for _, value in ipairs(values) do
        local message = complaint(function(r)
          r.results[1].samples = { [column] = { 1, value } }
        end)
        assert.matches("results%[1%]%.samples%." .. column .. "%[2%] ", message)
      end
    end
  end)

  it("takes values up to the last whose sums can be computed", function()
    local report = fixtures.report()
    report.results[1].samples = { iters = { 1, 1e18 },
      heap_bytes = { -1e18, 1e18 } }
    assert.is_true(schema.check(report))
  end)

  it("lets samples of the other columns be absent, or below zero", function()
    local report = fixtures.report()
    report.results[1].samples = { iters = { 1, 2 }, growth_bytes = { -8, 0/0 } }
    assert.is_true(schema.check(report))
  end)

  it("lets one of two such lists be alone", function()
    local report = fixtures.report()
    report.results[1].density = { x = { 1 } }
    assert.is_true(schema.check(report))
  end)

  it("wants an edge more than there are counts", function()
    assert.matches("histogram%.edges_ns has 1 values where 'counts' has 2",
      complaint(function(r)
        r.results[1].passes = { paced = { pauses = { histogram = {
          edges_ns = { 1 }, counts = { 1, 2 } } } } }
      end))
    assert.matches("density%.x has 1 values where 'y' has 2",
      complaint(function(r)
        r.results[1].density = { x = { 1 }, y = { 1, 2 } }
      end))
  end)
end)
