-- The collector's part of frames and scopes, whose steps tare runs and times.
local command = require "spec.support.command"
local core = require "tare.core"
local summaries = require "tare.analysis.frames"
local capture = require "tare.store.capture"
local kept = require "spec.support.kept"
local tare = require "tare"

local refused = select(2, tare.frames { gc = "paced" })

describe("paced frames", function()
  it("are refused where the collector can only be stopped, and what is wrong",
    function()
      local only_stops = _VERSION == "Lua 5.1" and not rawget(_G, "jit")
        or _VERSION == "Lua 5.2" or _VERSION == "Lua 5.5"
      assert.equal(only_stops and "tare.frames: gc: this Lua's collector can't "
        .. "be paced in frames: held, it would be stopped, and the heap would "
        .. "have no limit (Lua 5.3, 5.4 and LuaJIT can)" or nil, refused)
      assert.has_error(function() tare.frames { gc = "fast" } end,
        "tare.frames: 'gc' must be 'natural' or 'paced', got fast")
      assert.has_error(function()
        tare.frames(function() end, { gc = "paced" })
      end, "tare.frames: 'gc' is of a recorder: with a function the collector "
        .. "is each policy's")
    end)

  if refused then return end

  after_each(kept.remove)

  -- Makes garbage whose finalizer is called by the collector.
  local function maker(fn)
    local newproxy = rawget(_G, "newproxy")
    if not newproxy then
      local meta = { __gc = fn }
      return function() return setmetatable({}, meta) end
    end
    local first = newproxy(true)
    getmetatable(first).__gc = fn
    return function() return newproxy(first) end
  end

  -- A recorder on a clock moved by hand. The collector takes 1 ms for each
  -- finalizer that it calls: 'said' counts those that were called in frames.
  local function made_up(given)
    given.gc, given.meter = "paced", core.meter { manual_tick_ns = 1 }
    given.frames = 4000
    local recorder, said = tare.frames(given), { called = 0 }
    said.garbage = maker(function()
      if not said.is_open then return end
      given.meter:advance(1e6)
      said.called = said.called + 1
    end)
    return recorder, said, given.meter
  end

  local function is_running() return core.gc_state().running ~= false end

  -- Garbage of about so many kilobytes. No string is there already.
  local serial, LETTERS = 0, ("x"):rep(1000)
  local function allocate(kb)
    local text
    for _ = 1, kb do
      serial = serial + 1
      text = LETTERS .. serial
    end
    return text
  end

  before_each(function()
    if _VERSION >= "Lua 5.4" then collectgarbage "incremental" end
    collectgarbage()
  end)

  it("have the collector's time where its work fell due, to the scope",
    function()
      local recorder, said, meter = made_up { scopes = { load = 9, rest = 9 } }
      local load, rest = recorder:scope "load", recorder:scope "rest"
      for _ = 1, 4000 do
        recorder:begin()
        said.is_open = true
        recorder:enter(load)
        for _ = 1, 20 do said.garbage() end
        allocate(20)
        meter:advance(2e6)
        recorder:leave(load)
        recorder:enter(rest)
        meter:advance(5e6)
        recorder:leave(rest)
        recorder:finish()
        said.is_open = false
      end
      local result, part, scopes = recorder:result(), 0, {}
      for _, ns in ipairs(result.samples.collector_ns) do part = part + ns end
      for _, scope in ipairs(result.scopes) do scopes[scope.name] = scope end
      assert.is_true(said.called > 1000)
      assert.near_relative(said.called * 1e6, part, 1e-3)
      local all_ms = 4000 * 7 + said.called
      assert.near_relative(said.called / all_ms, result.collector.share, 1e-3)
      assert.near_relative(said.called / (4000 * 2 + said.called),
        scopes.load.collector.share, 1e-3)
      assert.near_relative(result.collector.max, scopes.load.collector.max,
        1e-3)
      assert.same({ share = 0, max = 0 }, scopes.rest.collector)
      assert.near(5, scopes.rest.max, 1e-3)
      assert.near_relative(result.worst[1].ms - 7,
        result.worst[1].collector_ms, 1e-3)
      assert.equal(0, result.paced.stopped)
      local now = recorder:live {}
      assert.equal(result.collector.share, now.collector_share)
      assert.near_relative(result.collector.p99, now.collector_p99, 0.01)
    end)

  it("have that of inner scopes in those around, and of none in the frame",
    function()
      local recorder, said = made_up {}
      local outer, inner = recorder:scope "outer", recorder:scope "inner"
      -- Sizes that differ from frame to frame: were all alike, each collection
      -- could fall into the same half of its frame.
      for i = 1, 3000 do
        recorder:begin()
        said.is_open = true
        for _ = 1, 10 do said.garbage() end
        allocate(1 + i * 7 % 19)
        recorder:enter(outer) -- what is due by now is of the frame alone
        local before = said.called
        recorder:enter(inner)
        for _ = 1, 10 do said.garbage() end
        allocate(1 + i * 11 % 23)
        recorder:leave(inner)
        said.inside = (said.inside or 0) + said.called - before
        recorder:leave(outer)
        recorder:finish()
        said.is_open = false
      end
      local result = recorder:result()
      local record = result.record
      assert.is_true(said.inside > 0 and said.inside < said.called)
      for i = 1, 2 do
        assert.near_relative(said.inside * 1e6, record.scopes[i].collector_ns,
          1e-2)
      end
      assert.near_relative(said.called * 1e6, record.collector.total_ns, 1e-2)
    end)

  it("collect in a frame that allocates far more than those before", function()
    local recorder = tare.frames { gc = "paced" }
    local most_kb, live_kb = 0, collectgarbage "count"
    for frame = 1, 40 do
      recorder:begin()
      for _ = 1, frame == 30 and 2000 or 1 do
        allocate(100)
        most_kb = math.max(most_kb, collectgarbage "count")
      end
      recorder:finish()
    end
    assert.is_true(most_kb < 2.5 * live_kb + 20000) -- of 200 MB
    assert.equal(1, recorder:result().paced.untimed)
  end)

  it("have a heap as large as without", function()
    local function largest(gc)
      collectgarbage()
      local recorder = tare.frames { gc = gc }
      for _ = 1, 3000 do
        recorder:begin()
        allocate(50)
        recorder:finish()
      end
      return recorder:result().heap_bytes.max
    end
    assert.near_relative(largest "natural", largest "paced", 0.2)
  end)

  -- Whether the heap grows by less than half of what is allocated: so much more
  -- than there is that a collection has time to end.
  local function collects()
    local heap_kb = collectgarbage "count"
    local most_kb = 3 * heap_kb + 20000
    allocate(most_kb)
    return collectgarbage "count" - heap_kb < most_kb / 2
  end

  it("leave a collector that runs, also where one fails, or has no end",
    function()
      local recorder = tare.frames { gc = "paced" }
      for _ = 1, 2 do
        recorder:begin()
        allocate(10)
        recorder:finish()
        assert.is_true(is_running() and collects())
        recorder:begin() -- an error comes before its end
        assert.is_true(is_running() and collects())
      end
      recorder:begin()
      recorder:__gc() -- closed in a frame
      assert.is_true(is_running() and collects())
      recorder = tare.frames { gc = "paced" }
      recorder:begin() -- forgotten in a frame
      recorder = nil
      assert.is_true(is_running() and collects())
      assert.is_nil(recorder)
    end)

  it("leave a collector stopped that the program has stopped, and say so",
    function()
      local recorder = tare.frames { gc = "paced" }
      local function play(frames, in_frame)
        for _ = 1, frames do
          recorder:begin()
          if in_frame then in_frame() end
          allocate(100)
          recorder:finish()
        end
      end
      collectgarbage "stop"
      local heap_kb = collectgarbage "count"
      play(30)
      local grown_kb = collectgarbage "count" - heap_kb
      local was_running = is_running()
      local none = recorder:result()
      collectgarbage "restart"
      play(5)
      play(1, function() collectgarbage "stop" end)
      was_running = was_running or is_running()
      collectgarbage "restart"
      assert.is_false(was_running)
      assert.is_true(grown_kb > 30 * 90)
      assert.is_nil(none.collector)
      assert.same({ untimed = 0, stopped = 30 }, none.paced)
      local result = recorder:result()
      assert.same({ untimed = 0, stopped = 31 }, result.paced)
      assert.equal(5, result.record.collector.count)
      assert.matches("as the program had stopped the collector: 31%.",
        tare.render(result, "text"))
      play(4) -- it runs again, and is timed again
      assert.is_true(is_running())
      result = recorder:result()
      assert.equal(31, result.paced.stopped)
      assert.equal(9, result.record.collector.count)
    end)

  it("do nothing of a collector that the program stops in them", function()
    local recorder, said = made_up {}
    local scope, seen = recorder:scope "inside", {}
    local looks = { recorder.finish, recorder.begin, recorder.enter }
    for i = 1, 30 do
      recorder:begin()
      collectgarbage "stop"
      for _ = 1, 200 do said.garbage() end
      allocate(3000) -- more than is lent
      said.is_open = true
      looks[i % 3 + 1](recorder, scope)
      said.is_open = false
      seen[i] = is_running()
      collectgarbage "restart"
    end
    assert.equal(0, said.called)
    for i = 1, 30 do assert.is_false(seen[i]) end
    assert.is_true(is_running() and collects())
  end)

  it("add what the program has collected by itself", function()
    local recorder, said, meter = made_up {}
    recorder:begin()
    meter:advance(5e6)
    recorder:finish(3e6)
    assert.equal(3, recorder:result().collector.max)
    assert.equal(0, said.called)
  end)

  it("go on where a finalizer raises, or uses the recorder", function()
    local recorder, calls, is_open = tare.frames { gc = "paced" }, 0, false
    local scope = recorder:scope "inside"
    local make = maker(function()
      if not is_open then return end
      calls = calls + 1
      pcall(recorder.enter, recorder, scope)
      pcall(recorder.leave, recorder, scope)
      assert.is_false((pcall(recorder.__gc, recorder)))
      if _VERSION < "Lua 5.4" then error "a finalizer's" end
    end)
    local frames = 0
    repeat
      frames = frames + 1
      recorder:begin()
      is_open = true
      for _ = 1, 20 do make() end
      recorder:finish()
      is_open = false
    until calls > 100 or frames == 10000
    assert.is_true(calls > 100)
    assert.equal(frames, recorder:result().frames)
    assert.is_true(is_running())
  end)

  it("leave nothing behind where a finalizer raises as they begin", function()
    local function registered()
      local count = 0
      for _ = 1, 3 do collectgarbage() end
      for key in pairs(debug.getregistry()) do
        if type(key) == "userdata" then count = count + 1 end
      end
      return count
    end
    local raises, before = false, registered()
    local make = maker(function()
      if raises and _VERSION < "Lua 5.4" then error "a finalizer's" end
    end)
    make()
    raises = true
    local ok = pcall(core.frames, 16, 10, nil, true)
    raises = false
    -- Newer LuaJIT only prints the errors of finalizers.
    if not rawget(_G, "jit") then assert.equal(_VERSION >= "Lua 5.4", ok) end
    assert.equal(before, registered())
  end)

  it("have the time of collector's work that an error ends", function()
    local recorder, said, meter = made_up {}
    local called = 0
    local make = maker(function()
      if not said.is_open then return end
      meter:advance(1e6)
      called = called + 1
      if _VERSION < "Lua 5.4" then error "a finalizer's" end -- 5.4 warns of it
    end)
    for _ = 1, 2000 do
      recorder:begin()
      said.is_open = true
      for _ = 1, 20 do make() end
      allocate(20)
      meter:advance(2e6)
      recorder:finish()
      said.is_open = false
    end
    local part = 0
    for _, ns in ipairs(recorder:result().samples.collector_ns) do
      part = part + ns
    end
    assert.is_true(called > 100)
    assert.near_relative(called * 1e6, part, 1e-2)
  end)

  it("need no memory to be recorded", function()
    local jit = rawget(_G, "jit")
    if jit then jit.off() end -- its traces take memory of the heap
    local recorder = tare.frames { gc = "paced", frames = 50 }
    local scope = recorder:scope "scope"
    local least_kb = math.huge -- of some tries: busted allocates at times too
    for _ = 1, 10 do
      local heap = collectgarbage "count"
      for _ = 1, 20 do
        recorder:begin()
        recorder:enter(scope)
        recorder:leave(scope)
        recorder:finish()
      end
      least_kb = math.min(least_kb, collectgarbage "count" - heap)
    end
    if jit then jit.on() end
    assert.equal(0, least_kb)
  end)

  -- Frames of 10 ms, of which each scope has 1 ms of the collector's.
  local function played()
    local meter = core.meter { manual_tick_ns = 1 }
    local recorder = tare.frames { gc = "paced", meter = meter,
      scopes = { ai = 4 } }
    local ai, stream = recorder:scope "ai", {}
    recorder:stream("csv", function(text) stream[#stream + 1] = text end)
    local called
    local make = maker(function()
      if not called then meter:advance(1e6) end
      called = true
    end)
    for _ = 1, 20 do
      recorder:begin()
      recorder:enter(ai)
      meter:advance(9e6)
      called = false
      make()
      repeat -- until it is found dead
        allocate(200)
        recorder:leave(ai)
        if called then break end
        recorder:enter(ai)
      until false
      recorder:finish()
    end
    recorder:stream()
    return recorder, table.concat(stream)
  end

  it("are written with the collector's part, and read back", function()
    local recorder, streamed = played()
    local result = recorder:result()
    assert.near(1, result.collector.p99, 0.01)
    assert.near(1, result.scopes[1].collector.max, 0.001)
    local text = tare.render(recorder, "text")
    assert.matches("part, as far as it was timed: %d+%.%d+ %% of the time, "
      .. "p99 1%.00 ms of a frame, 1%.00 ms at most", text)
    assert.is_nil(text:find("not in that part", 1, true))
    assert.matches("\nlongest frames +time +collector +at", text)
    assert.matches("\nscopes [^\n]* collector ", text)
    assert.matches("\n +ai +20 [^\n]*%%, at most 1%.00 ms", text)
    local page = tare.render(recorder, "html")
    assert.matches("%%, at most 1%.00.+ms</td>", page)
    assert.matches("The collector.-s part of them", page)
    local csv = tare.render(recorder, "csv")
    assert.matches('\nscope,"ai",%d+,%d+,%d+,1000%d%d%d,,,,\n', csv)
    assert.equal(csv, streamed)
    assert.matches('"args":{"collector_ns":1000%d%d%d},"name":"ai"',
      tare.render(recorder, "perfetto"))
    local path = kept.keep(command.file(tare.render(recorder, "json"),
      ".json"))
    local read = summaries.summary(assert(capture.read(path)))
    assert.same(result.paced, read.paced)
    assert.same(result.scopes, read.scopes)
    assert.equal(text, tare.render(read, "text"))
  end)
end)
