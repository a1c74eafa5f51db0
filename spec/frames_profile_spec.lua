-- A profile of a host's frames: what is in it, what is not, and what is as
-- before when it is over.
local core = require "tare.core"
local tare = require "tare"

local jit = rawget(_G, "jit")

local function made_up(given)
  given = given or {}
  given.meter = core.meter { manual_tick_ns = 1 }
  return tare.frames(given), given.meter
end

local function lines_of(profile)
  local found = {}
  for _, line in ipairs(profile.lines) do
    if line.source:find "frames_profile_spec" then found[line.line] = line end
  end
  return found
end

local function sum(profile, list, name)
  local total = 0
  for _, one in ipairs(profile[list]) do total = total + one[name] end
  return total
end

local function frames(recorder, count, work)
  for _ = 1, count do
    recorder:begin()
    if work then work() end
    recorder:finish()
  end
end

describe("a profile of frames", function()
  local kept

  local function update()
    kept = { 1, 2 }
    return #kept
  end
  local UPDATE = debug.getinfo(update, "S").linedefined

  it("has each line of the frames, and nothing between them", function()
    local recorder = made_up()
    recorder:profile(4)
    for _ = 1, 4 do
      recorder:begin()
      update()
      recorder:finish()
      kept = { {}, {} } -- between frames
    end
    local between = debug.getinfo(1, "l").currentline - 2
    local profile = assert(recorder:profile())
    assert.equal(4, profile.calls)
    local lines = lines_of(profile)
    assert.is_nil(lines[between])
    assert.equal(jit and 1 or 2, lines[UPDATE + 1].allocs)
    assert.equal(profile.allocs, lines[UPDATE + 1].allocs)
    for _, name in ipairs { "instructions", "allocs", "bytes" } do
      assert.near(profile[name], sum(profile, "lines", name), 1e-9)
      assert.near(profile[name], sum(profile, "stacks", name), 1e-9)
    end
    for _, fn in ipairs(profile.functions) do
      assert.is_nil(fn.name:find("finish", 1, true))
    end
  end)

  it("is of those frames alone, which are in no other figure", function()
    local recorder, meter = made_up { scopes = { work = 2 } }
    local scope = recorder:scope "work"
    local function work(ms)
      return function()
        recorder:enter(scope)
        meter:advance(ms * 1e6)
        recorder:leave(scope)
      end
    end
    frames(recorder, 5, work(1))
    recorder:profile(3)
    frames(recorder, 3, work(20))
    frames(recorder, 5, work(1))
    local result = recorder:result()
    assert.equal(10, result.frames)
    assert.near_relative(1, result.max, 0.01)
    assert.equal(10, result.scopes[1].frames)
    assert.near_relative(1, result.scopes[1].max, 0.01)
    local profile = assert(recorder:profile())
    assert.near_relative(20, profile.slowdown, 0.01)
    assert.near(20e6, profile.frame_ns, 10)
    assert.matches("per frame, counted over 3 frames.* 20 times as long",
      tare.render(profile, "text"))
    assert.matches("frames_profile_spec", tare.render(profile, "folded"))
  end)

  it("follows coroutines, those made before as well", function()
    local function body()
      while true do
        kept = { kept }
        coroutine.yield()
      end
    end
    local line = debug.getinfo(body, "S").linedefined + 2
    local before, wrapped = coroutine.create(body), coroutine.wrap(body)
    coroutine.resume(before)
    wrapped()
    local recorder = made_up()
    recorder:profile(3)
    frames(recorder, 3, function()
      coroutine.resume(before)
      wrapped()
      coroutine.wrap(body)()
    end)
    local found = lines_of(assert(recorder:profile()))[line]
    assert.is_true(found.allocs >= 3)
    assert.is_true(found.instructions >= 3 * 3)
  end)

  it("has its own hook within frames only", function()
    local was, mask, count = debug.gethook()
    local function mine() end
    for _, before in ipairs { false, mine } do
      local recorder, found = made_up(), {}
      if before then
        debug.sethook(mine, "", 1000000)
      else
        debug.sethook()
      end
      local function look() found[#found + 1] = debug.gethook() or false end
      recorder:profile(2)
      look()
      for _ = 1, 3 do
        recorder:begin()
        recorder:finish()
        look()
      end
      assert(recorder:profile())
      look()
      debug.sethook(was, mask, count)
      assert.same({ before, before, before, before, before }, found)
    end
  end)

  it("may end within a census that has begun in it, around which is another",
    function()
      local recorder, inner, again = made_up(), nil, nil
      collectgarbage "stop" -- 5.1's makes its table of strings smaller
      local outer = core.census(function()
        recorder:profile(1)
        recorder:begin()
        inner = core.census(function()
          recorder:finish()
          assert(recorder:profile())
          kept = {}
          for length = 41, 1240 do -- takes the memory that has become free
            kept[length] = ("\1"):rep(length)
          end
          again = core.census(function() kept = {} end, 1)
        end, 1)
      end, 1)
      collectgarbage "restart"
      assert.equal(1, again.allocs)
      assert.is_true(inner.allocs > 1200)
      assert.is_true(outer.allocs > inner.allocs)
      frames(recorder, 1)
      assert.equal(1, core.census(function() kept = {} end, 1).allocs)
    end)

  it("leaves a hook that was set after it was asked for", function()
    local was, mask, count = debug.gethook()
    local function mine() end
    for _, ends in ipairs { "before any frame", "after one" } do
      local recorder = made_up()
      recorder:profile(2)
      debug.sethook(mine, "", 1000000)
      if ends == "after one" then
        recorder:begin()
        recorder:finish()
      end
      recorder:__gc()
      local found = debug.gethook()
      debug.sethook(was, mask, count)
      assert.equal(mine, found, ends)
    end
  end)

  it("gives a coroutine its hook back where the frame ends in another one",
    function()
      local was, mask, count = debug.gethook()
      local function mine() end
      local recorder = made_up()
      local inside = coroutine.create(function()
        recorder:begin()
        coroutine.yield()
      end)
      debug.sethook(inside, mine, "", 1000000)
      recorder:profile(1)
      coroutine.resume(inside)
      recorder:finish()
      local found = debug.gethook(inside)
      debug.sethook(was, mask, count)
      assert.equal(mine, found)
      recorder:__gc()
    end)

  it("gives a coroutine that was followed no other's hook", function()
    if jit then return end -- all have one hook there
    local was, mask, count = debug.gethook()
    local recorder = made_up()
    local function resumable(f)
      local made = coroutine.create(function()
        while true do f = coroutine.yield(f()) end
      end)
      coroutine.resume(made)
      return made
    end
    local inside = resumable(function() end)
    debug.sethook(function() end, "", 1000000) -- this one's alone
    recorder:profile(2)
    frames(recorder, 1, function() coroutine.resume(inside, function() end) end)
    coroutine.resume(inside, function() frames(recorder, 1) end)
    coroutine.resume(inside, function() end)
    debug.sethook(was, mask, count)
    local hook, its_mask, its_count = debug.gethook(inside)
    assert.is_nil(hook)
    assert.equal("", its_mask or "")
    assert.equal(0, its_count or 0)
    assert.equal(2, assert(recorder:profile()).calls)
  end)

  it("leaves hook, allocator and compiler as they were", function()
    local seen = 0
    local function hook() seen = seen + 1 end
    local was_on = jit and jit.status()
    local made
    local recorder = made_up()
    recorder:profile(2)
    debug.sethook(hook, "", 1000000)
    local function work()
      made = coroutine.create(function()
        while true do coroutine.yield() end
      end)
      coroutine.resume(made)
    end
    for _ = 1, 2 do
      recorder:begin()
      work()
      recorder:finish()
      assert.equal(hook, (debug.gethook()))
    end
    debug.sethook()
    coroutine.resume(made) -- made with the profile's hook: it goes by itself
    assert.is_nil((debug.gethook(made)))
    assert.equal(was_on, jit and jit.status())
    assert.equal(2, assert(recorder:profile()).calls)
    local census = core.census(function() kept = {} end, 1)
    assert.equal(1, census.allocs)
  end)

  it("has a frame that did not finish", function()
    local recorder = made_up()
    recorder:profile(2)
    recorder:begin()
    pcall(error)
    recorder:begin()
    update()
    recorder:finish()
    assert.equal(2, assert(recorder:profile()).calls)
    frames(recorder, 1)
    assert.equal(1, recorder:live({}).frames)
  end)

  it("lets functions be profiled in such a frame", function()
    local recorder, inner = made_up(), nil
    recorder:profile(2)
    frames(recorder, 2, function() inner = core.profile(update, 1, 0, {}) end)
    assert.truthy(#inner.places > 0)
    assert.equal(2, assert(recorder:profile()).calls)
  end)

  it("says how far it is, and forgets what was handed out", function()
    local recorder = made_up()
    local none, why = recorder:profile()
    assert.is_nil(none)
    assert.matches("no frames were profiled", why)
    recorder:profile(3)
    frames(recorder, 2)
    none, why = recorder:profile()
    assert.is_nil(none)
    assert.equal("2 of 3 frames are profiled", why)
    frames(recorder, 1)
    assert.truthy(recorder:profile())
    assert.is_nil((recorder:profile()))
  end)

  it("is none where a finalizer meddles as it begins, and leaves nothing",
    function()
      local newproxy, names = rawget(_G, "newproxy"), {}
      local acts, met = nil, 0
      -- Elsewhere it may be met a moment earlier, or later.
      local is_exact = jit or _VERSION >= "Lua 5.4"
      local function garbage()
        local meta = { __gc = function() if acts then acts() end end }
        if not newproxy then return setmetatable({}, meta) end
        getmetatable(newproxy(true)).__gc = meta.__gc
      end
      -- What a profile says that begins a collection, whose finalizer meddles.
      local function begun(recorder, meddle)
        local is_met = false
        collectgarbage "stop"
        garbage()
        acts = function()
          acts, is_met = nil, true
          meddle()
        end
        collectgarbage "restart" -- due with the next block
        local ok, message = pcall(core.frames_profile, recorder, 1, names)
        acts = nil
        met = met + (is_met and 1 or 0)
        return not ok and message
      end
      local function play(tries)
        for try = 1, tries do
          local recorder, other = core.frames(16, 1), core.frames(16, 1)
          local said = begun(recorder, ({
            function() recorder:__gc() end,
            function() core.frames_profile(recorder, 1, names) end,
            function() core.frames_profile(other, 1, names) end,
          })[try % 3 + 1])
          if is_exact then
            assert.equal("tare.frames: profile(): a finalizer has closed the "
              .. "recorder, or began another one", said)
          end
          frames(other, 1)
          if try % 3 > 0 then frames(recorder, 1) end
          assert.is_nil((debug.gethook()))
          recorder:__gc()
          other:__gc()
        end
        collectgarbage()
        collectgarbage()
        return collectgarbage "count"
      end
      local most, by = 1e6, nil -- a step is a whole collection
      if _VERSION >= "Lua 5.4" then
        collectgarbage "generational"
      else
        by = collectgarbage("setstepmul", most)
      end
      local before_kb = play(30)
      local grown_kb = play(300) - before_kb
      if by then collectgarbage("setstepmul", by) end
      assert.is_true(met == 330 or not is_exact)
      assert.is_true(grown_kb < 25)
    end)

  it("refuses misuse in sentences", function()
    local recorder, other = made_up(), made_up()
    for _, wrong in ipairs { 0, 1.5, -1, "many", 0 / 0 } do
      local _, said = pcall(function() recorder:profile(wrong) end)
      assert.matches("frames_profile_spec.*profile%(%): expected a whole "
        .. "number of frames", said)
    end
    recorder:profile(2)
    assert.error_matches(function() recorder:profile(2) end,
      "one is under way: 0 of 2 frames")
    assert.error_matches(function() other:profile(2) end,
      "another one is under way")
    frames(recorder, 2)
    other:profile(1)
    frames(other, 1)
    assert.truthy(other:profile())
    assert.truthy(jit == nil or jit.status())
  end)
end)
