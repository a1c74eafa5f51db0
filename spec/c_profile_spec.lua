local core = require "tare.core"
local profiled = require "spec.support.profiled"

local CALLS = 16

local unpack = require("tare.base.compat").unpack
local jit = rawget(_G, "jit")

-- What so many calls count, with the collector waiting.
local function with_still_collector(take)
  collectgarbage()
  collectgarbage()
  collectgarbage "stop"
  local ok, value = pcall(take)
  collectgarbage "restart"
  assert(ok, value)
  return value
end

local function profile_of(f, calls, warmup, ...)
  local arguments = { n = select("#", ...), ... }
  return with_still_collector(function()
    return assert(core.profile(f, calls or CALLS, warmup or CALLS, {},
      unpack(arguments, 1, arguments.n)))
  end)
end

-- A census of calls, after as many that don't count.
local function census_of(f)
  return with_still_collector(function()
    assert(core.census(f, CALLS))
    return assert(core.census(f, CALLS))
  end)
end

local function sum(profile, name)
  local total = 0
  for _, place in ipairs(profile.places) do total = total + place[name] end
  return total
end

-- Blocks by line of Lua.
local function blocks_by_line(profile)
  local lines = {}
  for _, place in ipairs(profile.places) do
    local at = place
    while at.parent and profile.callees[at.callee].is_c do
      at = profile.places[at.parent]
    end
    local callee = at.parent and profile.callees[at.callee]
    if callee and callee.source == "made program" then
      lines[at.line] = (lines[at.line] or 0) + place.allocs
    elseif place.allocs > 0 then
      lines.outside = (lines.outside or 0) + place.allocs
    end
  end
  return lines
end

