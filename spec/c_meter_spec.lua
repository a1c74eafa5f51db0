local command = require "spec.support.command"
local core = require "tare.core"

local function manual(tick_ns)
  return core.meter { manual_tick_ns = tick_ns or 1, watch = true }
end

-- A loop whose every call moves the meter's clock by so much.
local function ticking(meter, call_ns)
  return function(n) meter:advance(n * call_ns) end
end

describe("the timed batch", function()
  it("keeps calls and elapsed time, and when it began", function()
    local meter, samples = manual(), core.samples(4)
    meter:advance(50)
    assert.is_true(meter:time(samples, ticking(meter, 7), 10))
    assert.equal(10, samples:get(1, "iters"))
    assert.equal(70, samples:get(1, "wall_ns"))
    assert.equal(50, samples:get(1, "start_ns"))
  end)

  it("sees a coarse clock as coarse", function()
    local meter, samples = manual(1000), core.samples(4)
    meter:time(samples, ticking(meter, 999), 1)
    meter:time(samples, ticking(meter, 1), 1)
    assert.equal(0, samples:get(1, "wall_ns"))
    assert.equal(1000, samples:get(2, "wall_ns"))
    assert.equal(1000, meter:resolution())
  end)

  it("calls the function from C with its arguments", function()
    local meter, samples = manual(), core.samples(4)
    local seen = {}
    local ok = meter:time_calls(samples, function(a, b)
      seen[#seen + 1] = a .. b
    end, 3, "x", "y")
    assert.is_true(ok)
    assert.same({ "xy", "xy", "xy" }, seen)
    assert.equal(3, samples:get(1, "iters"))
  end)

  it("hands an error back as it was raised and keeps no row", function()
    local meter, samples = manual(), core.samples(4)
    for _ = 1, 64 do -- at each place of its frames, see below
      local raised = {}
      local ok, value = meter:time(samples, function() error(raised) end, 1)
      assert.is_nil(ok)
      assert.equal(raised, value)
    end
    assert.equal(0, #samples)
  end)

  if _VERSION ~= "Lua 5.1" then
    -- The most values that still fit the stack: fewer by what is in use.
    local function room()
      local least, most = 0, 2 ^ 21
      while most - least > 1 do
        local n = math.floor((least + most) / 2)
        if pcall(table.unpack, {}, 1, n) then least = n else most = n end
      end
      return least
    end

    it("has its frames at one of 16 places, drawn anew for each", function()
      local meter, samples = manual(), core.samples(64)
      local places, count, least, most = {}, 0, math.huge, 0
      for _ = 1, 24 do
        local found
        assert(meter:time(samples, function() found = room() end, 1))
        if not places[found] then places[found], count = true, count + 1 end
        least, most = math.min(least, found), math.max(most, found)
      end
      assert.is_true(count > 6)
      assert.is_true(most - least <= 16)
      collectgarbage() -- the stack shrinks again
    end)
  end

  it("refuses a yield across the batch", function()
    local meter, samples = manual(), core.samples(4)
    local thread = coroutine.wrap(function()
      return meter:time(samples, function() coroutine.yield() end, 1)
    end)
    local ok, message = thread()
    assert.is_nil(ok)
    assert.truthy(message:find("yield"))
  end)

  it("counts the collections that end in the batch, and only those", function()
    local meter, samples = manual(), core.samples(4)
    collectgarbage()
    meter:time(samples, function() collectgarbage() collectgarbage() end, 1)
    collectgarbage()
    meter:time(samples, function() end, 1)
    assert.equal(2, samples:get(1, "gc_major") + samples:get(1, "gc_minor"))
    assert.equal(0, samples:get(2, "gc_major") + samples:get(2, "gc_minor"))
  end)

  it("allocates nothing between the readings", function()
    local meter, samples = manual(), core.samples(10)
    local count, least = nil, math.huge
    for _ = 1, 5 do -- LuaJIT may happen to compile something in one of them
      meter:time(samples, function() count = collectgarbage "count" end, 1)
      least = math.min(least, math.abs(samples:get(-1, "growth_bytes")))
    end
    assert.equal(0, least)
    assert.is_number(count)
  end)

  it("passes whole numbers up to 2^53 as they are", function()
    local meter, samples = manual(), core.samples(4)
    local seen
    meter:time(samples, function(n) seen = n end, 2^53)
    assert.equal(2^53, seen)
    assert.has_error(function() meter:time(samples, print, 2^53 * 2) end)
    assert.has_error(function() meter:time(samples, print, 0) end)
  end)
end)

describe("a batch that sets a hook", function()
  it("takes it with it, whatever the outcome", function()
    local meter, samples = core.meter(), core.samples(4)
    for _, raise in ipairs { false, true } do
      local calls = 0
      meter:time(samples, function()
        debug.sethook(function() calls = calls + 1 end, "c")
        assert(not raise)
      end, 1)
      local within = calls
      for _ = 1, 10 do tostring(within) end
      assert.equal(within, calls)
      debug.sethook()
    end
  end)
end)

describe("a limit of what a batch allocates", function()
  local meter, samples
  before_each(function() meter, samples = core.meter(), core.samples(4) end)

  -- LuaJIT may crash where its compiler finds no memory (docs/reliability.md).
  local jit = rawget(_G, "jit")
  setup(function() if jit then jit.off() jit.flush() end end)
  teardown(function() if jit then jit.on() end end)

  -- What a table takes that grew to so many items.
  local function filled(n)
    local t = {}
    for i = 1, n do t[i] = i end
    return t
  end
  local function bytes_of(f)
    collectgarbage()
    local before, kept = collectgarbage "count", f()
    collectgarbage()
    return (collectgarbage "count" - before) * 1024, kept
  end
  local function within(bytes, f)
    meter:limit(bytes)
    collectgarbage "stop"
    local ok = meter:time(samples, f, 1)
    collectgarbage "restart"
    assert.equal(not ok, meter:reached_limit())
    return ok
  end

  -- 5.5 makes an array anew beside the one that it takes the place of.
  local MOVED = _VERSION >= "Lua 5.5" and 1.5 or 1

  it("counts by how much a block grows, not how large it is", function()
    local function fill() return filled(2^16) end
    local bytes = bytes_of(fill)
    assert.is_true(within(1.3 * MOVED * bytes, fill))
    assert.is_nil(within(0.9 * MOVED * bytes, fill))
  end)

  it("gets back what a block shrinks by, and no more", function()
    local bytes = bytes_of(function() return filled(2^14) end)
    local function shrink()
      local t = filled(2^14)
      for i = 2^12 + 1, 2^14 do t[i] = nil end
      t[2^14 + 1] = 1 -- the table is made anew, a quarter as large
      return t
    end
    local function shrink_often()
      local kept = {}
      for i = 1, 30 do kept[i] = shrink() end
      return kept
    end
    assert.is_true(within(2 * bytes, shrink))
    assert.is_nil(within(4 * bytes, shrink_often))
    assert.is_true(within(15 * bytes, shrink_often))
  end)

  it("counts anew in each batch", function()
    local function fill() return filled(2^14) end
    local bytes = bytes_of(fill)
    for _ = 1, 5 do assert.is_true(within(1.5 * MOVED * bytes, fill)) end
  end)

  it("is shared by batches within batches of the same meter", function()
    local inner
    assert.is_true(within(1e6, function()
      inner = meter:time(samples, function() filled(2^8) end, 1)
    end))
    assert.is_true(inner)
    assert.is_nil(within(1e4, function()
      assert(meter:time(samples, function() filled(2^14) end, 1))
    end))
    assert.is_true(meter:reached_limit())
    assert.is_true(#filled(2^14) == 2^14)
  end)

  it("is around a census or within one", function()
    local census
    assert.is_true(within(1e6, function()
      census = core.census(function() return {} end, 3)
    end))
    assert.equal(3, census.allocs)
    census = core.census(function()
      return within(1e6, function() return {} end)
    end, 1)
    assert.is_true(census.allocs >= 1)
    assert.equal(2, core.census(function() return {} end, 2).allocs)
  end)

  -- A process that crashes or hangs has another exit code.
  it("does not outlive a state that is closed within a batch", function()
    if _VERSION == "Lua 5.1" and not rawget(_G, "jit") then return end
    for _, script in ipairs {
      "m:time(s, function() core.census(leave, 1) end, 1)",
      "core.census(function() m:time(s, leave, 1) end, 1)",
      "m:time(s, function() n:time(s, function() m:time(s, function() "
        .. "core.census(leave, 1) end, 1) end, 1) end, 1)",
    } do
      local code, _, err = command.shell(("ulimit -t 20; %s -e '%s%s'"):format(
        os.getenv "TARE_LUA" or "lua5.4", [[
          local core = require "tare.core"
          local m, n, s = core.meter(), core.meter(), core.samples(8)
          local function leave() os.exit(7, true) end
          m:limit(1e6) n:limit(1e6) ]], script))
      assert.equal(7, code, err)
    end
  end)

  it("is no limit any more once it is taken away", function()
    assert.is_nil(within(1e4, function() return filled(2^14) end))
    meter:limit()
    assert.is_true(meter:time(samples, function() filled(2^14) end, 1))
  end)
end)

describe("a meter of the machine's clock", function()
  it("never runs backwards", function()
    local meter = core.meter()
    local last = meter:now()
    for _ = 1, 1000 do
      local now = meter:now()
      assert.is_true(now >= last)
      last = now
    end
  end)

  it("records CPU time and core cycles where asked", function()
    local meter = core.meter { cpu = true, chain_steps = 4096 }
    local samples = core.samples(4)
    meter:time(samples, function(n) for _ = 1, n do end end, 1000)
    assert.is_true(samples:get(1, "cpu_ns") >= 0)
    if not command.lacks_shell then -- Windows does not count them
      assert.is_true(samples:get(1, "preemptions") >= 0)
      assert.is_true(samples:get(1, "waits") >= 0)
    end
    assert.is_true(samples:get(1, "cycle_ns") > 0)
    assert.near_relative(samples:get(1, "wall_ns"),
      samples:get(1, "cycles") * samples:get(1, "cycle_ns"), 1e-12)
    assert.is_true(samples:get(1, "width") > 0)
  end)

  -- What the system itself says of this process, where it has such a file.
  local function switches()
    local file = io.open "/proc/self/status"
    if not file then return nil end
    local text = file:read "*a"
    file:close()
    return tonumber(text:match "\nvoluntary_ctxt_switches:%s*(%d+)"),
      tonumber(text:match "nonvoluntary_ctxt_switches:%s*(%d+)")
  end

  it("records no more CPU time, preemptions and waits than the process had",
    function()
      local meter, samples = core.meter { cpu = true }, core.samples(4)
      if command.lacks_shell or not switches() then return end
      os.execute "true" -- there have been waits before
      local waits, preemptions = switches()
      local cpu_s = os.clock()
      meter:time(samples, function(n)
        for _ = 1, n do os.execute "true" end
      end, 3)
      cpu_s = os.clock() - cpu_s
      local waits_after, preemptions_after = switches()
      local row = samples:row(1)
      assert.is_true(row.waits > 0)
      assert.is_true(row.waits <= waits_after - waits)
      assert.is_true(row.preemptions >= 0)
      assert.is_true(row.preemptions <= preemptions_after - preemptions)
      assert.is_true(row.cpu_ns > 0)
      assert.is_true(row.cpu_ns <= 1e9 * cpu_s + 2e3) -- os.clock has us
    end)

  it("looks for stolen time after batches that are four times as long",
    function()
      local samples = core.samples(4)
      for i, look_ns in ipairs { 1e4, 1e9 } do
        local meter = core.meter { chain_steps = 4096, stolen_ns = look_ns }
        meter:time(samples, function()
          local from_ns = meter:now()
          repeat local ns = meter:now() - from_ns until ns > 4e4
        end, 1)
        assert.equal(i, #samples)
      end
      local share = samples:get(1, "stolen")
      assert.is_true(share >= 0 and share < 1, share)
      assert.is_nil(samples:row(2).stolen)
    end)

  it("looks for stolen time in a limited number of parts, however long a look "
    .. "may be", function()
      local meter = core.meter { chain_steps = 4096, stolen_ns = 1e7 }
      local samples = core.samples(2)
      meter:time(samples, function()
        local from_ns = meter:now()
        repeat until meter:now() - from_ns > 4e7
      end, 1)
      local share = samples:get(1, "stolen")
      assert.is_true(share >= 0 and share < 1, share)
    end)

  it("clears the predictor without a trace in its clock, its rows and the heap",
    function()
      local meter, samples = core.meter { manual_tick_ns = 1 }, core.samples(2)
      collectgarbage()
      collectgarbage "stop"
      local least_kb = math.huge -- LuaJIT's compiler allocates now and then
      for _ = 1, 10 do
        local before_kb = collectgarbage "count"
        meter:clear_predictor()
        least_kb = math.min(least_kb, collectgarbage "count" - before_kb)
      end
      collectgarbage "restart"
      assert.equal(0, least_kb)
      assert.equal(0, meter:now())
      meter:time(samples, function()
        meter:clear_predictor()
        meter:advance(5)
      end, 1)
      assert.equal(5, samples:get(1, "wall_ns"))
    end)

  it("cannot be advanced by hand", function()
    assert.has_error(function() core.meter():advance(1) end)
  end)

  it("refuses a chain of a length that makes no sense", function()
    assert.is_truthy(core.meter { chain_steps = 0 }) -- as without one
    for _, wrong in ipairs { -1, 0.5, 1e10, 0/0, "x" } do
      assert.has_error(function() core.meter { chain_steps = wrong } end,
        "tare.meter: 'chain_steps' must be 0 or in [1, 1e9]")
    end
  end)
end)
