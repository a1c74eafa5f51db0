local clocked = require "spec.support.clocked"
local core = require "tare.core"
local embed = require "tare.embed"
local Session = require "tare.session"
local tare = require "tare"

-- A session on a clock that moves only when a bench, or who runs while it
-- waits, says so.
local function new_session(fill, given)
  local process, meter = clocked.process()
  local own = { quota = "50ms", yields = true }
  for name, value in pairs(given or {}) do own[name] = value end
  local cells, settings = clocked.cells(fill, meter, own)
  return Session.new(cells, settings, process), meter
end

local function find(results, name)
  for _, result in ipairs(results) do
    if result.name == name then return result end
  end
end

-- A scheduler: runs f in a coroutine; what it yields goes to 'answer', whose
-- results it is resumed with.
local function schedule(f, answer)
  local thread, yields = coroutine.create(f), 0
  local function go_on(ok, ...)
    if not ok then error((...), 0) end
    if coroutine.status(thread) == "dead" then return ... end
    yields = yields + 1
    assert(yields < 1e5, "a coroutine that does not end")
    return go_on(coroutine.resume(thread, answer(...)))
  end
  return go_on(coroutine.resume(thread))
end

local function step_through(session)
  local steps = 0
  repeat
    steps = steps + 1
    assert(steps < 1e5, "a session that does not end")
    local done = session:step(2)
  until done
  return session:report()
end

describe("a session from a chunk of a C host", function()
  it("is refused by a sentence that names no place in tare's own files",
    function()
      local function suite_of(options)
        local suite = tare.suite "s"
        suite:bench("a", options or print)
        return suite
      end
      for _, case in ipairs {
        { function() return 5 end, "^tare: chunk: " },
        { function() return suite_of(), 5 end, "^tare: the options after the "
          .. "suite must be a table, got number$" },
        { function() return suite_of(), { quota = "x" } end, "^tare: .*quota" },
        { function() return suite_of(), { filter = "a" } end,
          "^tare: filter: no such option$" },
        { function()
            return suite_of { run = print, params = { n = { 1 } },
              where = error }
          end, "^tare: s/a: 'where' failed at {n=1}: " },
        { function() return suite_of(), { yields = true } end,
          "^tare: s/a: yields: a session that is stepped from C has no "
          .. "coroutine" } } do
        local ok, message = pcall(embed.session, case[1], tare, "chunk")
        assert.is_false(ok)
        assert.matches(case[2], message)
      end
    end)
end)

