local benchfile = require "tare.bench.file"
local core = require "tare.core"
local Fixture = require "tare.bench.fixture"
local heap = require "tare.worker.heap"
local options = require "tare.base.options"
local probe = require "tare.worker.probe"
local profiler = require "tare.worker.profiler"
local profiles = require "tare.report.profiles"
local tare = require "tare"

local jit = rawget(_G, "jit")
local CALLS = 16

local function sum(profile, list, name)
  local total = 0
  for _, one in ipairs(profile[list]) do total = total + one[name] end
  return total
end

local function prepared(cell)
  local fixture = Fixture.new(cell)
  assert(fixture:prepare())
  fixture:repeater()(2)
  return fixture
end

-- As a worker does: hooks around a batch.
local function taken(fixture, how, calls)
  assert(fixture:before(calls))
  local value = assert(how(fixture, calls))
  assert(fixture:after(calls))
  return value
end

-- From the heap that a profile begins with, after as many calls, unless each
-- call has an input of its own.
local function settled_census(fixture, calls)
  heap.collect()
  heap.settle()
  return heap.still(function()
    if not fixture.has_inputs then fixture:apply(core.census, calls) end
    return fixture:apply(core.census, calls)
  end)
end

local function cells_of(path)
  local cells = {}
  for _, suite in ipairs(assert(benchfile.load(path))) do
    for _, cell in ipairs(suite:cells(assert(options.resolve({}, "")))) do
      cells[#cells + 1] = cell
    end
  end
  return cells
end

describe("the sums over lines", function()
  setup(function() if jit then jit.off() jit.flush() end end)
  teardown(function() if jit then jit.on() end end)

  local names = { "calls", "vector", "gc_regression", "strings" }
  if pcall(require, "lpeg") then -- else there is no cjson in C either
    names[#names + 1], names[#names + 2] = "patterns", "json"
  end
  for _, name in ipairs(names) do
    it("are the counts of each bench of " .. name .. "_bench", function()
      local list = cells_of("examples/" .. name .. "_bench.lua")
      assert.truthy(#list > 0)
      for _, cell in ipairs(list) do
        local census, profile, counted
        for _ = 1, 10 do -- the table of strings grows in one of them
          local fixture = prepared(cell)
          census = taken(fixture, settled_census, CALLS)
          counted = taken(fixture, probe.instructions, CALLS)
          profile = taken(fixture, profiler.take, CALLS)
          fixture:teardown()
          if profile.bytes * CALLS == census.bytes
            and sum(profile, "lines", "allocs") * CALLS == census.allocs then
            break
          end
        end
        for _, list_name in ipairs { "lines", "stacks" } do
          assert.equal(counted.instructions / CALLS,
            sum(profile, list_name, "instructions"), cell.id)
          assert.equal(census.allocs / CALLS,
            sum(profile, list_name, "allocs"), cell.id)
          assert.equal(census.bytes / CALLS,
            sum(profile, list_name, "bytes"), cell.id)
        end
      end
    end)
  end
end)

describe("the profile of a run", function()
  it("sums to what its census counted, long strings included", function()
    local given = { quota = "8x", profile = true, split = false }
    if jit then given.jit = false end
    local result = tare.measure(function() -- long: one call is counted
      local text, total = "", 0
      for i = 1, 300 do text = text .. "piece " .. i end
      for i = 1, 3e6 do total = total + i end
      return text, total
    end, given)
    for _, name in ipairs { "allocs", "bytes" } do
      assert.equal(result[name].value, sum(result.profile, "lines", name))
    end
  end)
end)

describe("the name of a function", function()
  -- Of a function that modules, or the global table, have under these names.
  local function name_of(places)
    local function work() return 1 end
    local before = {}
    for i, place in ipairs(places) do
      local module, key = place[1], place[2]
      before[i] = rawget(package.loaded, module) or false
      local loaded = module == "_G" and _G or before[i] or {}
      rawset(package.loaded, module, loaded)
      rawset(loaded, key, place[3] or work)
    end
    local names = profiler.names()
    for i = #places, 1, -1 do
      local module, key = places[i][1], places[i][2]
      rawset(package.loaded[module], key, nil)
      rawset(package.loaded, module, before[i] or nil)
    end
    return names[work]
  end

  it("is that of a module that has it, the shortest and then the first of the "
    .. "alphabet, if it is none of tare's own", function()
    for _, case in ipairs {
      { name = nil },
      { name = "made.up", { "made", "up" } },
      { name = "up", { "_G", "up" } },
      { name = "up", { "made", "up" }, { "_G", "up" } },
      { name = "made.up", { "made", "upwards" }, { "made", "up" } },
      { name = "made.up", { "made", "up" }, { "made", "upwards" } },
      { name = "a.b", { "b", "a" }, { "a", "b" } },
      { name = "a.b", { "a", "b" }, { "b", "a" } },
      { name = nil, { "tare.made", "up" } },
      { name = "tares.made.up", { "tare.made", "up" },
        { "tares.made", "up" } },
      { name = "tare.up", { "tare", "up" } }, -- which benches call
      { name = nil, { "made", 1 } },
      { name = nil, { "made", "up", "no function" } },
    } do
      assert.equal(case.name, name_of(case))
    end
    assert.equal("print", profiler.names()[print])
    assert.equal("string.rep", profiler.names()[string.rep])
  end)

  it("is there where a host has no modules", function()
    local before = package.loaded
    for _, loaded in ipairs { false, "none" } do
      rawset(package, "loaded", loaded or nil)
      local names = profiler.names()
      rawset(package, "loaded", before)
      assert.equal("string.rep", names[string.rep])
    end
  end)
end)

describe("tare.profile", function()
  local function work()
    local list = {}
    for i = 1, 10 do
      list[i] = { i }
    end
    return table.concat({ #list, "x" })
  end

  it("says per line what a call does", function()
    local profile = tare.profile(work)
    assert.equal(sum(profile, "lines", "instructions"), profile.instructions)
    local by_line = {}
    local first = debug.getinfo(work, "S").linedefined
    for _, line in ipairs(profile.lines) do
      by_line[line.line - first] = line
      assert.is_true(line.instructions + line.allocs + line.bytes
        + line.freed_bytes > 0) -- lines that do nothing are left out
    end
    assert.equal(1, by_line[1].allocs)
    assert.truthy(by_line[3].allocs >= 10)
    assert.truthy(by_line[3].bytes > by_line[5].bytes)
  end)

  it("gives equal files when it is asked twice", function()
    local one, two = tare.profile(work), tare.profile(work)
    for _, format in ipairs { "folded", "speedscope" } do
      assert.equal(tare.render(one, format), tare.render(two, format))
    end
    assert.same(one.lines, two.lines)
    for _, profile in ipairs { one, two } do -- times are measured
      for _, stack in ipairs(profile.stacks) do stack.ns = nil end
    end
    assert.same(one.stacks, two.stacks)
  end)

  it("runs hooks and passes arguments, as any bench has them", function()
    local seen
    local profile = tare.profile {
      setup = function() return { 1 } end,
      run = function(state) seen = state return state end }
    assert.same({ 1 }, seen)
    assert.truthy(profile.instructions > 0)
  end)

  it("says of each function what it does itself, and of one that does nothing "
    .. "that it was called", function()
    local function makes() return {} end
    local function counts()
      local total = 0
      for i = 1, 5 do total = total + i end
      return total
    end
    local clock = os.clock -- allocates nothing
    local profile = tare.profile(function()
      clock()
      counts()
      counts()
      return makes()
    end)
    for _, name in ipairs { "instructions", "allocs", "bytes" } do
      assert.equal(sum(profile, "lines", name), sum(profile, "functions", name))
    end
    local by_line, of_c = {}, nil
    for _, fn in ipairs(profile.functions) do
      if fn.line then by_line[fn.line] = fn else of_c = fn end
    end
    local maker = by_line[debug.getinfo(makes, "S").linedefined]
    local counter = by_line[debug.getinfo(counts, "S").linedefined]
    assert.same({ 1, 1 }, { maker.calls, maker.allocs })
    assert.same({ 2, 0, 0 }, { counter.calls, counter.allocs, counter.bytes })
    assert.is_true(counter.instructions > maker.instructions)
    assert.same({ 1, 0, 0, 0 }, { of_c.calls, of_c.instructions, of_c.allocs,
      of_c.bytes })
  end)

  it("knows hundreds of functions apart", function()
    local list = {}
    for i = 1, 300 do
      local chunk = ("return function()\n%sreturn %d end"):format(
        ("\n"):rep(i), i)
      list[i] = (loadstring or load)(chunk, "=many")() -- luacheck: compat
    end
    local profile = tare.profile(function()
      for i = 1, 300 do list[i]() end
    end, { calls = 1 })
    local found, calls = 0, 0
    for _, fn in ipairs(profile.functions) do
      if fn.source == "many" then found, calls = found + 1, calls + fn.calls end
    end
    assert.same({ 300, 300 }, { found, calls })
  end)

  it("counts as many calls as it is asked to", function()
    assert.equal(3, tare.profile(work, { calls = 3 }).calls)
  end)

  it("raises what the function raises", function()
    assert.error_matches(function()
      tare.profile(function() error("broken", 0) end)
    end, "broken")
  end)

  it("raises what the teardown raises", function()
    assert.error_matches(function()
      tare.profile { run = work, teardown = function() error("torn", 0) end }
    end, "in teardown: torn")
  end)

  it("refuses misuse at the caller's level", function()
    assert.error_matches(function() tare.profile(1) end,
      "tare.profile: expected a function")
    assert.error_matches(function() tare.profile(work, { call = 1 }) end,
      "no such option: 'call'")
    assert.error_matches(function() tare.profile(work, { calls = 0 }) end,
      "calls")
    assert.error_matches(function()
      tare.profile { run = work, params = { n = { 1 } } }
    end, "several benches")
  end)

  it("leaves no hook and the collector as it was", function()
    tare.profile(work)
    local _, _, running = core.gc_settings()
    assert.is_true(running)
    assert.is_true(jit == nil or jit.status())
  end)
end)

describe("a profile in print", function()
  local function make()
    local list = {}
    for i = 1, 40 do list[i] = { i } end
    return list
  end

  it("shows the source of the hottest line, and its share", function()
    local text = tare.render(tare.profile(make), "text")
    assert.truthy(text:find("fn", 1, true))
    assert.truthy(text:find("profile_spec.lua:%d+ .*for i = 1, 40"))
    assert.truthy(text:find("Where fn allocates", 1, true))
    assert.truthy(text:find("VM instructions", 1, true))
  end)

  it("has a table of C functions where some were called, and none else",
    function()
      local called = tare.profile(function() return ("x"):rep(3) end)
      assert.matches("C function", tare.render(called, "text"))
      local alone = tare.profile(function() return {} end)
      assert.is_nil(tare.render(alone, "text"):find("C function", 1, true))
    end)

  it("names the lines that allocate in a sentence", function()
    local said = profiles.blame(tare.profile(make), "bytes", 1)
    assert.truthy(said:find("^profile_spec.lua:%d+ %(%d+ allocations, "))
  end)

  it("lists where it allocates, and no other line", function()
    local text = tare.render(tare.profile(function()
      local total = 0
      for i = 1, 9 do total = total + i end
      return { total }
    end), "text")
    local rows = text:match "Where fn allocates\n[^\n]*\n(.-)\n\n"
    assert.is_nil(rows:find("\n", 1, true), rows)
  end)

  it("is folded stacks of whole numbers, by what is asked for", function()
    local profile = tare.profile(make)
    for _, by in ipairs { "instructions", "allocs", "bytes" } do
      local total = 0
      for line in tare.render(profile, "folded", { by = by }):gmatch("[^\n]+")
      do
        local stack, count = line:match("^(.+) (%d+)$")
        assert.truthy(stack, line)
        assert.is_nil(stack:find("^fn;"), "the id, of one alone")
        total = total + tonumber(count)
      end
      assert.equal(profile[by] * profile.calls, total)
    end
  end)

  it("has one unit, whether one call or 16 were profiled", function()
    local function add() local x = 0 for i = 1, 9 do x = x + i end return x end
    assert.equal(tare.render(tare.profile(add), "folded"),
      tare.render(tare.profile(add, { calls = 1 }), "folded"))
  end)

  it("is a file for speedscope with a profile for each count", function()
    local cjson = require "cjson"
    local file = cjson.decode(tare.render(tare.profile(make), "speedscope"))
    assert.equal(3, #file.profiles)
    for _, one in ipairs(file.profiles) do
      local total = 0
      for _, weight in ipairs(one.weights) do total = total + weight end
      assert.equal(one.endValue, total)
      assert.equal(#one.samples, #one.weights)
      for _, sample in ipairs(one.samples) do
        for _, frame in ipairs(sample) do
          assert.truthy(file.shared.frames[frame + 1])
        end
      end
    end
  end)

  it("is refused where there is none", function()
    local result = tare.measure(function() return 1 end, { quota = "5x" })
    assert.error_matches(function() tare.render(result, "folded") end,
      "no profile")
  end)
end)

describe("profiles of two revisions in one report", function()
  local function result(ref, turns)
    local profile = tare.profile(function()
      local total = 0
      for i = 1, turns do
        total = total + i
      end
      return total
    end)
    return { id = ref and "s/sum{ref=" .. ref .. "}" or "s/sum", suite = "s",
      name = "sum", params = { ref = ref }, warnings = {}, profile = profile }
  end

  it("are shown as what changed", function()
    local text = tare.render({ results = { result(nil, 5),
      result("HEAD", 50) } }, "text")
    assert.truthy(text:find("What changed in s/sum", 1, true))
    assert.is_nil(text:find("Profile of", 1, true))
    assert.matches("profile_spec%.lua:%d+ +[%d,]+ +[%d,]+", text)
  end)

  -- A made file: { text, instructions }...
  local function made(ref, lines, has_no_text)
    local profile = { calls = 1, instructions = 100, allocs = 0, bytes = 0,
      lines = {}, functions = {}, frames = {}, stacks = {},
      sources = { { source = "a.lua", from = 1, text = {} } } }
    for i, one in ipairs(lines) do
      profile.sources[1].text[i] = one[1]
      profile.lines[#profile.lines + 1] = one[2] and { source = "a.lua",
        line = i, instructions = one[2], allocs = 0, bytes = 0 } or nil
    end
    if has_no_text then profile.sources = {} end
    local found = result(ref, 1)
    found.profile = profile
    return found
  end

  it("are matched whatever their indentation, by number where no text is known",
    function()
      local function rendered(has_no_text)
        return tare.render({ results = {
          made(nil, { { "work()", 30 }, { "rest()", 20 } }, has_no_text),
          made("HEAD", { { "if quick then", 5 }, { "  work()  ", 30 },
            { "end", 1 }, { "rest()", 20 } }, has_no_text) } }, "text")
      end
      assert.matches("a.lua:1 .*if quick then", rendered(false))
      assert.is_nil(rendered(false):find("work()", 1, true))
      local by_number = rendered(true)
      assert.matches("a.lua:1 +5 +30 ", by_number)
      assert.matches("a.lua:2 +30 +20 ", by_number)
    end)

  it("have no shares of what there is none of", function()
    for _, format in ipairs { "text", "html", "markdown" } do
      local one = made(nil, { { "work()", 30 }, { "rest()", 0 } }) -- no bytes
      local page = tare.render({ results = { one } }, format)
      assert.is_nil(page:find "%f[%w]nan%f[^%w]", format)
      one.profile.instructions = 0 -- compiled code, whose lines say nothing
      one.profile.lines[1].instructions = 0
      page = tare.render({ results = { one } }, format)
      assert.is_nil(page:find "%f[%w]nan%f[^%w]", format)
    end
  end)

  it("have the collector's time of a line by its bytes", function()
    local one = made(nil, { { "work()", 30 }, { "rest()", 70 } })
    one.profile.bytes, one.profile.lines[1].bytes = 8, 8
    one.time, one.collector, one.bytes = { value = 100 }, { value = 20 },
      { value = 40 } -- of the run, which the profile need not match
    local cells = {}
    for _, section in ipairs(profiles.sections { results = { one } }) do
      for i, column in ipairs(section.table and section.table.columns or {}) do
        if column.key == "gc" then
          for _, row in ipairs(section.table.rows) do
            cells[row.cells[1].text] = row.cells[i]
          end
        end
      end
    end
    assert.equal("4.00 ns", cells["a.lua:1"].text)
    assert.equal(4, cells["a.lua:1"].value)
    assert.equal("-", cells["a.lua:2"].text)
    assert.is_nil(cells["a.lua:2"].value)
  end)

  it("have the lines that cost most, by instructions or by bytes", function()
    local function hottest(instructions, bytes)
      local lines, list = {}, {}
      local shares = { { 0, 0.5 }, { 0.7, 0 }, { 0.3, 0.5 }, { 0, 0 } }
      for i, share in ipairs(shares) do
        lines[i] = { source = "a.lua", line = i,
          instructions = instructions * share[1], bytes = bytes * share[2] }
      end
      for i, line in ipairs(profiles.hottest({ instructions = instructions,
        bytes = bytes, lines = lines }, 2)) do
        list[i] = line.line
      end
      return table.concat(list, " ")
    end
    assert.equal("2 1", hottest(100, 50))
    assert.equal("2 3", hottest(100, 0))
    assert.equal("1 3", hottest(0, 50)) -- compiled code has no instructions
    assert.equal("", hottest(0, 0))
  end)

  it("have in red what a line does more, and in green what less", function()
    local text = tare.render({ results = {
      made(nil, { { "slower()", 30 }, { "quicker()", 20 } }),
      made("HEAD", { { "slower()", 5 }, { "quicker()", 40 } }) } }, "text",
      { color = true })
    assert.matches("a.lua:1 +5 +\27%[31m30\27", text)
    assert.matches("a.lua:2 +40 +\27%[32m20\27", text)
  end)

  it("list a page's sources line by line, with dots where some are left out",
    function()
      local one = made(nil, { { "first()", 30 }, { "second()", 20 } })
      local sources = one.profile.sources
      sources[2] = { source = "b.lua", from = 7, text = { "other()" } }
      sources[3] = { source = "a.lua", from = 3, text = { "third()" } }
      sources[4] = { source = "a.lua", from = 5, text = { "<fifth>", "end" } }
      local page = tare.render({ results = { one } }, "html")
      local found = {}
      for file, listing in page:gmatch("<summary>([%w.]+), line by line"
        .. "</summary>(.-)</table>") do
        for row in listing:match "<tbody>(.*)</tbody>":gmatch "<tr.-</tr>" do
          local at, code = row:match '"n at">(%d+)<.*"code">(.*)</td>'
          found[#found + 1] = file .. ":" .. (at or row:match ">(%.%.%.)<")
            .. (code and " " .. code or "")
        end
      end
      assert.same({ "a.lua:1 first()", "a.lua:2 second()", "a.lua:3 third()",
        "a.lua:...", "a.lua:5 &lt;fifth&gt;", "a.lua:6 end",
        "b.lua:7 other()" }, found)
    end)

  it("are matched line by line, though texts occur twice", function()
    local text = tare.render({ results = {
      made(nil, { { "if quick then", 5 }, { "return", 4 }, { "end", 1 },
        { "while more do", 20 }, { "work()", 30 }, { "end", 10 },
        { "moved()", 3 } }),
      made("HEAD", { { "moved()", 3 }, { "while more do", 20 },
        { "work()", 30 }, { "end", 10 } }) } }, "text")
    assert.matches("a.lua:1 .*if quick then", text)
    assert.matches("a.lua:2 .*return", text)
    assert.matches("a.lua:3 +%- +1 ", text)
    assert.is_nil(text:find("a.lua:6", 1, true))
    assert.is_nil(text:find("moved()", 1, true))
  end)

  it("are a flame graph in colours of three strengths, for more and less",
    function()
      local flame = require("tare.report.html.profile").flame
      local few, many = result(nil, 5).profile, result("HEAD", 500).profile
      local function colour(new, old)
        return flame(new, "instructions", old):match 'class="frame (%w+)"'
      end
      assert.equal("more3", colour(many, few))
      assert.equal("less3", colour(few, many))
      assert.equal("same", colour(few, few))
      assert.equal("more1", colour(result("HEAD", 102).profile,
        result(nil, 100).profile))
    end)

  it("are flame graphs that name each amount with its unit", function()
    local page = require("tare.report.html.profile")
    local function drawn(weight, profile, old)
      return page.flame(profile, weight, old):match "<title>all: (.-)</title>"
    end
    local one = tare.profile(function() return { 1, 2, 3, { 4 } } end)
    local old = tare.profile(function() return { 1, { 2 } } end)
    local function per_call(profile, weight, unit)
      return ("%d %s per call"):format(profile[weight], unit)
    end
    for weight, unit in pairs { bytes = "B", allocs = "allocations",
      instructions = "instructions" } do
      if one[weight] > 0 then -- LuaJIT's compiled code has no instructions
        local now = per_call(one, weight, unit)
        assert.equal(now .. ", 100%", drawn(weight, one))
        assert.equal(("%s, 100%%; before: %s"):format(now,
          (per_call(old, weight, unit):gsub(" per call", ""))),
          drawn(weight, one, old))
      end
    end
  end)

  it("are one tree, of functions that are known by their names and the text of "
    .. "their first lines, wherever these are", function()
    -- Functions { name, line, amount, callee? }, in a file of such lines.
    local function profile_of(lines, functions)
      local profile = { frames = {}, stacks = {}, lines = {},
        sources = { { source = "a.lua", from = 1, text = lines } } }
      for i, one in ipairs(functions) do
        profile.frames[i] = { source = one[2] and "a.lua",
          name = one[2] and ("%s (a.lua:%d)"):format(one[1], one[2])
            or one[1] }
        profile.stacks[i] = { frames = one[4] and { one[4], i } or { i },
          bytes = one[3] }
      end
      return profile
    end
    local old = profile_of({ "return function()", "return function()",
      "local function h()" }, { { "f", 1, 10 }, { "g", 2, 20 },
      { "h", 3, 0 }, { "rep", nil, 5, 2 } })
    local new = profile_of({ "", "return function()", "return function()",
      "local function h(n)" }, { { "f", 2, 11 }, { "g", 3, 22 },
      { "h", 4, 1 }, { "rep", nil, 7, 2 } })
    local function seen(node, depth, list)
      list[#list + 1] = ("%s%s %d %d"):format(depth, node.name, node.value,
        node.old)
      for _, child in ipairs(node.children) do
        seen(child, depth .. " ", list)
      end
      return list
    end
    local flame = require "tare.report.flame"
    assert.same({ "all 41 35", " f (a.lua:2) 11 10", " g (a.lua:3) 29 25",
      "  rep 7 5", " h (a.lua:4) 1 0" },
      seen(flame.tree(new, "bytes", old), "", {}))
    assert.same({ "all 35 0", " f (a.lua:1) 10 0", " g (a.lua:2) 25 0",
      "  rep 5 0" }, seen(flame.tree(old, "bytes"), "", {}))
  end)

  it("are said to be the same where they are", function()
    local text = tare.render({ results = { result(nil, 5),
      result("HEAD", 5) } }, "text")
    assert.truthy(text:find("Every line does what it did", 1, true))
  end)
end)

describe("the stacks of a profile", function()
  it("have a stack before those that go on from it, in recursion, too",
    function()
      local callees = { { source = "a.lua", name = "f", line = 1, calls = 9 } }
      -- Each place but the root is a line of f, called from its parent.
      local places = { { calls = 0 } }
      for i = 2, 6 do places[i] = { callee = 1, line = 1, calls = 1 } end
      for i, parent in ipairs { 3, 5, 1, 6, 4 } do
        places[i + 1].parent = parent
      end
      for _, place in ipairs(places) do
        for _, name in ipairs { "instructions", "allocs", "bytes",
          "freed_bytes" } do
          place[name] = 1
        end
      end
      local depths = {}
      local made = profiler.made({ callees = callees, places = places }, 1)
      for i, stack in ipairs(made.stacks) do depths[i] = #stack.frames end
      assert.same({ 0, 1, 2, 3, 4, 5 }, depths)
      assert.same({ { source = "a.lua", name = "f (a.lua:1)", line = 1 } },
        made.frames)
    end)

  it("are one where the same function is called as two values, with the sum",
    function()
      local raw = { callees = { { source = "a.lua", name = "f", line = 1,
        calls = 2 }, { name = "rep", is_c = true, calls = 2 },
        { name = "rep", is_c = true, calls = 6 } },
        places = { {}, { parent = 1, callee = 1, line = 1 },
          { parent = 2, callee = 2, line = 0, calls = 2, ns = 300 },
          { parent = 2, callee = 3, line = 0, calls = 6, ns = 500 } } }
      for _, place in ipairs(raw.places) do
        place.calls = place.calls or 0
        for _, name in ipairs { "instructions", "allocs", "bytes",
          "freed_bytes" } do
          place[name] = 4
        end
      end
      local stacks = profiler.made(raw, 2).stacks
      local last = stacks[#stacks]
      assert.equal(3, #stacks)
      assert.same({ 4, 400, 4 }, { last.calls, last.ns, last.bytes })
    end)
end)

describe("the time of a profile", function()
  local frames = { { name = "f", source = "a.lua", line = 1 },
    { name = "f", source = "a.lua", line = 2 }, { name = "string.rep" } }
  local function stack(path, instructions, bytes, ns)
    return { frames = path, calls = 1, instructions = instructions,
      allocs = 0, bytes = bytes, freed_bytes = 0, ns = ns }
  end
  local function result_of(time, in_c)
    return { time = { value = time }, collector = { value = 20 },
      bytes = { value = 10 }, profile = { calls = 1, instructions = 25,
        bytes = 10, frames = frames, lines = {}, stacks = {
          stack({ 1 }, 5, 10), stack({ 2 }, 20, 0),
          stack({ 2, 3 }, 0, 0, in_c) } } }
  end

  it("is the collector's by bytes, C's as timed, the rest by instructions",
    function()
      -- 50 ns are left for 25 instructions
      local timed = profiles.timed(result_of(100, 30))
      assert.near(20 + 10, timed.stacks[1].time, 1e-9)
      assert.near(40, timed.stacks[2].time, 1e-9)
      assert.near(30, timed.stacks[3].time, 1e-9)
      assert.near(70, timed.lines["a.lua\0002"], 1e-9) -- with what it calls
    end)

  it("has the collector's of a call that makes less than a byte", function()
    local result = result_of(100, 30)
    result.collector.value, result.bytes.value = 2, 0.5
    assert.equal(4, profiles.byte_ns(result))
    result.bytes.value = 0
    assert.is_nil(profiles.byte_ns(result))
  end)

  it("sums to the time where C functions seemed to take longer", function()
    local timed = profiles.timed(result_of(100, 500))
    assert.near(100, sum(timed, "stacks", "time"), 1e-9)
    assert.is_true(timed.stacks[2].time > 0)
  end)

  it("is not known of compiled code", function()
    local result = result_of(100, 30)
    result.profile.interpreted = true
    assert.is_nil(profiles.timed(result))
  end)
end)
