-- What is large: names, parameters, numbers of calls, reports.
local core = require "tare.core"
local fixtures = require "spec.support.fixtures"
local formats = require "spec.support.formats"
local options = require "tare.base.options"
local report = require "tare.report"
local store = require "tare.store"
local sweeps = require "tare.analysis.sweeps"
local tare = require "tare"

local LONG = ("long "):rep(2048) -- 10 kB

local function cells_of(name, spec)
  local suite = tare.suite "s"
  suite:bench(name, spec)
  return assert(suite:cells {})
end

describe("a name of 10 kB", function()
  it("is measured, stored and rendered in every format", function()
    local suite = tare.suite(LONG)
    suite:bench(LONG, { params = { [("n"):rep(10240)] = { 1, 2 } },
      run = function()
        local list = {}
        for i = 1, 100 do list[i] = { i } end
        return list
      end })
    local session = tare.session(suite, { quota = "400x", resamples = 20 })
    while not session:step(50) do end -- luacheck: ignore 542
    local made = session:report()
    session:close()
    local again = assert(store.decode(store.encode(made)))
    assert.equal(2, #again.results)
    assert.equal(LONG .. "/" .. LONG,
      again.results[1].id:sub(1, 2 * #LONG + 1))
    for _, format in ipairs(formats) do
      assert.is_string(report.render(again, format, { width = 80 }))
    end
  end)
end)

describe("a thousand", function()
  it("values of a parameter make as many cells", function()
    local cells = cells_of("a", { params = { n = tare.range(1, 1000) },
      run = function() end })
    assert.equal(1000, #cells)
    assert.equal("s/a{n=1000}", cells[1000].id)
  end)

  it("parameters of one value each make one cell", function()
    local params = {}
    for i = 1, 1000 do params[("p%04d"):format(i)] = { i } end
    local cells = cells_of("a", { params = params, run = function() end })
    assert.equal(1, #cells)
    assert.equal(1000, cells[1].values.p1000)
    assert.matches("^s/a{p0001=1,p0002=2,", cells[1].id)
  end)
end)

describe("a size up to 2^53", function()
  local N = 2^53

  it("is a parameter that comes back as it was", function()
    local cell = cells_of("a", { params = { n = { 1, N } },
      run = function() end })[2]
    assert.equal("s/a{n=9007199254740992}", cell.id)
    local again = assert(store.decode(store.encode { schema = "tare/1",
      results = { { id = cell.id, params = cell.values } } }))
    assert.equal(N, again.results[1].params.n)
  end)

  it("is an axis of a sweep", function()
    local results = {}
    for i, n in ipairs { 1, 2^20, 2^40, N } do
      results[i] = { id = ("s/a{n=%.0f}"):format(n), suite = "s", name = "a",
        params = { n = n }, warnings = {}, time = { value = n / 8 } }
    end
    local found = sweeps.read(results)
    assert.equal(4, #found[1].series[1].points)
    local made = { schema = "tare/1", env = {}, options = {},
      results = results, comparisons = {}, sweeps = found }
    for _, format in ipairs(formats) do
      assert.is_string(report.render(made, format))
    end
  end)

  it("is a number of calls that a batch and a quota may have", function()
    local meter, samples = core.meter { manual_tick_ns = 1 }, core.samples(2)
    local got
    assert.is_true(meter:time(samples, function(n) got = n end, N))
    assert.equal(N, got)
    assert.equal(N, samples:get(1, "iters"))
    assert.has_error(function() meter:time(samples, print, N * 2) end)
    assert.equal(1e15, options.resolve({ quota = "1e15x" }, "spec").quota.calls)
  end)
end)

describe("a day of batches", function()
  it("takes as much memory as an hour of them", function()
    local samples, row = core.samples(1000), { iters = 0 }
    collectgarbage()
    local before = collectgarbage "count"
    for i = 1, 100000 do
      row.iters = i
      samples:push(row)
    end
    assert.is_true(collectgarbage "count" - before < 64)
    local iters = samples:columns().iters
    assert.is_true(#iters >= 500 and #iters <= 1000)
    assert.equal(100000, #iters + samples:thinned())
    assert.equal(1, iters[1])
    for i = 2, #iters do assert.is_true(iters[i] > iters[i - 1]) end
  end)
end)

describe("a report of 500 benches", function()
  it("is rendered in every format", function()
    local made = fixtures.many(500)
    for _, format in ipairs(formats) do
      local text = report.render(made, format)
      assert.is_truthy(text:find("bench500", 1, true), format)
    end
  end)
end)