describe("a bench with 'yields'", function()
  it("may yield to the host: its own time and its waits, apart", function()
    local session, meter = new_session(function(suite, _, meter)
      suite:bench("a", function()
        meter:advance(1e4)
        coroutine.yield()
        meter:advance(3e4)
        coroutine.yield()
        meter:advance(2e4)
      end)
    end)
    local report = schedule(function() return step_through(session) end,
      function() meter:advance(2e5) end)
    local a = find(report.results, "a")
    assert.is_nil(a.error)
    assert.near(6e4, a.time.value, 1e-6)
    assert.near(4e5, a.wait.value, 1e-6)
    assert.is_true(a.wait.low <= 4e5 and a.wait.high >= 4e5)
    assert.same("yields", a.loop)
    for _, iters in ipairs(a.samples.iters) do assert.same(1, iters) end
    assert.is_true(#a.samples.iters >= 50)
  end)

  it("takes no longer than its quota, waits included, but for a call",
    function()
      local session, meter = new_session(function(suite, _, meter)
        suite:bench("a", function()
          meter:advance(1e3)
          coroutine.yield()
        end)
      end)
      local report = schedule(function() return step_through(session) end,
        function() meter:advance(1e6) end)
      local calls = #find(report.results, "a").samples.iters
      assert.is_true(calls >= 30 and calls <= 50)
      assert.is_true(meter:now() <= 50e6 + 2 * 1.001e6)
    end)

  it("gets what the scheduler resumes it with, as that gets what it yields",
    function()
      local got, given = {}, {}
      local session, meter = new_session(function(suite, _, meter)
        suite:bench("a", function()
          meter:advance(1e5)
          got[#got + 1] = { coroutine.yield("read", nil, 3) }
        end)
      end)
      schedule(function() return step_through(session) end,
        function(...)
          given[#given + 1] = { select("#", ...), ... }
          meter:advance(1e5)
          return "text", nil, 5
        end)
      assert.is_true(#got > 10)
      assert.same({ 3, "read", nil, 3 }, given[#given])
      assert.same({ "text", nil, 5 }, got[#got])
    end)

  it("may yield in its hooks, which are in no figure", function()
    local order = {}
    local session, meter = new_session(function(suite, _, meter)
      local function hook(name, value)
        return function()
          coroutine.yield()
          order[#order + 1] = name
          return value
        end
      end
      suite:bench("a", { setup = hook("setup", "state"),
        teardown = hook "teardown", before_each = hook("before", "input"),
        after_each = hook "after", run = function(state, input)
          meter:advance(1e4)
          assert(state == "state" and input == "input")
          coroutine.yield()
        end })
    end)
    local report = schedule(function() return step_through(session) end,
      function() meter:advance(1e5) end)
    local a = find(report.results, "a")
    assert.is_nil(a.error)
    assert.near(1e4, a.time.value, 1e-6)
    assert.near(1e5, a.wait.value, 1e-6)
    assert.same({ "setup", "before", "after", "before" },
      { order[1], order[2], order[3], order[4] })
    assert.same("teardown", order[#order])
  end)

  it("that raises after it waited has failed; the others go on", function()
    local session, meter = new_session(function(suite, taking, meter)
      suite:bench("bad", function()
        meter:advance(1e5)
        coroutine.yield()
        error("no", 0)
      end)
      suite:bench("good", function()
        meter:advance(1e5)
        coroutine.yield()
      end)
      suite:bench("other", { run = taking(1e4), yields = false })
      suite:bench("not asked", { yields = false,
        run = function() coroutine.yield() end })
    end)
    local results = schedule(function() return step_through(session) end,
      function() meter:advance(1e5) end).results
    assert.same("no", find(results, "bad").error)
    assert.near(1e5, find(results, "good").time.value, 1e-6)
    assert.near_relative(1e4, find(results, "other").time.value, 1e-9)
    assert.is_nil(find(results, "other").wait)
    assert.matches("it yields .* or measure it with 'yields = true'",
      find(results, "not asked").error)
  end)

  it("leaves the host its collector while it waits", function()
    local session, meter = new_session(function(suite, taking, meter)
      suite:bench("set", { run = taking(1e4), yields = false, gc_pause = 333 })
      suite:bench("waits", function()
        meter:advance(1e4)
        coroutine.yield()
      end)
    end)
    local seen, host = 0, { core.gc_settings() }
    schedule(function() return step_through(session) end, function()
      seen = seen + 1
      assert.same(host, { core.gc_settings() })
      meter:advance(1e4)
    end)
    assert.is_true(seen > 10)
  end)

  -- A scheduler of callbacks: each resumes the coroutine that waited for it.
  local function callbacks(meter)
    local waiting, sleeps = {}, 0
    return function(ns)
      waiting[#waiting + 1] = { thread = coroutine.running(), ns = ns }
      sleeps = sleeps + 1
      if sleeps < 5 then collectgarbage() end -- nobody else keeps who waits
      return coroutine.yield()
    end, function()
      local errors, turns = {}, 0
      while #waiting > 0 do
        turns = turns + 1
        assert(turns < 1e5, "a loop that does not end")
        local one = table.remove(waiting, 1)
        meter:advance(one.ns)
        local ok, message = coroutine.resume(one.thread, "back")
        if not ok then errors[#errors + 1] = message end
      end
      return errors
    end
  end

  it("may be resumed past tare: then its time has the waits in it", function()
    local sleep, session, report
    local clock
    session, clock = new_session(function(suite, taking, meter)
      suite:bench("a", function()
        meter:advance(1e4)
        assert(sleep(3e4) == "back")
        meter:advance(1e4)
        assert(sleep(5e4) == "back")
      end)
      suite:bench("b", { run = taking(1e4), yields = false, gc_pause = 333 })
    end)
    local run
    sleep, run = callbacks(clock)
    local thread = coroutine.create(function()
      local done
      repeat
        done = session:step(0.05)
        sleep(10)
      until done
      report = session:report()
    end)
    local host = { core.gc_settings() }
    assert(coroutine.resume(thread))
    assert.same({}, run())
    assert.same(host, { core.gc_settings() })
    local a = find(report.results, "a")
    assert.is_nil(a.error)
    assert.near(1e5, a.time.value, 1e-6)
    assert.is_nil(a.wait)
    assert.near_relative(1e4, find(report.results, "b").time.value, 1e-9)
  end)

  it("has failed where it raises after that", function()
    local sleep, run
    local session, meter = new_session(function(suite, _, meter)
      suite:bench("a", function()
        meter:advance(1e4)
        sleep(3e4)
        error("late", 0)
      end)
    end)
    sleep, run = callbacks(meter)
    local report
    local thread = coroutine.create(function()
      report = step_through(session)
    end)
    assert(coroutine.resume(thread))
    local errors = run()
    if _VERSION == "Lua 5.1" and not rawget(_G, "jit") then
      assert.same({ "late" }, errors)
      session:cancel()
      report = session:report()
    else
      assert.same("late", find(report.results, "a").error)
    end
    assert.is_string(find(report.results, "a").error)
  end)

  it("says where nothing can resume it", function()
    local session = new_session(function(suite, taking)
      suite:bench("good", taking(1e4))
      suite:bench("bad", function() coroutine.yield() end)
    end)
    local thread, is_main = coroutine.running()
    if thread and not is_main then return end -- busted is in a coroutine
    local results = step_through(session).results
    assert.is_number(find(results, "good").time.value)
    assert.matches("it yields where nothing can resume it: a bench with "
      .. "'yields' is measured by what is called in a coroutine",
      find(results, "bad").error, 1, true)
  end)

  -- Lua 5.1 and 5.2 find out when it happens: there the step raises.
  it("is refused where a function of C is between it and the host", function()
    local session, torn
    session = new_session(function(suite, _, meter)
      suite:bench("a", { teardown = function() torn = true end,
        run = function()
          meter:advance(1e4)
          coroutine.yield()
        end })
    end)
    local said = coroutine.wrap(function()
      local ok, message
      string.gsub("a", "a", function()
        ok, message = pcall(step_through, session)
      end)
      return ok and message.results[1].error or tostring(message)
    end)()
    assert.matches("yield", said)
    session:close()
    assert.is_true(torn)
  end)

  it("can be left while it waits: its teardown runs, and no step again",
    function()
      local calls, torn = 0, 0
      local session = new_session(function(suite, _, meter)
        suite:bench("waits", { teardown = function() torn = torn + 1 end,
          run = function()
            calls = calls + 1
            meter:advance(1e5)
            coroutine.yield()
            calls = calls + 100
          end })
        suite:bench("b", { teardown = function() torn = torn + 1 end,
          run = function() meter:advance(1e5) end })
      end)
      local thread = coroutine.create(function()
        local done, progress
        repeat done, progress = session:step(2) until done
        return done, progress
      end)
      assert(coroutine.resume(thread))
      assert.same("suspended", coroutine.status(thread))
      assert.has_error(function() session:step(2) end,
        "tare: a bench of the session waits: its step is not over")
      session:cancel()
      assert.same(2, torn)
      local results = session:report().results
      assert.same("it waited when the measuring was ended",
        find(results, "waits").error)
      local ok, done, progress = coroutine.resume(thread)
      assert.same({ true, true, 1 }, { ok, done, progress })
      assert.same(1, calls)
      session:close()
    end)

  it("has the rows of the calls before the one that was left", function()
    local session, meter
    session, meter = new_session(function(suite, _, clock)
      suite:bench("waits", function()
        clock:advance(1e5)
        coroutine.yield()
      end)
    end)
    local thread = coroutine.create(function() step_through(session) end)
    for _ = 1, 100 do
      assert(coroutine.resume(thread))
      meter:advance(1e5)
    end
    assert.same("suspended", coroutine.status(thread))
    session:cancel()
    local result = session:report().results[1]
    assert.is_nil(result.error)
    assert.same({ "interrupted" }, result.warnings)
    assert.is_true(#result.samples.iters > 20)
    session:close()
  end)

  it("has calls only: what else there is can't be had", function()
    local clashes = { gc = "collect", gc_pause = 200, timeout = "1s",
      jit = false, profile = true, discard = "gc" }
    for name, value in pairs(clashes) do
      local spec = { yields = true, run = function() end }
      spec[name] = value
      local suite = tare.suite "s"
      suite:bench("a", spec)
      local cells = suite:cells(assert(require("tare.base.options").resolve(nil,
        "spec")))
      assert.matches("'" .. name .. "' can't be had", cells[1].refusal, 1, true)
    end
    local result = tare.measure({ yields = true, batch = function() end },
      { quota = "1ms" })
    assert.matches("'batch' can't be had", result.error, 1, true)
  end)

  it("is not measured from C, where nothing could be resumed", function()
    assert.has_error(function()
      embed.session(function()
        local suite = tare.suite "s"
        suite:bench("a", { yields = true, run = function() end })
        return suite
      end, tare)
    end, "tare: s/a: yields: a session that is stepped from C has no coroutine "
      .. "to yield to: step it in one of Lua's")
  end)

  it("is measured by the library in a coroutine, and shown with its waits",
    function()
      local given = { yields = true, quota = "20ms" }
      local result, both = schedule(function()
        return tare.measure(function() coroutine.yield() end, given),
          tare.compare({ a = function() coroutine.yield() end,
            b = function() coroutine.yield() end }, given)
      end, function()
        local until_ns = core.now_ns() + 1e5
        repeat until core.now_ns() >= until_ns
      end)
      assert.is_nil(result.error)
      assert.is_true(result.wait.value >= 1e5)
      assert.matches("of waiting", tare.render(result, "text"))
      assert.is_nil(tare.render(result, "text"):find("calls/s", 1, true))
      assert.matches("  wait", tare.render({ results = both.results,
        comparisons = both.comparisons, options = {}, env = {},
        schema = "tare/1" }, "text"))
      for _, one in ipairs(both.results) do
        assert.is_true(one.wait.value >= 1e5)
      end
    end)
end)
