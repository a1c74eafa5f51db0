-- Real child processes: what launches measure, and what they survive.
local command = require "spec.support.command"
local compat = require "tare.base.compat"
local store = require "tare.store"

local files = {}

local function bench_file(body)
  local path = command.file('local tare = require "tare"\n'
    .. 'local suite = tare.suite "s"\n' .. body, "_bench.lua")
  files[#files + 1] = path
  return path
end

local function run(path, ...)
  local code, out, err = command.tare("run", path, "-q", "--format", "json",
    "--resamples", "100", ...)
  return store.decode(out), code, err
end

local function by_name(report)
  local found = {}
  for _, result in ipairs(report.results) do found[result.name] = result end
  return found
end

local GOOD = 'suite:bench("good", function() return {} end)\n'

describe("tare run --launches", function()
  teardown(function() for _, path in ipairs(files) do os.remove(path) end end)

  it("measures in so many processes within one quota", function()
    local report, code = run(bench_file(GOOD .. "return suite"),
      "--launches", "3", "--quota", "300x")
    local good = report.results[1]
    assert.same({ 0, 3 }, { code, good.launches })
    local calls, seen = good.warmup.calls, {}
    for row, iters in ipairs(good.samples.iters) do
      calls, seen[good.samples.launch[row]] = calls + iters, true
    end
    assert.same({ true, true, true }, seen)
    assert.is_true(calls <= 300)
    assert.equal(3, #report.launches)
    assert.is_string(report.launches[1].hash_order)
  end)

  it("keeps the parameters and compares what belongs together", function()
    local report = run(bench_file [[
      local run = function(p) return p.n end
      local params = { n = { 1, 2.5 } }
      suite:bench("a", { params = params, run = run, baseline = true })
      suite:bench("b", { params = params, run = run })
      return suite]], "--launches", "2", "--quota", "400ms")
    assert.equal(4, #report.results)
    assert.same({ n = 2.5 }, report.results[2].params)
    assert.equal(2, #report.comparisons)
    assert.is_true(report.comparisons[1].rounds > 5)
  end)

  it("stores what has had its last launch before others begin", function()
    local ready, save = command.path(), command.path ".json"
    files[#files + 1], files[#files + 2] = ready, save
    local path = bench_file(([[
      suite:bench("a", { quota = "50ms",
        run = function() return {} end })
      suite:group("late", function(group)
        group:bench("b", { quota = "30s", run = function() return {} end,
          setup = function() io.open("%s", "w"):close() end })
      end)
      return suite]]):format(ready))
    local code = command.shell(([[%s lua/tare/cli/bin.lua run %s --launches 2 \
      --save %s & pid=$!
      while [ ! -e %s ]; do sleep 0.02; done; cp %s %s.kept
      kill -TERM $pid; wait $pid]]):format(os.getenv("TARE_LUA") or "lua5.4",
      path, save, ready, save, save))
    files[#files + 1] = save .. ".kept"
    assert.equal(130, code)
    local results = assert(store.read(save .. ".kept")).results
    assert.equal(1, #results)
    assert.same({ "s/a", 2 }, { results[1].id, results[1].launches })
  end)

  it("keeps a report whole though benches print and exit", function()
    local report, code = run(bench_file(GOOD .. [[
      suite:bench("noisy", function() io.stdout:write(("x"):rep(1000)) end)
      suite:bench("exits", function() os.exit(7) end)
      suite:bench("crashes", function() os.execute "kill -ABRT $PPID" end)
      return suite]]), "--launches", "2", "--quota", "40x")
    local found = by_name(report)
    assert.equal(2, code)
    assert.same({ nil, nil }, { found.good.error, found.noisy.error })
    assert.same({ 2, 2 }, { found.good.launches, found.noisy.launches })
    assert.matches("it called os%.exit%(7%)$", found.exits.error)
    assert.equal("it ended its process: signal 6", found.crashes.error)
  end)

  it("ends what a bench has left, before it kills the process that started "
    .. "its own in the turn of another", function()
      local flag = command.path()
      local report, code = run(bench_file(([[
        local flag = %q
        suite:bench("leaves", { run = function() end, teardown = function()
          -- Not by ps: under a sanitizer it sometimes never ends.
          os.execute(("read -r _ _ _ launch _ </proc/$PPID/stat; (while [ ! "
            .. "-e %%s ]; do sleep 0.02; done; kill -9 $launch) &")
            :format(flag))
        end })
        suite:bench("good", { run = function() end, setup = function()
          io.open(flag, "w"):close()
          os.execute "sleep 0.5"
        end })
        return suite]]):format(flag)), "--launches", "1", "--quota", "90x")
      os.remove(flag)
      local found = by_name(report)
      assert.equal(0, code)
      assert.is_nil(found.leaves.error or found.good.error)
      assert.is_nil(found.good.failed_launches)
    end)

  it("counts a process that fails by chance as one launch less", function()
    local marker = command.path()
    local report, code = run(bench_file(GOOD .. ([[
      local calls = 0
      suite:bench("frail", function()
        calls = calls + 1
        if calls < 10 or io.open(%q) then return end
        io.open(%q, "w"):close()
        os.execute "kill -KILL $PPID"
      end)
      return suite]]):format(marker, marker)), "--launches", "3", "--quota",
      "90x")
    os.remove(marker)
    local frail = by_name(report).frail
    assert.same({ nil, 0, 2 }, { frail.error, code, frail.launches })
    assert.equal("launch_failed", frail.warnings[1])
    assert.equal(1, frail.failed_launches[1].launch)
  end)

  it("begins a bench without the garbage of its set-up", function()
    local report = run(bench_file [[
      suite:bench("first", {
        setup = function()
          local t = {}
          for i = 1, 1e5 do t[i] = { i } end
        end,
        run = function()
          error(("%.0f MB"):format(collectgarbage "count" / 1024), 0)
        end })
      return suite]], "--launches", "1", "--quota", "20x")
    local megabytes = report.results[1].error:match "(%d+) MB"
    assert.is_true(tonumber(megabytes) < 3)
  end)

  it("begins a bench with the pace of a heap that doesn't grow", function()
    -- Right after a heap was built up, Lua 5.4's generational collector waits
    -- until it has doubled; else a fifth more is the most.
    if not compat.HAS_GC_MODES then return end
    local report = run(bench_file [[
      local function kept()
        local t = {}
        for i = 1, 5e4 do t[i] = { i } end
        return t
      end
      local loaded = kept()
      for _, name in ipairs { "loaded", "set up" } do
        suite:bench(name, {
          setup = name == "set up" and kept or function() return loaded end,
          run = function()
            local first, most = collectgarbage "count", 0
            for i = 1, 1e5 do
              local pair = { i, i }
              most = math.max(most, collectgarbage "count", #pair)
            end
            error(("%.0f %%"):format(100 * most / first), 0)
          end })
      end
      return suite]], "--launches", "1", "--quota", "20x",
      "--gc-mode", "generational")
    for _, result in ipairs(report.results) do
      local percent = result.error:match "(%d+) %%"
      assert.is_true(tonumber(percent) < 140, result.error)
    end
  end)

  it("works for a bench file that runs itself", function()
    local path = bench_file(GOOD .. "return tare.main(suite, ...)")
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local code, out = command.shell(("%s %s -q --format json --launches 2 "
      .. "--quota 100x --resamples 100"):format(lua, path))
    assert.equal(0, code)
    assert.equal(2, store.decode(out).results[1].launches)
  end)
end)

describe("tare run --timeout", function()
  teardown(function() for _, path in ipairs(files) do os.remove(path) end end)

  it("ends a bench that never returns, and measures the others", function()
    local report, code = run(bench_file(GOOD .. [[
      suite:bench("hangs", function() while true do end end)
      suite:bench("in C", function() return ("a"):rep(40):find(("a*"):rep(40)
        .. "b") end)
      suite:bench("in setup", { run = function() end,
        setup = function() while true do end end })
      suite:bench("after", function() return 1 end)
      return suite]]), "--timeout", "1s", "--quota", "100x")
    local found = by_name(report)
    assert.equal(2, code)
    for _, name in ipairs { "hangs", "in C", "in setup" } do
      assert.equal("it had not returned after 1 s", found[name].error)
      assert.same({ "timeout" }, found[name].warnings)
    end
    assert.is_nil(found.good.error or found.after.error)
    assert.equal(1, found.good.launches)
  end)

  it("may be a bench's own", function()
    local report = run(bench_file(GOOD .. [[
      suite:bench("hangs", { timeout = "150ms",
        run = function() while true do end end })
      return suite]]), "--timeout", "60s", "--quota", "100x")
    assert.equal("it had not returned after 0.15 s",
      by_name(report).hangs.error)
  end)

  it("is a bench's own without one of the run's, in a child too", function()
    local report = run(bench_file(GOOD .. [[
      suite:bench("sleeps", { timeout = "150ms", quota = "1x",
        run = function() os.execute "sleep 3" end })
      return suite]]), "--quota", "100x")
    local found = by_name(report)
    assert.equal("it had not returned after 0.15 s", found.sleeps.error)
    assert.is_nil(found.good.error)
  end)
end)
