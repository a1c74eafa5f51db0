local sweep = require "tare.sweep"

local function labels(params, options)
  local list = {}
  for i, cell in ipairs(assert(sweep.cells(params, options))) do
    list[i] = cell.label
  end
  return list
end

local function refusal(params, options)
  local cells, message = sweep.cells(params, options)
  assert.is_nil(cells)
  return message
end

describe("the runs of numbers", function()
  it("are whole and include both ends", function()
    assert.same({ 1, 2, 3, 4 }, sweep.range(1, 4))
    assert.same({ 10, 30, 50 }, sweep.range(10, 69, 20))
    assert.same({ 3, 1, -1 }, sweep.range(3, -1, -2))
    assert.same({ 0, 0.1, 0.2, 0.3 }, sweep.range(0, 0.3, 0.1))
    assert.same({ 5 }, sweep.range(5, 5))
    assert.same({ 1e12, 1e12 + 1, 1e12 + 2 }, sweep.range(1e12, 1e12 + 2))
  end)

  it("grow by a factor up to the very end", function()
    assert.same({ 10, 100, 1000 }, sweep.geometric(10, 1000, 10))
    assert.same({ 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000 },
      sweep.geometric(1, 1000))
    assert.same({ 1, 2, 4, 8, 16, 32, 64, 128, 256, 600 },
      sweep.geometric(1, 600))
    assert.same({ 7 }, sweep.geometric(7, 7))
  end)

  it("hold each whole number once, however small the factor", function()
    assert.same({ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
      sweep.geometric(1, 10, 1.1))
    assert.same({ 0.5, 1, 2.5 }, sweep.geometric(0.5, 2.5))
    assert.same({ 1, 2 }, sweep.geometric(1, 2, 1.1)) -- 1.77 is rounded to 2
    assert.same({ 1, 3, 5 }, sweep.geometric(1, 5, 2.5)) -- and 2.5 to 3
  end)

  it("are integers where Lua has them", function()
    for _, x in ipairs(sweep.geometric(1e1, 1e3, 10.0)) do
      assert.equal(("%d"):format(x), tostring(x))
    end
  end)

  it("refuse what has no end, or too many steps, at the caller", function()
    local function said(fn, ...)
      local ok, message = pcall(fn, ...)
      assert.is_false(ok)
      return message
    end
    assert.matches("must lead from", said(sweep.range, 1, 10, 0))
    assert.matches("must lead from", said(sweep.range, 10, 1))
    assert.matches("1000000000001 values", said(sweep.range, 0, 1e12))
    assert.matches("must be a number", said(sweep.range, 0, 0/0))
    assert.matches("'hi' must be a number, got x",
      said(sweep.geometric, 1, "x"))
    assert.matches("'lo' must be a number", said(sweep.range, {}, 5))
    assert.matches("0 < lo <= hi", said(sweep.geometric, 0, 5))
    assert.matches("0 < lo <= hi", said(sweep.geometric, 1, 5, 1))
    assert.matches("at most", said(sweep.geometric, 1, 2, 1 + 1e-9))
    local chunk = "local s = ... s.range(1, 10, 0)"
    local load = loadstring or load -- luacheck: compat
    assert.matches("^here:1:", said(load(chunk, "=here"), sweep))
  end)
end)

describe("a sweep's cells", function()
  local by_a, by_b = function() end, function() end

  it("are one without a label where there are no params", function()
    assert.same({ { params = {}, values = {}, settings = {}, label = "",
      group = "" } }, sweep.cells(nil))
  end)

  it("are the product of the axes, the last fastest", function()
    assert.same({ "{n=10,impl=a}", "{n=10,impl=b}", "{n=100,impl=a}",
      "{n=100,impl=b}" }, labels { impl = { "a", "b" }, n = { 10, 100 } })
  end)

  it("have numbers first, settings last, each by name, unless listed",
    function()
      assert.same({ "{m=1,n=2,impl=a,kind=x,gc_pause=100,loop=call}" },
        labels { n = 2, kind = "x", gc_pause = 100, m = 1, impl = { "a" },
          loop = "call" })
      assert.same({ "{impl=a,n=2,m=1}" },
        labels { { "impl", { "a" } }, { name = "n", values = { 2 } }, m = 1 })
    end)

  it("hold the values for the bench and the labels for the report", function()
    local cell = sweep.cells {
      n = { 100 }, impl = { { label = "a", value = by_a, baseline = true } },
      jit = { false }, gc_mode = "incremental",
    } [1]
    assert.same({ n = 100, impl = "a", jit = false, gc_mode = "incremental" },
      cell.params)
    assert.same({ n = 100, impl = by_a, jit = false, gc_mode = "incremental" },
      cell.values)
    assert.same({ jit = false, gc_mode = "incremental" }, cell.settings)
    assert.equal("{n=100,impl=a,gc_mode=incremental,jit=off}", cell.label)
    assert.equal("{n=100,gc_mode=incremental,jit=off}", cell.group)
    assert.equal("a", cell.contrast)
    assert.is_true(cell.baseline)
  end)

  it("switch compiling on and off by word or by truth", function()
    for jit, expected in pairs {
      [{ "on", "off" }] = { true, false }, [{ true, false }] = { true, false },
      [{ off = "off" }] = { false }, [{ on = true }] = { true },
      [true] = { true }, off = { false },
    } do
      local cells = sweep.cells { jit = jit }
      assert.equal(#expected, #cells)
      for i, is_on in ipairs(expected) do
        assert.same({ jit = is_on }, cells[i].settings)
        assert.same({ jit = is_on }, cells[i].params)
        assert.equal(is_on and "{jit=on}" or "{jit=off}", cells[i].label)
      end
    end
  end)

  it("are settings by the names of the collector's options", function()
    for _, name in ipairs { "gc_pause", "gc_step_multiplier", "gc_step_size",
      "gc_minor_multiplier", "gc_major_multiplier" } do
      local cells = sweep.cells { [name] = { 15, 30 } }
      assert.same({ [name] = 15 }, cells[1].settings)
      assert.same({ [name] = 30 }, cells[2].settings)
    end
  end)

  it("take named values, sorted by name or by number", function()
    assert.same({ "{impl=a}", "{impl=b}" },
      labels { impl = { b = by_b, a = by_a } })
    assert.same({ "{size=small}", "{size=large}" },
      labels { size = { small = 10, large = 1000 } })
  end)

  it("take a generator: an iterator, or a function that yields", function()
    local words = ("one two"):gmatch("%a+")
    assert.same({ "{word=one}", "{word=two}" }, labels { word = words })
    local spec = { n = function()
      for i = 1, 3 do coroutine.yield(2^i) end
    end }
    assert.same({ "{n=2}", "{n=4}", "{n=8}" }, labels(spec))
    assert.same({ "{n=2}", "{n=4}", "{n=8}" }, labels(spec))
    assert.same({ "{n=5}", "{n=6}" }, labels { n = function()
      local n = 4
      return function() n = n + 1 return n < 7 and n or nil end
    end })
  end)

  it("can be read once and combined often", function()
    local read = assert(sweep.read { n = ("1 2"):gmatch("%d") })
    assert.same({ "{n=1}", "{n=2}" }, labels(read))
    assert.same({ "{n=2}" },
      labels(read, { overrides = { sweep.parse_override "n=2" } }))
  end)

  it("advance the axes of a zip in step", function()
    assert.same({ "{columns=8,rows=1,impl=a}", "{columns=8,rows=1,impl=b}",
      "{columns=4,rows=1,impl=a}", "{columns=4,rows=1,impl=b}" },
      labels { sweep.zip { rows = { { label = 1, value = 1 }, 1 },
        columns = { 8, 4 } }, impl = { "a", "b" } })
    assert.same({ "{a=1,b=3}", "{a=2,b=4}" },
      labels(sweep.zip { a = { 1, 2 }, b = { 3, 4 } }))
  end)

  it("leave out what is excluded, asked with values and labels", function()
    local params = { n = { 10, 1e6 }, impl = { slow = by_a, fast = by_b } }
    local kept = { "{n=10,impl=fast}", "{n=10,impl=slow}",
      "{n=1000000,impl=fast}" }
    assert.same(kept, labels(params, { exclude = function(p)
      return p.impl == by_a and p.n > 100
    end }))
    assert.same(kept, labels(params, { where = function(_, label)
      return label.impl == "fast" or label.n == 10
    end }))
    assert.same({}, labels(params, { where = function() end }))
    assert.matches("^'where' failed at {n=10,impl=fast}: .*oops",
      refusal(params, { where = function() error "oops" end }))
  end)

  it("write a number the same on every Lua", function()
    assert.same({ "{n=100}", "{n=1e+20}", "{n=0.1}", "{n=0}", "{n=-3}" },
      labels { n = { 100.0, 1e20, 0.1, -0.0, -3 } })
    assert.same({ "{n=0.30000000000000004}" }, labels { n = 0.1 + 0.2 })
  end)

  it("escape what an id is made of", function()
    assert.same({ "{s=a%2Cb%3D%7B%25%7D}", "{s=%0A \195\169}" },
      labels { s = { "a,b={%}", "\n \195\169" } })
  end)
end)

describe("what is compared in a cell", function()
  local function contrast(params, wanted)
    local cell = assert(sweep.cells(params, { contrast = wanted }))[1]
    return cell.contrast, cell.group
  end

  it("is 'impl', else functions, else a mode of tare's", function()
    local fn = { a = function() end, b = function() end }
    assert.same({ "a", "{n=1,data=x}" },
      { contrast { n = 1, data = "x", impl = "a" } })
    assert.same({ "a", "{n=1,data=x,loop=call}" },
      { contrast { n = 1, data = "x", way = fn, loop = "call" } })
    assert.same({ "incremental", "{n=1,gc_pause=100}" },
      { contrast { n = 1, gc_mode = "incremental", gc_pause = 100 } })
  end)

  it("is what has a baseline marked, before all else", function()
    local data = { { label = "x", value = 1, baseline = true },
      { label = "y", value = 2 } }
    assert.same({ "x", "{n=1,impl=a}" },
      { contrast { n = 1, data = data, impl = "a" } })
  end)

  it("has the baseline that is named, whatever is measured of it", function()
    local spec = { n = { 1, 2 }, way = { "a", "b" } }
    local function baselines(options)
      local list = {}
      for i, cell in ipairs(assert(sweep.cells(spec, options))) do
        list[i] = cell.baseline or false
      end
      return list
    end
    assert.same({ false, true, false, true }, baselines { baseline = "b" })
    assert.same({ false, false }, baselines { baseline = "b",
      overrides = { sweep.parse_override "way=a" } })
    assert.equal("baseline 'c' is not what is compared",
      refusal(spec, { baseline = "c" }))
    assert.same({ nil, "baseline 'c' is not what is compared" },
      { sweep.read(spec, { baseline = "c" }) })
    assert.truthy(sweep.read(spec, { contrast = "way" }))
  end)

  it("is refused where there is no such axis, and may be nothing", function()
    assert.equal("there is no axis 'm' to compare",
      refusal({ n = { 1, 2 } }, { contrast = "m" }))
    assert.is_nil((contrast { n = { 1, 2 } }))
    assert.equal(1, (contrast({ n = { 1, 2 } }, "n")))
  end)

  it("is the axis asked for", function()
    assert.same({ 1, "{impl=a}" }, { contrast({ n = 1, impl = "a" }, "n") })
    assert.equal("there is no axis 'm' to compare",
      refusal({ n = 1 }, { contrast = "m" }))
  end)

  it("is nothing where all axes are numbers or data", function()
    assert.same({ nil, "{m=2,n=1}" }, { contrast { n = 1, m = 2 } })
    assert.same({ nil, "{n=1,data=x}" }, { contrast { n = 1, data = "x" } })
  end)
end)

describe("a sweep refuses", function()
  it("millions of combinations with their count, unbuilt", function()
    local params = { n = sweep.range(1, 2000), m = sweep.range(1, 1000),
      impl = { "a", "b", "c" } }
    local asked = false
    assert.equal("6,000,000 combinations (m: 1,000 x n: 2,000 x impl: 3) of "
      .. "at most 100,000; choose with --param",
      refusal(params, { where = function() asked = true end }))
    assert.is_false(asked)
    params = { n = sweep.range(1, 9091), m = sweep.range(1, 11) }
    assert.matches("^100,001 combinations", refusal(params))
  end)

  it("a generator without end", function()
    assert.equal("axis 'n': the generator goes on beyond 100000 values",
      refusal { n = function() return 1 end })
  end)

  it("what can't be an axis, in a sentence", function()
    local said = {
      [{ n = {} }] = "axis 'n' has no values",
      [{ n = { 1, 1.0 } }] = "axis 'n' has 1 twice",
      [{ n = { 1, print } }] = "axis 'n': a function needs a label: "
        .. "{ label = ..., value = ... }",
      [{ n = { 0/0 } }] = "axis 'n': %-?nan needs a label: .*",
      [{ s = { ("x"):rep(65) } }] = "axis 's': an empty or long string needs "
        .. "a label: .*",
      [{ s = { { 1, 2 } } }] = "axis 's': a table in the list needs label "
        .. "and value",
      [{ s = { 1, a = 2 } }] = "axis 's' mixes a list and names",
      [{ { "n", { 1 } }, { "m", { 1 } }, [1.5] = { "k", { 1 } } }] =
        "'1.5' can't name an axis: .*",
      [{ ["a b"] = { 1 } }] = "'a b' can't name an axis: .*",
      [{ ref = { 1 } }] = "axis 'ref': the name stands for git revisions; .*",
      [{ lua = { 1 } }] = "axis 'lua': the name stands for interpreters; .*",
      [{ { "n", { 1 } }, n = { 2 } }] = "axis 'n' twice",
      [{ "n" }] = "an entry of 'params' must be { name, values }, got n",
      [{ gc_mode = { "lazy" } }] = "axis 'gc_mode' is a setting of tare's and "
        .. "can't be lazy",
      [{ gc_pause = { "x" } }] = "axis 'gc_pause' is a setting .* can't be x",
      [{ jit = { 1 } }] = "axis 'jit' is a setting .* can't be 1",
      [{ sweep.zip { a = { 1, 2 }, b = { 1 } } }] = "a zip needs axes of "
        .. "equal length: 'a' has 2 values, 'b' 1",
      [{ sweep.zip {} }] = "a zip needs axes",
      [{ z = sweep.zip { a = 1 } }] = "a zip is in the list part .*",
    }
    for params, message in pairs(said) do
      assert.matches("^" .. message .. "$", refusal(params))
    end
    assert.equal("'params' must be a table, got string", refusal("n"))
  end)

  it("nothing silently: an error of the user's own goes through", function()
    assert.has_error(function()
      sweep.cells { n = function() error({ mine = true }) end }
    end)
  end)
end)

describe("a parameter on the command line", function()
  local fn = function() end
  local params = { n = { 10, 100 }, impl = { { label = "a", value = fn }, "b" },
    jit = { true, false } }

  local function overridden(...)
    local overrides = {}
    for i, text in ipairs { ... } do
      overrides[i] = assert(sweep.parse_override(text))
    end
    return params, { overrides = overrides }
  end

  it("is a name and values", function()
    assert.same({ name = "n", values = { "10", "1e3" } },
      sweep.parse_override "n=10, 1e3")
    assert.same({ name = "s", values = { "a=b" } },
      sweep.parse_override "s=a=b")
    for _, text in ipairs { "n", "n=", "=1", "n=1,,2", "", "a b=1" } do
      assert.same({ nil, ("'%s' is not NAME=VALUE[,VALUE...]"):format(text) },
        { sweep.parse_override(text) })
    end
  end)

  it("replaces numbers and selects by label", function()
    assert.same({ "{n=7,impl=b,jit=on}", "{n=5000,impl=b,jit=on}" },
      labels(overridden("n=7,5e3", "impl=b", "jit=on")))
    assert.same({ "{n=100,impl=a,jit=off}" },
      labels(overridden("n=100", "impl=a", "jit=false")))
  end)

  it("keeps the value behind a label", function()
    local spec, options = overridden("impl=a", "n=10", "jit=on")
    assert.equal(fn, sweep.cells(spec, options)[1].values.impl)
  end)

  it("may be given in parts, and for other benches", function()
    assert.same({ "{n=1,impl=a,jit=on}", "{n=2,impl=a,jit=on}" },
      labels(overridden("n=1", "impl=a", "n=2", "jit=on", "other=3")))
  end)

  it("selects rows of a zip", function()
    local zip = { sweep.zip { a = { 1, 2, 3 }, b = { 6, 5, 4 } } }
    local function rows(...)
      local _, options = overridden(...)
      return labels(zip, options)
    end
    assert.same({ "{a=2,b=5}", "{a=3,b=4}" }, rows("a=2,3"))
    assert.same({ "{a=3,b=4}" }, rows("a=2,3", "b=4"))
  end)

  it("selects a number however it is written, and no text by its number",
    function()
      local zip = { sweep.zip { a = { 10, 100 }, b = { "10", "x" } } }
      local function chosen(text)
        return zip, { overrides = { sweep.parse_override(text) } }
      end
      assert.same({ "{a=100,b=x}" }, labels(chosen "a=1e2"))
      assert.same({ "{a=10,b=10}" }, labels(chosen "b=10"))
      assert.equal("axis 'b' has no '1e1'; it has 10, x",
        refusal(chosen "b=1e1"))
      zip = { sweep.zip { a = { 1, 2 }, b = { 10, "x" } } }
      assert.same({ "{a=1,b=10}" }, labels(chosen "b=10"))
      assert.equal("axis 'b' has no '1e1'; it has 10, x",
        refusal(chosen "b=1e1"))
    end)

  it("finds a label as it stands in an id", function()
    assert.same({ "{s=a%2Cb}" }, labels({ s = { "a,b", "c" } },
      { overrides = { sweep.parse_override "s=a%2Cb" } }))
  end)

  it("is refused where the axis can't take it", function()
    assert.equal("axis 'n' takes numbers, got 'many'",
      refusal(overridden "n=many"))
    assert.equal("axis 'impl' has no 'c'; it has a, b",
      refusal(overridden "impl=c"))
    assert.equal("axis 'n' has 5 twice", refusal(overridden "n=5,5.0"))
  end)

  it("is refused with the first eight values that there are", function()
    local letters = { "a", "b", "c", "d", "e", "f", "g", "h" }
    local options = { overrides = { sweep.parse_override "s=x" } }
    local said = "axis 's' has no 'x'; it has a, b, c, d, e, f, g, h"
    assert.equal(said, refusal({ s = letters }, options))
    letters[9] = "i"
    assert.equal(said .. "...", refusal({ s = letters }, options))
  end)
end)
