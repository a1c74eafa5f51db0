local analysis = require "tare.analysis"
local made_run = require "spec.support.made_run"
local sweeps = require "tare.analysis.sweeps"

local function estimate(value, share)
  return { value = value, low = value * (1 - share), high = value * (1 + share),
    unit = "ns" }
end

local function result(id, params, time, share)
  return { id = id, params = params,
    time = time and estimate(time, share or 0.01) }
end

local function sweep_of(times, name)
  local results = {}
  for _, n in ipairs { 1000, 10, 1e5, 100, 1e4 } do -- measured in any order
    for _, impl in ipairs { "a", "b" } do
      results[#results + 1] = result(
        ("vec/%s{n=%d,impl=%s}"):format(name or "fill", n, impl),
        { n = n, impl = impl }, times[impl](n))
    end
  end
  return results
end

local times = {
  a = function(n) return n end,
  b = function(n) return 2000 + n / 2 end, -- meets a at 4000
}

describe("the reading of a sweep", function()
  it("is a series for each of the others, with its law, over the axis",
    function()
      local found = sweeps.read(sweep_of(times))
      assert.equal(1, #found)
      local read = found[1]
      assert.same({ "vec/fill", "n", "time" },
        { read.bench, read.axis, read.metric })
      assert.same({ "impl=a", "impl=b" },
        { read.series[1].label, read.series[2].label })
      assert.same({ x = 10, value = 10, low = 9.9, high = 10.1,
        id = "vec/fill{n=10,impl=a}" }, read.series[1].points[1])
      assert.equal("n", read.series[1].law.name)
      assert.near(1, read.series[1].law.exponent.value, 0.01)
      local of = read.series[2].law.coefficients -- of 2000 + n / 2
      assert.near(2000, of.constant, 1)
      assert.near(0.5, of.factor, 0.001)
    end)

  it("has no crossover by batches of the same rounds that say nothing, though "
    .. "others say what each took", function()
    local function crossovers(of_a, of_b) -- the launches that were crowded
      local results, clock = {}, { best_width = 3 }
      for _, n in ipairs { 1, 10, 100, 1000 } do
        for _, impl in ipairs { "a", "b" } do
          local record = made_run.record({ launches = 3, batches = 12,
            noise = 0.001, iters = function() return 1000 end,
            call_ns = function() return impl == "a" and n or 30 end },
            function(row, launch)
              local crowded = impl == "a" and of_a or of_b
              row.width = launch == crowded and 1 or 3
            end)
          record.id = ("s/f{n=%d,impl=%s}"):format(n, impl)
          record.params, record.compared = { n = n, impl = impl }, "s/f"
          results[#results + 1] = analysis.analyse(record, made_run.SETTINGS,
            clock)
          assert.is_number(results[#results].time.low)
        end
      end
      return #sweeps.read(results, { best_width = 3 })[1].crossovers
    end
    assert.equal(1, crossovers(1, 1))
    assert.equal(0, crossovers(3, 1))
  end)

  it("has no axis of two sizes, however many others there are", function()
    local results = {}
    for _, n in ipairs { 10, 20, 30 } do
      for _, impl in ipairs { "a", "b", "c" } do
        results[#results + 1] = result(("vec/fill{n=%d,impl=%s}"):format(n,
          impl), { n = n, impl = impl }, n)
      end
    end
    assert.equal("n", sweeps.read(results)[1].axis)
    for _ = 1, 3 do table.remove(results) end
    assert.same({}, sweeps.read(results))
  end)

  it("finds the crossover, and which is faster below it", function()
    local found = sweeps.read(sweep_of(times))[1].crossovers
    assert.equal(1, #found)
    assert.same({ "impl=a", "impl=b" }, { found[1].a, found[1].b })
    assert.is_true(found[1].low < 4000 and 4000 < found[1].high)
  end)

  it("finds it by the rounds that both had, where no comparison tells",
    function()
      local results = sweep_of(times)
      for _, one in ipairs(results) do
        local call_ns, samples = one.time.value, { iters = {}, wall_ns = {},
          round = {} }
        for round = 1, 40 do -- the machine is slow in some rounds, for both
          samples.iters[round], samples.round[round] = 10, round
          samples.wall_ns[round] = 10 * call_ns * (1 + round % 7)
            * (1 + 0.001 * ((round * call_ns) % 5 - 2))
        end
        one.samples, one.compared = samples, "n=" .. one.params.n
        local off = one.params.impl == "a" and 1.3 or 1
        one.time = { value = call_ns * off, low = call_ns * off * 0.99,
          high = call_ns * off * 1.01 }
      end
      local found = sweeps.read(results)[1].crossovers[1]
      assert.is_true(found.low < 4000 and 4000 < found.high,
        ("%g, %g to %g"):format(found.x, found.low, found.high))
    end)

  it("takes each bench and each numeric axis on its own", function()
    local results = {}
    for n = 1, 3 do
      for m = 1, 4 do
        results[#results + 1] = result(("s/f{n=%d,m=%d}"):format(n, m),
          { n = n, m = m }, n * m)
      end
      results[#results + 1] = result(("s/g{n=%d}"):format(n), { n = n }, n)
    end
    local seen = {}
    for i, read in ipairs(sweeps.read(results)) do
      local labels = {}
      for k, series in ipairs(read.series) do labels[k] = series.label end
      seen[i] = { read.bench, read.axis, table.concat(labels, " ") }
    end
    assert.same({ { "s/f", "n", "m=1 m=2 m=3 m=4" },
      { "s/f", "m", "n=1 n=2 n=3" }, { "s/g", "n", "g" } }, seen)
  end)

  it("reads benches that come one after the other as all at once", function()
    local all = sweep_of(times, "fill")
    for _, one in ipairs(sweep_of(times, "drain")) do all[#all + 1] = one end
    local add, found = sweeps.of_stream()
    for i, one in ipairs(all) do
      add(one)
      assert.equal(i > #all / 2 and 1 or 0, #found)
    end
    add(nil)
    assert.same(sweeps.read(all), found)
    assert.equal(2, #found)
  end)

  it("leaves a gap where a cell failed or was not measured", function()
    local results = sweep_of(times)
    results[1].error = "boom"
    results[4].time = nil
    local series = sweeps.read(results)[1].series
    assert.equal(4, #series[1].points)
    assert.is_nil(series[1].law) -- too few points left
    assert.equal(10, series[1].points[1].x)
    assert.equal(4, #series[2].points)
  end)

  it("leaves a gap where a time is no number", function()
    for _, value in ipairs { 0/0, 1/0, -1/0, "12", true } do
      local results = sweep_of(times)
      results[4].time = { value = value }
      local series = sweeps.read(results)[1].series
      assert.equal(9, #series[1].points + #series[2].points, tostring(value))
    end
  end)

  it("is empty without an axis of three values", function()
    assert.same({}, sweeps.read({}))
    assert.same({}, sweeps.read({ result("s/f", {}, 1),
      result("s/g{n=1}", { n = 1 }, 1), result("s/g{n=2}", { n = 2 }, 1),
      result("s/h{n=x}", { n = "x" }, 1) }))
  end)

  it("says no law where a value can't be", function()
    local zero = sweep_of { a = times.a, b = function() return 0 end }
    local read = sweeps.read(zero)[1]
    assert.is_table(read.series[1].law)
    assert.is_nil(read.series[2].law)
  end)

  it("holds only series against each other that differ in one parameter",
    function()
      local results = {}
      for _, one in ipairs(sweep_of(times)) do
        for mode, factor in pairs { inc = 1, gen = 10 } do
          local id = one.id:gsub("}", ",gc_mode=" .. mode .. "}")
          results[#results + 1] = result(id, { n = one.params.n,
            impl = one.params.impl, gc_mode = mode }, one.time.value * factor)
        end
      end
      table.sort(results, function(x, y) return x.id < y.id end)
      local found = {}
      local read = sweeps.read(results)[1]
      for i, one in ipairs(read.crossovers) do
        found[i] = one.a .. " " .. one.b
      end
      assert.same({ "impl=a,gc_mode=gen impl=b,gc_mode=gen",
        "impl=a,gc_mode=inc impl=b,gc_mode=inc" }, found)
    end)
end)

describe("the laws of a sweep", function()
  local laws = {
    constant = { "1", function() return 4e5 end },
    linear = { "n", function(n) return 50 * n end },
    sorting = { "n log n", function(n) return 9 * n * math.log(n) end },
    pairs = { "n^2", function(n) return n * n / 8 end }, -- meets linear at 400
  }

  -- 12 sizes, two modes, times that are 2 % off by a fixed sequence.
  local function results()
    local list, state = {}, 1
    for k = 0, 11 do
      local n = 16 * 2^k
      for _, name in ipairs { "constant", "linear", "sorting", "pairs" } do
        for _, mode in ipairs { "incremental", "generational" } do
          local factor = mode == "incremental" and 1 or 1.3
          state = state * 16807 % 2147483647
          local off = 1 + 0.04 * (state / 2147483647 - 0.5)
          list[#list + 1] = result(("made/f{n=%d,impl=%s,gc_mode=%s}"):format(
            n, name, mode), { n = n, impl = name, gc_mode = mode },
            laws[name][2](n) * factor * off, 0.02)
        end
      end
    end
    table.sort(list, function(a, b) return a.id < b.id end)
    return list
  end

  local read = sweeps.read(results())[1]

  it("are told, each with an interval of the exponent", function()
    assert.equal(8, #read.series)
    for _, series in ipairs(read.series) do
      local expected = laws[series.label:match("impl=(%a+)")][1]
      assert.equal(12, #series.points)
      local named = series.law.name == expected
      for _, other in ipairs(series.law.also) do
        named = named or other == expected
      end
      assert.is_true(named, series.label .. ": " .. series.law.name)
      assert.is_true(series.law.exponent.low <= series.law.exponent.high)
    end
  end)

  it("are level where drift is all that there is to see", function()
    local list = {}
    for i, off in ipairs { 0, 1, 5, 2, 0, 3, 1, 9, 12, 15, 11, 14 } do
      local n = 2^(i + 3)
      list[i] = result(("s/f{n=%d}"):format(n), { n = n }, 160 + off * 2)
    end
    local law = sweeps.read(list)[1].series[1].law
    assert.equal("1", law.name)
    assert.is_true(law.exponent.low <= 0.03 and law.exponent.high < 0.1)
    for _, other in ipairs(law.also) do assert.are_not.equal("1", other) end
  end)

  it("have the confidence that was asked for", function()
    local function laws_at(confidence)
      local found = {}
      for i, series in ipairs(sweeps.read(results(),
        { confidence = confidence })[1].series) do
        found[i] = series.law
      end
      return found
    end
    local narrow, usual, wide = laws_at(0.5), laws_at(nil), laws_at(0.999)
    for i, law in ipairs(usual) do
      local function width(of) return of.exponent.high - of.exponent.low end
      assert.is_true(width(narrow[i]) < 0.6 * width(law))
      assert.is_true(width(wide[i]) > 1.4 * width(law))
    end
    local points, state = {}, 1
    for i = 1, 9 do
      local n = 2^(i + 3)
      state = state * 16807 % 2147483647
      points[i] = { x = n, value = (2000 + n * math.log(n))
        * (0.9 + 0.2 * state / 2147483647) }
    end
    assert.same({}, sweeps.law(points).also)
    assert.same({ "n" }, sweeps.law(points, 0.99).also)
  end)

  it("are level up to a quarter over a decade, and not beyond", function()
    local function law(to, more)
      local points = {}
      for i, x in ipairs { 1, 2, 4, 5, 8, to } do
        points[i] = { x = x, value = 1 + (i - 1) / 5 * more }
      end
      return sweeps.law(points).name
    end
    assert.equal("1", law(10, 0.25))
    assert.equal("n", law(10, 0.26))
    assert.equal("n", law(9.9, 0.25))
  end)

  it("cross where they are known to", function()
    local found = {}
    for _, one in ipairs(read.crossovers) do
      found[one.a .. " " .. one.b] = one
    end
    local one = found["impl=pairs,gc_mode=incremental "
      .. "impl=linear,gc_mode=incremental"]
    assert.is_true(one.low <= 400 and 400 <= one.high)
    one = found["impl=linear,gc_mode=incremental "
      .. "impl=constant,gc_mode=incremental"]
    assert.is_true(one.low <= 8000 and 8000 <= one.high)
  end)
end)
