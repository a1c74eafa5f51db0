-- Functions that are called in the midst of the core's: finalizers, and what is
-- called when a profile ends. They may close what is in use. Each in an
-- interpreter of its own: one that fails may be taken down.
local command = require "spec.support.command"
local core = require "tare.core"

local BEGINNING = [[
  local core = require "tare.core"
  local tare = require "tare"
  local jit = rawget(_G, "jit")
  if jit then jit.off() end
  if _VERSION >= "Lua 5.4" then collectgarbage "incremental" end

  local function maker(finalizer)
    if rawget(_G, "newproxy") then
      local first = newproxy(true)
      getmetatable(first).__gc = finalizer
      return function() return newproxy(first) end
    end
    local meta = { __gc = finalizer }
    return function() return setmetatable({}, meta) end
  end

  -- Until the collector has called the finalizer a hundred times while
  -- use(prepare()) ran.
  local function in_midst(finalizer, prepare, use)
    local calls, is_open, tries = 0, false, 0
    local make = maker(function()
      if not is_open then return end
      calls = calls + 1
      finalizer()
    end)
    repeat
      tries = tries + 1
      local prepared = prepare()
      for _ = 1, 20 do make() end
      is_open = true
      use(prepared)
      is_open = false
    until calls > 100 or tries == 50000
    assert(calls > 100, calls)
  end

  -- Has the next allocation call the finalizer.
  local function at_next_allocation(finalizer)
    if _VERSION == "Lua 5.5" then
      collectgarbage("param", "pause", 100)
      collectgarbage("param", "stepmul", 0) -- a whole cycle
    else
      collectgarbage("setpause", 100)
      collectgarbage("setstepmul", _VERSION == "Lua 5.4" and 1000 or 100000)
    end
    collectgarbage "stop"
    maker(finalizer)()
    collectgarbage "restart"
  end
]]

local function runs(script)
  local path = command.file(BEGINNING .. script .. "\nio.write 'whole'")
  local code, stdout, stderr = command.shell(("%s %s"):format(
    os.getenv "TARE_LUA", path))
  os.remove(path)
  assert.equal("whole", stdout, stderr)
  assert.equal(0, code)
end

