local command = require "spec.support.command"
local columns = require "tare.base.sample_columns"
local core = require "tare.core"
local lists = require "tare.base.lists"

describe("the column store", function()
  it("starts without rows and without columns", function()
    local s = core.samples(10)
    assert.equal(0, #s)
    assert.same({}, s:columns())
  end)

  it("has a clock for each column in nanoseconds", function()
    local as_read = { "cpu_ns", "cycle_ns", "spent_ns", "start_ns", "wait_ns" }
    local header = io.open "csrc/pure/samples.h"
    local text, count = header:read "*a", 0
    header:close()
    for name in text:gmatch 'X%([%w_]+, "([%w_]+_ns)"%)' do
      count = count + 1
      assert.is_true(lists.has(columns.TIMED, name)
        ~= lists.has(as_read, name), name)
    end
    assert.equal(#columns.TIMED + #as_read, count)
  end)

  it("offers only the columns that have values", function()
    local s = core.samples(10)
    s:push { iters = 1, wall_ns = 10 }
    s:push { iters = 2, wall_ns = 20 }
    assert.same({ iters = { 1, 2 }, wall_ns = { 10, 20 } }, s:columns())
  end)

  it("keeps an absent value as NaN", function()
    local s = core.samples(10)
    s:push { iters = 1 }
    s:push { iters = 2, cpu_ns = 3 }
    local cpu_ns = s:columns().cpu_ns
    assert.is_true(cpu_ns[1] ~= cpu_ns[1])
    assert.equal(3, cpu_ns[2])
  end)

  it("takes any row back, by default the last", function()
    local s = core.samples(10)
    for i = 1, 5 do s:push { iters = i, wall_ns = 10 * i } end
    s:drop()
    s:drop(1)
    s:drop(-2)
    assert.same({ iters = { 2, 4 }, wall_ns = { 20, 40 } }, s:columns())
    for _, row in ipairs { 0, 3, -3 } do
      assert.error_matches(function() s:drop(row) end, "no such row")
    end
    s:drop(2)
    s:drop(1)
    s:drop()
    assert.equal(0, #s)
  end)

  it("drops every other row when it is full, and counts them", function()
    local s = core.samples(4)
    for i = 1, 6 do s:push { iters = i } end
    assert.same({ iters = { 1, 3, 5, 6 } }, s:columns())
    assert.equal(2, s:thinned())
  end)

  it("keeps the first and the last row of an odd number", function()
    local s = core.samples(5)
    for i = 1, 6 do s:push { iters = i } end
    assert.same({ iters = { 1, 3, 5, 6 } }, s:columns())
    assert.equal(2, s:thinned())
    for i = 7, 8 do s:push { iters = i } end
    assert.same({ iters = { 1, 5, 7, 8 } }, s:columns())
    assert.equal(4, s:thinned())
  end)

  it("reads and writes one value, from either end", function()
    local s = core.samples(4)
    s:push { iters = 7 }
    s:push { iters = 8 }
    assert.equal(0, select("#", s:set(1, "launch", 2)))
    assert.equal(2, s:get(1, "launch"))
    assert.equal(8, s:get(-1, "iters"))
  end)

  it("refuses names, rows and sizes that do not exist", function()
    local s = core.samples(4)
    assert.has_error(function() s:push { nonsense = 1 } end)
    assert.has_error(function() s:get(1, "iters") end)
    assert.has_error(function() s:row(1) end)
    assert.has_error(function() s:json(1) end)
    assert.has_error(function() core.samples(0) end)
  end)

  it("appends nothing of a row that it refuses", function()
    local s = core.samples(4)
    assert.has_error(function() s:push { iters = 1, wall_ns = "2" } end)
    assert.has_error(function() s:push { iters = 1, [1] = 2 } end)
    assert.equal(0, #s)
  end)

  it("fills a table with the values of a row", function()
    local s = core.samples(4)
    s:push { iters = 7, wall_ns = 9 }
    s:push { iters = 8, cpu_ns = 2.5 }
    local row = { wall_ns = 1, note = "kept" }
    assert.equal(row, s:row(-1, row))
    assert.same({ iters = 8, cpu_ns = 2.5, note = "kept" }, row)
    assert.same({ iters = 7, wall_ns = 9 }, s:row(1))
  end)

  it("fills a table without allocating", function()
    local s, row = core.samples(2), {}
    s:push { iters = 7, wall_ns = 9 }
    s:row(1, row)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 10000 do s:row(1, row) end
    local grown = collectgarbage "count" - before
    collectgarbage "restart"
    assert.is_true(grown < 8, grown .. " KiB") -- LuaJIT tries to compile
  end)

  it("leaves the heap's size alone, whatever its capacity", function()
    collectgarbage()
    local before = collectgarbage("count")
    local s = core.samples(1e5)
    assert.is_true(collectgarbage("count") - before < 16)
    assert.equal(0, #s)
  end)
end)

describe("a row as JSON", function()
  local function text_of(row)
    local s = core.samples(2)
    s:push(row)
    return s:json(1)
  end

  it("has the columns with a value, in one line", function()
    assert.equal('{"iters":100,"wall_ns":5210.5,"launch":2}',
      text_of { launch = 2, wall_ns = 5210.5, iters = 100 })
    assert.equal("{}", text_of {})
  end)

  it("writes numbers so that they read back the same", function()
    for _, x in ipairs { 0.1, 1 / 3, -2.5e-8, 1e15 / 7, 2 ^ 53, -2 ^ 53, 1e21,
        5e-324, 1.7976931348623157e308, 123456789012, -7, 2 ^ 53 - 1, 1e-5 } do
      local text = text_of { wall_ns = x }:match '^{"wall_ns":(.*)}$'
      assert.truthy(text:find "^%-?%d+%.?%d*e?[+-]?%d*$", text)
      assert.equal(x, tonumber(text), text)
    end
  end)

  it("has no more digits than a number needs", function()
    local row = text_of { iters = 0.1, wall_ns = 0.30000000000000004,
      cpu_ns = 1e15 / 7, cycles = 3e8, width = -7 }
    assert.equal('{"iters":0.1,"wall_ns":0.30000000000000004,'
      .. '"cpu_ns":142857142857142.84,"width":-7,"cycles":300000000}', row)
  end)

  it("has null for what JSON has no number for", function()
    assert.equal('{"wall_ns":null}', text_of { wall_ns = math.huge })
    assert.equal('{"wall_ns":null}', text_of { wall_ns = -math.huge })
  end)

  it("has a point where the locale has a comma", function()
    local folder = command.path()
    local source = command.file('LC_NUMERIC\ndecimal_point ","\n'
      .. 'thousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n')
    -- It warns about the categories that are not given.
    command.shell(("mkdir %s; localedef --no-archive -c -i %s "
      .. "-f ANSI_X3.4-1968 %s/comma"):format(folder, source, folder))
    local script = command.file [[
      assert(os.setlocale("comma", "numeric"))
      -- LuaJIT and the C library musl know no locales.
      assert(jit or os.getenv "TARE_LUA":find "musl"
        or ("%.1f"):format(2.5) == "2,5")
      local s = require "tare.core".samples(2)
      s:push { wall_ns = 2.5, cpu_ns = 2.5e-300 }
      io.write(s:json(1))
    ]]
    local code, stdout, stderr = command.shell(("LOCPATH=%s %s %s"):format(
      folder, os.getenv "TARE_LUA", script))
    os.remove(source)
    os.remove(script)
    command.shell("rm -r " .. folder)
    assert.equal(0, code, stderr)
    assert.equal('{"wall_ns":2.5,"cpu_ns":2.5e-300}', stdout)
  end)
end)
