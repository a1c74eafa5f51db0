local clocked = require "spec.support.clocked"
local command = require "spec.support.command"
local core = require "tare.core"
local rest = require "tare.base.rest"
local Session = require "tare.session"
local tare = require "tare"

-- A session on a clock that moves only when a bench says so.
local function new_session(fill, given)
  local process, meter = clocked.process()
  local own = { quota = "50ms" }
  for name, value in pairs(given or {}) do own[name] = value end
  local cells, settings = clocked.cells(fill, meter, own)
  return Session.new(cells, settings, process), meter
end

-- Steps to the end; the longest step in milliseconds, and their number.
local function step_through(session, meter, budget_ms)
  local longest_ns, steps, done = 0, 0, false
  while not done do
    local began = meter:now()
    done = session:step(budget_ms)
    longest_ns, steps = math.max(longest_ns, meter:now() - began), steps + 1
    assert(steps < 1e5, "a session that does not end")
  end
  return longest_ns / 1e6, steps
end

local function result_of(report, id)
  for _, result in ipairs(report.results) do
    if result.id == id then return result end
  end
end

describe("a session", function()
  it("is measured at once, if a step may take for ever", function()
    local HAS_MODES = _VERSION >= "Lua 5.4"
    local mode = HAS_MODES and collectgarbage "generational"
    local suite = tare.suite "once"
    suite:bench("pairs", function() return { {} } end)
    local session = tare.session(suite, { quota = "20ms", resamples = 200 })
    local began_ns = core.now_ns()
    repeat until session:step(1e6)
    assert.is_true(core.now_ns() - began_ns < 10e9)
    session:close()
    if HAS_MODES then collectgarbage(mode) end
  end)

  it("keeps each step within its budget, whatever a call takes", function()
    for _, budget_ms in ipairs { 0.5, 2, 5 } do
      local session, meter = new_session(function(suite, taking)
        suite:bench("quick", taking(90))
        suite:bench("slow", taking(2e5))
        suite:bench("middling", taking(7777))
      end)
      local longest_ms, steps = step_through(session, meter, budget_ms)
      assert.is_true(longest_ms <= budget_ms)
      assert.is_true(steps > 20)
    end
  end)

  it("uses most of what it is given", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(100))
    end)
    local _, steps = step_through(session, meter, 2)
    assert.is_true(meter:now() / 1e6 / steps > 1)
  end)

  it("finds what an uninterrupted run finds", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(100))
      suite:bench("b", { run = taking(2500), baseline = true })
    end)
    step_through(session, meter, 2)
    local report = session:report()
    assert.near_relative(100, result_of(report, "s/a").time.value, 1e-9)
    assert.near_relative(2500, result_of(report, "s/b").time.value, 1e-9)
    assert.near_relative(1 / 25, report.comparisons[1].ratio.value, 1e-9)
  end)

  it("has batches of sizes that differ, so that a line fits", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(100))
    end)
    step_through(session, meter, 2)
    local iters = session:report().results[1].samples.iters
    table.sort(iters)
    assert.is_true(iters[#iters] >= 3 * iters[1])
    assert.is_true(iters[#iters] * 100 <= 1e6)
  end)

  it("gives up a bench whose single call exceeds the step, and says so",
    function()
      local calls = 0
      local session, meter = new_session(function(suite, taking, clock)
        suite:bench("fits", taking(1000))
        suite:bench("long", function()
          calls = calls + 1
          clock:advance(7e6)
        end)
      end)
      step_through(session, meter, 2)
      local result = result_of(session:report(), "s/long")
      assert.is_true(calls <= 3)
      assert.equal(calls, result.rounds)
      assert.near_relative(7e6, result.median.value, 1e-9)
      assert.is_nil(result.error)
      local said = {}
      for _, code in ipairs(result.warnings) do said[code] = true end
      assert.is_true(said.budget_exceeded)
    end)

  it("measures a long call once it is given the time", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("long", taking(7e6))
    end, { quota = "1s" })
    session:step(2)
    step_through(session, meter, 50)
    local result = session:report().results[1]
    assert.near_relative(7e6, result.time.value, 1e-9)
  end)

  it("shortens planned batches when the budget shrinks", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(100))
    end)
    for _ = 1, 6 do session:step(5) end
    assert.is_true(step_through(session, meter, 0.5) <= 0.5)
  end)

  it("tells its progress, which never falls", function()
    local session = new_session(function(suite, taking)
      suite:bench("a", taking(1000))
    end)
    local last = 0
    repeat
      local done, progress = session:step(2)
      assert.is_true(progress >= last and progress <= 1)
      last = progress
    until done
    assert.equal(1, last)
    assert.same({ true, 1 }, { session:step(2) })
  end)

  it("tells its progress while it analyses, of all results", function()
    local suite = tare.suite "s"
    for i = 1, 4 do suite:bench("b" .. i, function() return {} end) end
    local session = tare.session(suite, { quota = "5ms" })
    local done, progress
    repeat done, progress = session:step(0.2) until progress >= 0.95
    local steps, near_the_end, last = 0, 0, progress
    while not done do -- each step is a part of the analysis
      done, progress = session:step(0.001)
      assert.is_true(progress >= last)
      steps, last = steps + 1, progress
      if progress > 0.998 then near_the_end = near_the_end + 1 end
    end
    session:close()
    assert.is_true(steps >= 20)
    assert.is_true(near_the_end < steps / 2)
  end)

  it("analyses in small parts, be there ever so few rows", function()
    local suite = tare.suite "s"
    suite:bench("b", function() return {} end)
    local session = tare.session(suite, { quota = "5ms", gc = "natural" })
    local done, progress
    repeat done, progress = session:step(2) until progress >= 0.95
    local steps = 0
    while not done do
      done = session:step(0.001)
      steps = steps + 1
    end
    session:close()
    assert.is_true(steps >= 30)
  end)

  it("begins no part of the analysis late in a step: some take longer",
    function()
      local here, parts = rest.here, 0
      local session, meter = new_session(function(suite, taking)
        suite:bench("a", taking(1000))
        suite:bench("b", taking(3000))
      end)
      rest.here = function() -- a part ends: short ones, and then one that isn't
        parts = parts + 1
        meter:advance(parts % 83 == 0 and 0.95e6 or 2e4)
        here()
      end
      local ok, longest_ms = pcall(step_through, session, meter, 2)
      rest.here = here
      assert(ok, longest_ms)
      assert.is_true(parts > 100)
      assert.is_true(longest_ms <= 2)
    end)

  it("plans one bench after the other, and makes a record of each, in steps",
    function()
      local names = { "a", "b", "c", "d" }
      local direct = clocked.direct(function(suite, taking)
        for _, name in ipairs(names) do suite:bench(name, taking(1000)) end
      end)
      direct.limits.step_ns, direct.limits.batch_ns = 2e6, 1e6
      local rests, most, finished = 0, 0, 0
      while not direct:step() do
        if direct.request and direct.request.op == "rest" then
          rests = rests + 1
          assert.is_nil(direct:due_ns())
        end
        most = math.max(most, direct:counts() - finished)
        finished = direct:counts()
      end
      direct:close()
      assert.equal(#names, finished)
      assert.equal(1, most)
      assert.is_true(rests >= 2 * #names)
    end)

  it("is set aside by its own steps alone, not in a coroutine of the host's",
    function()
      local measured = coroutine.wrap(function()
        return tare.measure(function() return {} end, { quota = "5ms" })
      end)()
      assert.is_true(measured.time.value > 0)
    end)

  it("uses Lua's own coroutines where a host's scheduler has their names",
    function()
      local code, out, err = command.shell(("%s -e '%s'"):format(
        os.getenv "TARE_LUA" or "lua5.4", [[
        for _, name in ipairs { "create", "resume", "yield", "status" } do
          coroutine["_" .. name] = coroutine[name]
          coroutine[name] = function() error "of the scheduler" end
        end
        local tare = require "tare"
        local suite = tare.suite "own"
        suite:bench("tables", function() return {} end)
        local session = tare.session(suite, { quota = "20ms" })
        repeat until session:step(2)
        io.write(#session:report().results, " ",
          tostring(session:report().results[1].error))]]))
      assert.same({ 0, "1 nil", "" }, { code, out, err })
    end)

  it("reports what it has when it is cancelled, after the teardowns", function()
    local log = {}
    local session = new_session(function(suite, taking)
      suite:bench("a", { run = taking(1000),
        teardown = function() log[#log + 1] = "teardown" end })
    end)
    for _ = 1, 15 do session:step(2) end
    session:cancel()
    assert.same({ "teardown" }, log)
    local result = session:report().results[1]
    assert.is_true(result.rounds > 5)
    assert.near_relative(1000, result.time.value, 1e-9)
    assert.same({ true, 1 }, { session:step(2) })
    session:cancel()
    session:close()
    session:close()
    assert.same({ "teardown" }, log)
  end)

  it("can be cancelled at any step, and reports what there is", function()
    local function fill(suite, taking)
      suite:bench("a", taking(1000))
      suite:bench("b", { run = taking(300), baseline = true })
    end
    local _, all = step_through(new_session(fill, { quota = "10ms" }),
      core.meter { manual_tick_ns = 1 }, 1)
    for steps = 0, all do
      local session = new_session(fill, { quota = "10ms" })
      for _ = 1, steps do
        session:step(1)
        collectgarbage()
      end
      session:cancel()
      for _, result in ipairs(session:report().results) do
        assert.is_nil(result.error)
        if result.rounds > 4 then
          assert.near_relative(result.name == "a" and 1000 or 300,
            result.time.value, 1e-9)
        end
      end
      session:close()
    end
  end)

  it("finds the same on a noisy clock, within its interval", function()
    local function measured(budget_ms)
      local session, meter = new_session(function(suite, _, clock)
        local state = 7
        suite:bench("a", function()
          state = (state * 16807) % 2147483647
          clock:advance(900 + state % 200)
        end)
      end)
      step_through(session, meter, budget_ms)
      return session:report().results[1].time
    end
    local stepped, whole = measured(2), measured(1e6)
    assert.is_true(stepped.low <= whole.high and whole.low <= stepped.high)
  end)

  it("analyses in its last steps, with as many resamples as fit", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(1000))
    end)
    step_through(session, meter, 2)
    local report = session:report()
    assert.equal(report, session:report())
    assert.is_true(report.options.resamples >= 200)
    assert.is_true(report.options.resamples < 10000)
    assert.is_number(report.results[1].fits[1].coefficients.iters.low)
  end)

  it("can be reported and closed before anything was measured", function()
    local session = new_session(function(suite, taking)
      suite:bench("a", taking(1000))
    end)
    assert.same({}, session:report().results)
    session:step(2)
    local result = session:report().results[1]
    assert.equal("s/a", result.id)
    assert.is_nil(result.error)
    for _ = 1, 8 do session:step(2) end
    assert.near_relative(1000, session:report().results[1].time.value, 1e-9)
    session:close()
    assert.has_error(function() session:step(2) end,
      "tare: the session is closed")
    assert.has_error(function() session:report() end,
      "tare: the session is closed")
  end)

  it("goes on after the host collected garbage, or took its time", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("a", taking(1000))
    end)
    for _ = 1, 5 do
      session:step(2)
      collectgarbage()
      meter:advance(3e9)
    end
    local longest_ms = step_through(session, meter, 2)
    assert.is_true(longest_ms <= 2)
    assert.near_relative(1000, session:report().results[1].time.value, 1e-9)
  end)

  it("leaves the collector's settings to the host between steps", function()
    local state = core.gc_state and core.gc_state()
    local session = new_session(function(suite, taking)
      suite:bench("a", { run = taking(1000), gc_pause = 400 })
    end)
    for _ = 1, 5 do
      session:step(2)
      assert.same(state, core.gc_state and core.gc_state())
    end
    session:close()
  end)

  if _VERSION >= "Lua 5.4" then
    -- The modes that calls of a bench without options run in, after one with
    -- 'own' options, from a collector in this mode; and what the host then has.
    local function modes(before, own, between)
      local mode, seen = collectgarbage(before), {}
      local session = new_session(function(suite, taking, clock)
        own.run = taking(1000)
        suite:bench("own", own)
        suite:bench("plain", { teardown = function()
          seen[#seen + 1] = core.gc_state().mode
        end, run = function() clock:advance(1000) end })
      end)
      local steps, done = 0
      repeat
        steps = steps + 1
        if between then between(steps) end
        done = session:step(2)
      until done
      seen[#seen + 1] = core.gc_state().mode
      collectgarbage(mode)
      return seen
    end

    it("is in the host's mode again after a bench that had another", function()
      for before, other in pairs { incremental = "generational",
        generational = "incremental" } do
        assert.same({ before, before }, modes(before, { gc_mode = other }))
      end
    end)

    it("keeps a mode that the host chooses between steps", function()
      local function choose(steps)
        if steps == 3 then collectgarbage "generational" end
      end
      for _, own in ipairs { { gc_mode = "incremental" },
        { gc_step_size = 10 } } do
        assert.same({ "generational", "generational" }, modes("incremental",
          own, choose))
      end
      for _, name in ipairs { "gc_pause", "gc_step_multiplier" } do
        local mode = collectgarbage "incremental"
        local session = new_session(function(suite, taking)
          suite:bench("own", { run = taking(1000), [name] = 150 })
        end)
        for steps = 1, 5 do
          choose(steps)
          session:step(2)
          assert.equal(steps < 3 and "incremental" or "generational",
            core.gc_state().mode)
        end
        session:close()
        collectgarbage(mode)
      end
    end)
  end

  it("leaves them as they are where it is ended before its next step",
    function()
      if _VERSION == "Lua 5.1" and not rawget(_G, "jit") then return end
      local function runs_after(method, before, after)
        local session = new_session(function(suite, taking)
          suite:bench("a", taking(1000))
        end)
        collectgarbage(before)
        session:step(2)
        collectgarbage(after)
        session[method](session)
        local runs = collectgarbage "isrunning"
        collectgarbage "restart"
        return runs
      end
      for _, method in ipairs { "cancel", "close" } do
        assert.is_false(runs_after(method, "restart", "stop"))
        assert.is_true(runs_after(method, "stop", "restart"))
      end
    end)

  it("refuses settings of the collector that can't be, in axes too", function()
    for value, said in pairs { [-1] = "'%-1'", [1024] = "'1024'",
      [0.5] = "'0%.5'" } do
      local session = new_session(function(suite, taking)
        suite:bench("a", taking(1000))
        suite:bench("b", { run = taking(1000),
          params = { gc_pause = { 100, 101 } } })
        assert.error_matches(function()
          suite:bench("c", { run = taking(1000),
            params = { gc_pause = { value } } })
        end, "axis 'gc_pause': " .. said
          .. " is not a whole number from 0 to 1000")
      end)
      session:close()
    end
  end)

  it("has the rows of a bench whose teardown fails when it is cancelled",
    function()
      local session = new_session(function(suite, taking)
        suite:bench("a", { run = taking(1000),
          teardown = function() error("broken", 0) end })
      end)
      for _ = 1, 10 do session:step(2) end
      session:cancel()
      local result = session:report().results[1]
      assert.equal("in teardown: broken", result.error)
      assert.is_true(#result.samples.iters > 4)
      assert.same({ "interrupted" }, result.warnings)
    end)

  it("keeps the others going when one raises", function()
    local session, meter = new_session(function(suite, taking)
      suite:bench("bad", function() error "no" end)
      suite:bench("good", taking(1000))
    end)
    step_through(session, meter, 2)
    local report = session:report()
    assert.matches("no", result_of(report, "s/bad").error)
    assert.near_relative(1000, result_of(report, "s/good").time.value, 1e-9)
  end)

  it("is over where its analysis fails, with the message as it was raised and "
    .. "after the teardowns", function()
    for _, raised in ipairs { "not enough memory", { "any value" } } do
      for _, after in ipairs { 1, 5, 30 } do -- parts of the analysis
        local here, parts, log = rest.here, 0, {}
        local session = new_session(function(suite, taking)
          suite:bench("a", { run = taking(1000),
            teardown = function() log[#log + 1] = "teardown" end })
        end)
        rest.here = function()
          parts = parts + (log[1] and 1 or 0)
          if parts == after then error(raised, 0) end
          here()
        end
        local ok, message = true, nil
        for _ = 1, 1e4 do
          ok, message = pcall(session.step, session, 2)
          if not ok or session.is_done then break end
        end
        rest.here = here
        assert.is_false(ok)
        assert.equal(raised, message)
        assert.same({ true, 1 }, { session:step(2) })
        assert.near_relative(1000, session:report().results[1].time.value, 1e-9)
        session:close()
        assert.same({ "teardown" }, log)
      end
    end
  end)

  it("says what is wrong with a bench that yields, in a host's coroutine too",
    function()
      local function named(report, name)
        for _, result in ipairs(report.results) do
          if result.name == name then return result end
        end
      end
      local function errors()
        local session, meter = new_session(function(suite, taking)
          suite:bench("good", taking(1e4))
          suite:bench("bare", function() coroutine.yield "bare" end)
          suite:bench("setup", { run = taking(1e4),
            setup = function() coroutine.yield "setup" end })
        end)
        step_through(session, meter, 2)
        local report = session:report()
        return { named(report, "good").error,
          named(report, "bare").error,
          named(report, "setup").error, n = 3 }
      end
      for _, found in ipairs { errors(), coroutine.wrap(errors)() } do
        assert.is_table(found)
        assert.is_nil(found[1])
        for i = 2, 3 do
          assert.matches("it yields (coroutine.yield) where nothing can resume "
            .. "it: make the coroutine in the bench (coroutine.wrap), and "
            .. "resume it there", found[i], 1, true)
        end
        assert.matches("^in setup: ", found[3])
      end
    end)

  it("refuses to be stepped from within a step", function()
    local session, message
    session = new_session(function(suite, _, meter)
      suite:bench("a", function()
        meter:advance(1000)
        local ok, raised = pcall(session.step, session, 2)
        message = message or not ok and raised
      end)
    end)
    for _ = 1, 5 do session:step(2) end
    session:close()
    assert.matches("tare: called from within a step", message)
  end)

  it("wants a budget that is a number", function()
    local session = new_session(function(suite, taking)
      suite:bench("a", taking(1000))
    end)
    for _, budget in ipairs { 0, -1, 0/0, "2ms" } do
      assert.has_error(function() session:step(budget) end)
    end
    assert.has_error(function() session:step() end, "tare: "
      .. "'budget_ms' must be a number of at least 0.001, got nil")
  end)

  -- Lua 5.1 can't tell that its collector was stopped.
  local CAN_TELL = _VERSION ~= "Lua 5.1" or rawget(_G, "jit") ~= nil

  -- Warnings of a bench that allocates and of one that does not, in a session
  -- before whose steps the host does something.
  local function warned(given, before_step)
    local suite, list = tare.suite "s", {}
    suite:bench("allocates", function() return { {}, {} } end)
    suite:bench("does not", function() return 1 end)
    local session = tare.session(suite, given)
    local steps, done = 0
    repeat
      steps = steps + 1
      before_step(steps)
      done = session:step(2)
    until done
    collectgarbage "restart"
    for i, result in ipairs(session:report().results) do
      list[i] = false
      for _, code in ipairs(result.warnings) do
        list[i] = list[i] or code == "collector_stopped"
      end
      if list[i] and not given.gc then assert.is_nil(result.collector) end
    end
    assert.equal(list[1], tare.render(session:report(), "text"):find(
      "the collector was stopped: s/allocates", 1, true) ~= nil)
    return list
  end

  it("says that a host's stopped collector has no part in its figures",
    function()
      if not CAN_TELL then return end
      local function stop() collectgarbage "stop" end
      assert.same({ false, false }, warned({ quota = "20ms" }, function() end))
      assert.same({ true, false }, warned({ quota = "20ms" }, stop))
      assert.same({ false, false }, warned({ quota = "20ms", gc = "paced" },
        stop))
    end)

  it("says so of paced batches, too, where the host collects between its steps",
    function()
      if not CAN_TELL then return end
      assert.same({ true, false }, warned({ quota = "40ms", gc = "paced" },
        function()
          for _ = 1, 100 do local _ = {} end -- luacheck: ignore
          collectgarbage()
          collectgarbage "stop"
        end))
    end)

  it("says so of a policy that stops it, begun in the middle of a session",
    function()
      if not CAN_TELL then return end
      local policy
      assert.same({ true, false }, warned({ quota = "40ms" }, function(steps)
        if steps == 2 then policy = tare.frames.policy "step" end
      end))
      policy:close()
    end)

  it("is what tare.session makes of a suite", function()
    local suite = tare.suite "s"
    suite:bench("a", function() return {} end)
    local session = tare.session(suite, { quota = "5ms" })
    local done, progress
    repeat done, progress = session:step(0.5) until done
    assert.equal(1, progress)
    assert.is_true(session:report().results[1].median.value > 0)
    session:close()
    assert.has_error(function() tare.session {} end,
      "tare.session: expected a suite, got table")
    assert.has_error(function() tare.session(suite, { quota = "x" }) end)
  end)
end)