describe("a finalizer", function()
  it("can't close a recorder that is being read", function()
    runs [[
      local recorder = tare.frames { frames = 200 }
      for _ = 1, 200 do recorder:push(1e6) end
      in_midst(function()
        local ok, message = pcall(recorder.__gc, recorder)
        assert(not ok and message:find("that is being read", 1, true), message)
      end, function() end, function()
        local record = recorder:record()
        assert(record.all.count == 200 and #record.samples.wall_ns == 200)
      end)
      recorder:__gc()
      assert(not pcall(recorder.record, recorder))
    ]]
  end)

  it("may close a recorder that is about to be read", function()
    runs [[
      local calls = 0
      for _, name in ipairs { "record", "profiled" } do
        local read = name == "profiled" and core.frames_profiled
          or core.frames_methods[name]
        for _ = 1, 100 do
          local recorder = core.frames(10, 10)
          core.frames_profile(recorder, 1, {})
          recorder:begin()
          recorder:finish()
          at_next_allocation(function()
            calls = calls + 1
            pcall(recorder.__gc, recorder)
          end)
          local ok, message = pcall(read, recorder)
          assert(ok or message:find("is closed", 1, true), message)
          pcall(recorder.__gc, recorder)
        end
      end
      assert(calls > 100, calls)
    ]]
  end)

  it("can't drop the profile that is being handed out", function()
    runs [[
      local text = "local x\n" .. ("x = {}\n"):rep(300)
      local work = assert((loadstring or load)(text))
      local recorder, whole = core.frames(10, 10), 0
      local collects_before = _VERSION == "Lua 5.2" -- C functions are called
      in_midst(function()
        if pcall(recorder.__gc, recorder) then
          assert(collects_before)
          recorder = core.frames(10, 10)
          return
        end
        assert(not pcall(core.frames_profiled, recorder))
        assert(not pcall(core.frames_profile, recorder, 1, {}))
      end, function()
        core.frames_profile(recorder, 1, {})
        recorder:begin()
        work()
        recorder:finish()
      end, function()
        local ok, profile, frames = pcall(core.frames_profiled, recorder)
        assert(ok or collects_before, profile)
        if ok then
          assert(#profile.places > 300 and frames == 1)
          whole = whole + 1
        end
      end)
      assert(whole > 0)
    ]]
  end)

  it("can't close the profile that begins or is handed out, found in the "
    .. "registry", function()
    runs [[
      -- Many places, and no allocation: all are in the core's own functions.
      local text = "local x\n" .. ("x = 1\n"):rep(300)
      local work = assert((loadstring or load)(text))
      local recorder, refused = core.frames(10, 10), 0
      local function close_all()
        local registry = debug.getregistry()
        local kind = registry["tare.profile"]
        for _, kept in pairs(registry) do
          if debug.getmetatable(kept) == kind then
            local ok, message = pcall(kind.__gc, kept)
            assert(ok or message:find("a finalizer can't close", 1, true),
              message)
            refused = refused + (ok and 0 or 1)
          end
        end
      end
      local function profiled()
        return core.profile(work, 1, 1, {})
      end
      local function begin()
        core.frames_profile(recorder, 1, {})
        recorder:begin()
        work()
        recorder:finish()
      end
      local function none() end
      local ways = {
        { none, profiled },
        { begin, function() return core.frames_profiled(recorder) end },
        { none, function()
          begin()
          return core.frames_profiled(recorder)
        end },
      }
      for _, way in ipairs(ways) do
        local whole = 0
        refused = 0
        in_midst(close_all, way[1], function()
          local profile = way[2]()
          if not profile then return end -- closed as the function ran
          whole = whole + 1
          assert(#profile.places > 300 and #profile.callees > 0)
        end)
        assert(whole > 0 and refused > 0, refused)
        assert(debug.gethook() == nil)
        assert(profiled())
      end
    ]]
  end)

  it("may end a profile while what is outside of the heap is made", function()
    runs [[
      local makers = { function() return core.samples(50) end,
        function() return core.frames(10, 50) end,
        function() return core.pacer() end }
      for _, made in ipairs(makers) do
        local calls = 0
        for _ = 1, 100 do
          local recorder = core.frames(10, 10)
          core.frames_profile(recorder, 1, {})
          at_next_allocation(function()
            calls = calls + 1
            recorder:__gc()
          end)
          made():__gc()
          pcall(recorder.__gc, recorder)
        end
        assert(calls > 10, calls)
      end
    ]]
  end)

  it("may raise while a profile begins: then there is none", function()
    runs [[
      collectgarbage "stop"
      local is_armed, raised = false, 0
      local make = maker(function()
        if is_armed then error "in a finalizer" end
      end)
      local recorder = core.frames(10, 10)
      local ways = { function() return core.frames_profile(recorder, 1, {}) end,
        function() return core.profile(function() end, 1, 0, {}) end }
      local is_raised = _VERSION < "Lua 5.4" -- else such an error is a warning
      for try = 1, is_raised and 6000 or 100 do
        for _ = 1, 20 do make() end
        for _ = 1, try % 149 do collectgarbage("step", 0) end
        collectgarbage "stop"
        is_armed = true
        local ok, message = pcall(function()
          collectgarbage "restart"
          for _ = 1, try % 61 do local _ = {} end
          return ways[try % 2 + 1]()
        end)
        is_armed = false -- 5.2 collects wherever a C function is called
        collectgarbage "stop"
        if not ok then
          assert(message:find("in a finalizer", 1, true), message)
          raised = raised + 1
        end
        recorder:__gc()
        recorder = core.frames(10, 10)
        assert(debug.gethook() == nil)
        assert(core.profile(function() end, 1, 0, {}))
      end
      assert((raised > 10) == is_raised, raised)
      os.exit(io.write "whole" and 0, false)
    ]]
  end)

  it("may close a pacer whose pauses are being read", function()
    runs [[
      local meter, pacer, many = core.meter(), nil, {}
      local function loop(n) for i = 1, n do many = { many[1], i } end end
      in_midst(function() pacer:__gc() end, function()
        pacer = core.pacer(meter)
        pacer:run(core.samples(2), meter, loop, 1e4)
        return pacer:pauses()
      end, function(before)
        local found, pauses
        repeat -- until it is closed, in the midst or before
          local last = pauses
          found, pauses = pcall(pacer.pauses, pacer)
          pauses = found and pauses or last
        until not found
        assert(pauses.count == before.count and pauses.max == before.max)
        local counts = pauses.histogram.counts
        assert(#counts == #before.histogram.counts)
        for i, count in ipairs(before.histogram.counts) do
          assert(counts[i] == count)
        end
      end)
    ]]
  end)

  it("may close a store as a table is made for its row", function()
    runs [[
      local store
      in_midst(function() store:__gc() end, function()
        store = core.samples(2)
        store:push { iters = 7 }
      end, function()
        local found, row = pcall(store.row, store, 1)
        assert(found and row.iters == 7
          or not found and row:find "no such row", row)
      end)
    ]]
  end)

  it("can't use the recorder whose look at the collector runs it", function()
    runs [[
      local recorder = tare.frames { gc = "paced" }
      if not recorder then return io.write "whole" end
      local scopes, meant = {}, nil
      for i = 1, 16 do scopes[i] = recorder:scope("scope " .. i) end
      local function use()
        recorder:begin()
        for i = 1, 16 do pcall(recorder.enter, recorder, scopes[i]) end
        for i = 16, 1, -1 do pcall(recorder.leave, recorder, scopes[i]) end
        recorder:push(1e6)
        pcall(recorder.finish, recorder)
        pcall(core.frames_profile, recorder, 1, {})
        pcall(core.frames_profiled, recorder)
      end
      local frames = 0
      in_midst(function() if meant then use() end end, function() end,
        function()
          local kept
          frames = frames + 1
          recorder:begin()
          for i = 1, 16 do
            for j = 1, 100 do kept = { {}, j } end
            meant = true
            recorder:enter(scopes[i])
            meant = false
          end
          for i = 16, 1, -1 do
            for j = 1, 100 do kept = { {}, j } end
            meant = true
            recorder:leave(scopes[i])
            meant = false
          end
          meant = true
          recorder:finish()
          meant = false
        end)
      local result = recorder:result()
      assert(result.frames == frames)
      assert(result.record.scopes[16].calls == frames)
    ]]
  end)

  it("raises nothing in the host as a paced recorder holds the collector",
    function()
      runs [[
        local recorder = tare.frames { gc = "paced" }
        if not recorder then return io.write "whole" end
        local raises, live, grown = false, {}, nil
        local make = maker(function()
          if raises then error "a finalizer's" end
        end)
        local scope = recorder:scope "inside"
        local function protected(name, ...)
          raises = true
          local ok, message = pcall(recorder[name], recorder, ...)
          raises = false
          assert(ok, message)
        end
        for i = 1, 20000 do live[i] = { i } end
        for _ = 1, 200 do
          protected "begin"
          for _ = 1, 200 do make() end
          protected("enter", scope)
          for _ = 1, 200 do make() end
          protected("leave", scope)
          protected "finish"
          grown = {}
          for i = 1, 2 ^ 13 do grown[i] = i end
        end
        assert(#grown > 0 and recorder:result().frames == 200)
      ]]
    end)

  it("raises nothing as a pacer lets go of the collector", function()
    runs [[
      if _VERSION < "Lua 5.4" then collectgarbage("setstepmul", 2000) end
      local meter, samples, pacer = core.meter(), core.samples(10), core.pacer()
      local raises, kept, mine = false, {}, { "the function's" }
      local make = maker(function()
        if raises then error "a finalizer's" end
      end)
      for i = 1, 2 ^ 16 do kept[i] = 0 end
      collectgarbage()
      local function loop(calls)
        if calls == 0 then return end
        for _ = 1, 20 do make() end
        for i = 1, 20000 do kept[i] = { i } end
        raises = true
        error(mine, 0)
      end
      for _ = 1, 5 do
        local found, ok, message = pcall(pacer.run, pacer, samples, meter, loop,
          1000)
        raises = false
        assert(found, ok)
        assert(not ok and message == mine)
      end
    ]]
  end)

  it("takes no time less than none, by a clock that it sets back", function()
    runs [[
      local meter = core.meter { manual_tick_ns = 1 }
      meter:advance(1e18)
      local recorder = tare.frames { gc = "paced", meter = meter, frames = 50 }
      if not recorder then return io.write "whole" end
      in_midst(function()
        meter:advance(-1e9)
        if _VERSION < "Lua 5.4" then error "a finalizer's" end
      end, function() end, function()
        local kept
        recorder:begin()
        for i = 1, 100 do kept = { {}, i } end
        recorder:finish()
      end)
      for _, ns in ipairs(recorder:result().samples.collector_ns) do
        assert(ns >= 0)
      end
    ]]
  end)

  it("may close a watch that is being armed", function()
    runs [[
      local closed = 0
      for _ = 1, 300 do
        local watch = core.gcwatch()
        watch:arm()
        watch:disarm()
        collectgarbage() -- its sentinel goes
        collectgarbage()
        watch = core.gcwatch()
        at_next_allocation(function()
          closed = closed + 1
          watch:__gc()
        end)
        pcall(watch.arm, watch)
      end
      assert(closed > 100, closed)
    ]]
  end)

  it("may close a meter as its batch begins", function()
    runs [[
      local samples, closed = core.samples(1000), 0
      local function work() end
      for i = 1, 300 do
        local meter = core.meter { watch = true }
        meter:limit(1e6)
        local is_timed = i % 2 == 0
        at_next_allocation(function()
          closed = closed + 1
          meter:__gc()
        end)
        if is_timed then
          pcall(meter.time, meter, samples, work, 1)
        else
          pcall(meter.time_calls, meter, samples, work, 1)
        end
      end
      assert(closed > 100, closed)
    ]]
  end)

  -- On 5.5 what limits take stays in the registry until it is used again.
  it("may limit the meter that is being limited, or another", function()
    runs [[
      local function registered()
        local count = 0
        for _, value in pairs(debug.getregistry()) do
          if type(value) == "userdata" then count = count + 1 end
        end
        return count
      end
      local before, is_limiting, nested = registered(), false, 0
      local function limited(finalizer)
        local meter = core.meter()
        at_next_allocation(function()
          if is_limiting then nested = nested + 1 end
          finalizer(meter)
        end)
        is_limiting = true
        meter:limit(1e6)
        is_limiting = false
        return meter
      end
      local other, meters = core.meter(), {}
      meters[1] = limited(function()
        other:limit(1e6)
        other:__gc()
      end)
      assert(registered() <= before + 2, registered())
      for i = 2, 100 do
        meters[i] = limited(function(meter) meter:limit(1e6) end)
      end
      assert(registered() <= before + #meters + 2, registered())
      assert(_VERSION ~= "Lua 5.5" or nested > 10, nested)
    ]]
  end)

  it("may close a recorder that is to be profiled", function()
    runs [[
      local other, closed = core.frames(16, 10), 0
      for _ = 1, 300 do
        local recorder = core.frames(16, 10)
        local names = {}
        at_next_allocation(function()
          closed = closed + 1
          recorder:__gc()
        end)
        local ok, message = pcall(core.frames_profile, recorder, 3, names)
        assert(ok or message:find("closed", 1, true), message)
        recorder:__gc()
        core.frames_profile(other, 1, {})
        other:begin()
        other:finish()
        assert(core.frames_profiled(other))
      end
      assert(closed > 100, closed)
    ]]
  end)

  it("may close a recorder whose watch is armed anew by a frame", function()
    runs [[
      local samples, closed = core.samples(1000), 0
      local capped = core.meter()
      capped:limit(1)
      for _ = 1, 300 do
        local recorder = core.frames(16, 10)
        -- no memory for another sentinel
        capped:time(samples, function() collectgarbage() end, 1)
        at_next_allocation(function()
          closed = closed + 1
          recorder:__gc()
        end)
        pcall(recorder.begin, recorder)
      end
      assert(closed > 100, closed)
    ]]
  end)

  it("finds no heap where Lua does not say how large it is", function()
    runs [[
      local recorder, is_done = core.frames(10, 10), false
      local live = {}
      maker(function()
        if is_done then return end
        is_done = true
        recorder:mark "in a finalizer"
        recorder:begin()
        recorder:finish()
        recorder:push(1e6)
        recorder:live(live)
      end)()
      collectgarbage()
      collectgarbage()
      assert(is_done)
      local record = recorder:record()
      local heaps = record.samples.heap_bytes or {}
      for _, bytes in ipairs { live.heap_bytes or 1, record.heap_max or 1,
        record.marks[1].heap_bytes or 1, heaps[1] or 1, heaps[2] or 1 } do
        assert(not (bytes < 0), bytes)
      end
    ]]
  end)
end)

describe("a census that its function closes", function()
  it("is kept no longer, though there is no memory to say so", function()
    runs [[
      local function each_census(f)
        local registry = debug.getregistry()
        for _, kept in pairs(registry) do
          if debug.getmetatable(kept) == registry["tare.census"] then
            f(kept)
          end
        end
      end
      local meter, samples, closed = core.meter(), core.samples(9), 0
      core.census(function() end, 1)
      meter:limit(1e5)
      local found, message = meter:time(samples, function()
        return core.census(function()
          each_census(function(kept)
            closed = closed + 1
            getmetatable(kept).__gc(kept)
          end)
          local all = {}
          pcall(function() for i = 1, 1e6 do all[i] = {} end end)
        end, 1)
      end, 1)
      assert(not found and message:find "memory", message)
      assert(closed == 1, closed)
      each_census(error)
    ]]
  end)
end)

describe("a look at the collector", function()
  it("leaves it running where there is no memory", function()
    runs [[
      local recorder, capped = tare.frames { gc = "paced" }, core.meter()
      if not recorder then return io.write "whole" end
      local samples = core.samples(300)
      local function text() return tostring {} .. ("x"):rep(1000) end
      local function finish()
        pcall(text) -- from here on no request is granted
        recorder:finish()
      end
      capped:limit(1)
      for _ = 1, 300 do
        recorder:begin()
        for _ = 1, 100 do text() end
        capped:time(samples, finish, 1)
        assert(select(3, core.gc_settings()))
      end
      local heap_kb = collectgarbage "count"
      for _ = 1, 1e5 do text() end
      assert(collectgarbage "count" < 3 * heap_kb + 20000)
    ]]
  end)
end)

describe("what is called after a profile of frames", function()
  it("may close the recorder, however the last frame ends", function()
    for _, ends in ipairs { "begin", "push", "finish", "__gc" } do
      runs(([[
        local recorder, calls = core.frames(10, 10), 0
        core.frames_profile(recorder, 1, {}, function()
          calls = calls + 1
          recorder:__gc()
        end)
        recorder:begin()
        recorder:%s(1e6)
        assert(calls == 1)
        assert(not pcall(recorder.begin, recorder))
        assert(core.profile(function() end, 1, 0, {})) -- none is under way
      ]]):format(ends))
    end
  end)

  it("may close it as the next profile is asked for", function()
    runs [[
      local recorder = core.frames(10, 10)
      core.frames_profile(recorder, 1, {}, function() recorder:__gc() end)
      local ok, message = pcall(core.frames_profile, recorder, 1, {})
      assert(not ok and message:find("is closed", 1, true), message)
      assert(core.profile(function() end, 1, 0, {}))
    ]]
  end)

  it("can't begin another one of a recorder that is being closed", function()
    runs [[
      local recorder, message = core.frames(10, 10), nil
      core.frames_profile(recorder, 1, {}, function()
        message = select(2, pcall(core.frames_profile, recorder, 1, {}))
      end)
      recorder:__gc()
      assert(message:find("is closed", 1, true), message)
      core.frames_profile(core.frames(10, 10), 1, {})
    ]]
  end)

  it("is called where no frame has begun, too", function()
    runs [[
      local recorder, calls = core.frames(10, 10), 0
      core.frames_profile(recorder, 1, {}, function() calls = calls + 1 end)
      recorder:__gc()
      assert(calls == 1)
    ]]
  end)

  it("is called once, and may take the profile", function()
    runs [[
      local recorder, calls, profile = core.frames(10, 10), 0, nil
      core.frames_profile(recorder, 1, {}, function()
        calls = calls + 1
        profile = profile or core.frames_profiled(recorder)
      end)
      recorder:begin()
      recorder:finish()
      assert(calls == 1 and #profile.places > 0)
    ]]
  end)
end)

-- Where there are deadlines, and processes can be forked.
if core.deadline(1) and core.can_fork then
  describe("a deadline that was made before a fork", function()
    it("ends no other one's timer in the child", function()
      runs [[
        local first, second = core.deadline(2e7), core.deadline(2e7)
        local link = core.link(99)
        local child = assert(link:fork())
        if child == 0 then
          local from = os.time()
          local ok, message = pcall(second.call, second, function()
            first:call(function() end)
            repeat until os.time() - from > 20
          end)
          os.exit(not ok and message:find "timed out" and 0 or 7)
        end
        local code, signal = link:reap(child, 60000)
        assert(code == 0 and signal == 0, code)
      ]]
    end)
  end)
end