describe("a profile", function()
  setup(function() if jit then jit.off() jit.flush() end end)
  teardown(function() if jit then jit.on() end end)

  for _, name in ipairs(profiled.names()) do
    describe("of " .. name, function()
      it("has every instruction", function()
        local profile = profile_of(profiled.program(name))
        assert.equal(assert(core.instructions(profiled.program(name), CALLS)),
          sum(profile, "instructions"))
      end)

      it("has every block and byte of a census", function()
        local census = census_of(profiled.program(name))
        local profile = profile_of(profiled.program(name))
        assert.equal(census.allocs, sum(profile, "allocs"))
        -- The table of all strings grows when it is full, in one of both.
        if sum(profile, "bytes") ~= census.bytes then
          census = census_of(profiled.program(name))
          profile = profile_of(profiled.program(name))
        end
        assert.equal(census.bytes, sum(profile, "bytes"))
      end)

      it("has the blocks at the lines that make them", function()
        local expected = profiled.expected(name)
        local lines = blocks_by_line(profile_of(profiled.program(name)))
        for line, count in pairs(expected) do
          if count == "any" then
            assert.truthy((lines[line] or 0) > 0, "line " .. line)
          elseif count ~= "maybe" then
            assert.equal(count * CALLS, lines[line], "line " .. line)
          end
        end
        for line, count in pairs(lines) do
          if count > 0 and line ~= "outside" and not expected[line] then
            assert.equal(0, count, name .. ", line " .. line)
          end
        end
      end)

      it("is the same again", function()
        assert.same(blocks_by_line(profile_of(profiled.program(name))),
          blocks_by_line(profile_of(profiled.program(name))))
      end)
    end)
  end

  it("has what is freed, or made smaller, as a census has", function()
    local load_text = require("tare.base.compat").load_text
    local function compile() -- which makes room that it gives back in part
      return assert(load_text("local a, b = ... return a, b", "=compiled"))
    end
    local census = census_of(compile)
    assert.is_true(census.freed_bytes > 0)
    assert.equal(census.freed_bytes, sum(profile_of(compile), "freed_bytes"))
  end)

  it("names functions as it is told, and else as they are called", function()
    local function known() return nil end
    local profile = core.profile(function()
      local called = known
      called()
      return (string.rep("x", 2))
    end, 1, 0, { [string.rep] = "string.rep" })
    local names = {}
    for _, callee in ipairs(profile.callees) do
      names[callee.name or "none"] = callee.calls
    end
    assert.equal(1, names["string.rep"])
    assert.equal(1, names.called)
  end)

  -- 5.1 knows no name of a metamethod, and 5.4 leaves out its "__".
  it("names metamethods as metatables do, and what has their name alone",
    function()
      local function __plain() return nil end
      local function index() return nil end
      local meta = {
        __index = function() return nil end,
        __newindex = function() return nil end,
        __add = function() return nil end,
        __unm = function() return nil end,
        __concat = function() return nil end,
        __eq = function() return nil end,
        __lt = function() return nil end,
      }
      local at = {}
      for event, f in pairs(meta) do
        at[debug.getinfo(f, "S").linedefined] = event
      end
      at[debug.getinfo(__plain, "S").linedefined] = "__plain"
      at[debug.getinfo(index, "S").linedefined] = "index"
      local expected, names = {}, {}
      for _, event in pairs(at) do
        local is_named = _VERSION ~= "Lua 5.1" or jit or not meta[event]
        expected[event] = is_named and event or "none"
      end
      local a, b = setmetatable({}, meta), setmetatable({}, meta)
      local profile = profile_of(function()
        a.x = 1
        local _ = { a.x, a + b, -a, a .. b, a == b, a < b }
        __plain()
        index()
      end, 1, 0)
      for _, callee in ipairs(profile.callees) do
        local event = at[callee.line]
        if event then names[event] = callee.name or "none" end
      end
      assert.same(expected, names)
    end)

  it("counts the calls of functions that others end with as theirs", function()
    local function last() return nil end
    local function middle() return last() end
    local function first() return middle() end
    local profile, calls = profile_of(function() first() end, 3, 0), {}
    local lines = {}
    for name, f in pairs { first = first, middle = middle, last = last } do
      lines[debug.getinfo(f, "S").linedefined] = name
    end
    for _, callee in ipairs(profile.callees) do
      calls[lines[callee.line] or "other"] = callee.calls
    end
    calls.other = nil
    assert.same({ first = 3, middle = 3, last = 3 }, calls)
  end)

  it("has functions that others end with where those were called", function()
    local kept
    local function last(a) kept = { a } return kept end
    local function middle(...) return last(...) end
    local function first(a) return middle(a, 2) end
    local function outer() kept = first(1) end
    local at = {}
    for name, f in pairs { first = first, middle = middle, last = last,
      outer = outer } do at[debug.getinfo(f, "S").linedefined] = name end
    local profile, above, calls = profile_of(outer, 3, 0), {}, {}
    for _, place in ipairs(profile.places) do
      local parent = profile.places[place.parent]
      local callee = parent and profile.callees[place.callee]
      local name = callee and at[callee.line]
      if name then
        local caller = profile.callees[parent.callee]
        above[name] = parent.parent and at[caller.line] or "none"
        calls[name] = (calls[name] or 0) + place.calls
      end
    end
    assert.same({ outer = "none", first = "outer", middle = "outer",
      last = "outer" }, above)
    assert.same({ outer = 3, first = 3, middle = 3, last = 3 }, calls)
  end)

  it("passes arguments on, and calls as often as it is asked", function()
    local calls, last = 0, nil
    profile_of(function(a, b) calls, last = calls + 1, a + b end, 5, 2, 3, 4)
    assert.equal(7, calls)
    assert.equal(7, last)
  end)

  it("says what the function raised, and ends", function()
    local profile, message = core.profile(function() error("broken", 0) end, 1,
      0, {})
    assert.is_nil(profile)
    assert.equal("broken", message)
    assert.is_nil((debug.gethook()))
  end)

  it("makes as many calls before those that it counts as were asked for",
    function()
      for warmup = 0, 2 do
        local calls = 0
        assert(core.profile(function() calls = calls + 1 end, 3, warmup, {}))
        assert.equal(warmup + 3, calls)
      end
    end)

  it("puts back the hook that it found", function()
    local function hook() return nil end
    debug.sethook(hook, "", 1e6)
    assert(core.profile(function() end, 1, 0, {}))
    local found = debug.gethook()
    debug.sethook()
    assert.equal(hook, found)
  end)

  it("counts up to where the function takes the hook away", function()
    local function selfish()
      debug.sethook()
      return {}
    end
    local profile = profile_of(selfish, 3, 3)
    assert.equal(assert(core.instructions(selfish, 3)),
      sum(profile, "instructions"))
    assert.equal(3, sum(profile, "allocs"))
  end)

  it("follows coroutines that others resume, and errors in them", function()
    local function work()
      local co = coroutine.create(function()
        for i = 1, 4 do coroutine.yield({ i }) end
        error({})
      end)
      local function once() coroutine.resume(co) end
      local function again() coroutine.resume(co) end
      for _ = 1, 3 do once() again() end
    end
    local profile = profile_of(work)
    assert.equal(assert(core.instructions(work, CALLS)),
      sum(profile, "instructions"))
    local stacks = {}
    for _, place in ipairs(profile.places) do
      local names, at = {}, place
      while at.parent do
        table.insert(names, 1, profile.callees[at.callee].name or "f")
        at = profile.places[at.parent]
      end
      stacks[table.concat(names, ";")] = true
    end
    assert.truthy(stacks["f;once;resume;f"])
    assert.truthy(stacks["f;again;resume;f"])
  end)

  it("has all that a coroutine calls below the one that resumes it", function()
    local function work()
      local co = coroutine.wrap(function()
        local function inner()
          for i = 1, 8 do coroutine.yield({ i }) end
        end
        local function middle() inner() return 1 end
        middle()
      end)
      local function once() co() return 1 end
      local function again() co() return 1 end
      for _ = 1, 4 do once() again() end
    end
    local profile, allocs = profile_of(work), 0
    for _, place in ipairs(profile.places) do
      local at, below = place, {}
      while at.parent do
        below[profile.callees[at.callee].name or "?"] = true
        at = profile.places[at.parent]
      end
      if below.inner and below.again then allocs = allocs + place.allocs end
    end
    -- its tables; on LuaJIT they are one block each, else their list is another
    assert.equal((jit and 1 or 2) * 4 * CALLS, allocs)
  end)

  it("is no part of the heap", function()
    local function many(n)
      if n > 0 then many(n - 1) end
      return n
    end
    local profile = profile_of(many, 2, 2, 100)
    assert.equal(0, sum(profile, "allocs"))
    assert.truthy(#profile.places > 100)
  end)

  it("keeps a deep recursion at a depth that can be shown", function()
    local function deep(n) return n == 0 and 0 or 1 + deep(n - 1) end
    local profile = profile_of(deep, 1, 1, 5000)
    assert.truthy(#profile.places < 1000)
    assert.equal(assert(core.instructions(deep, 1, 5000)),
      sum(profile, "instructions"))
  end)

  it("times C functions, not what they call back", function()
    local text = (" "):rep(1e5) .. "x" -- a search of more than a clock's doubt
    local found = 0
    local profile = profile_of(function()
      text:gsub("x", function()
        for _ = 1, 200 do found = found + 1 end
      end)
    end)
    local timed = 0
    for _, callee in ipairs(profile.callees) do
      if callee.is_c and callee.name == "gsub" then
        timed = timed + 1
        assert.truthy(callee.ns > 0)
      end
      if not callee.is_c then assert.is_nil(callee.ns) end
    end
    assert.equal(1, timed)
  end)

  it("refuses what is no function, count or table of names", function()
    local function f() return nil end
    assert.error(function() core.profile(1, 1, 0, {}) end)
    assert.error(function() core.profile(f, 0, 0, {}) end)
    assert.error(function() core.profile(f, 1, -1, {}) end)
    assert.error(function() core.profile(f, 1, 0) end)
  end)
end)
