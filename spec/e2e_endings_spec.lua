local command = require "spec.support.command"
local kept = require "spec.support.kept"
local cjson = require "cjson"

local SUITE = [[
local suite = require "tare".suite "s"
suite:bench("a", function() return {} end)
return suite]]

local suite
local keep = kept.keep

local function report(path) return cjson.decode(command.read(path)) end

before_each(function()
  suite = keep(command.file(SUITE, "_bench.lua"))
end)
after_each(kept.remove)

describe("an interrupted run", function()
  -- Runs a quick bench and a slow one; sends a signal in a call of the slow
  -- one, which lasts until then: its first, or one after so many batches that
  -- enough of them are kept: a warm-up of 10 ms and what counts take half of
  -- them, and each timed batch follows one that is not timed. Returns code,
  -- stdout and stderr.
  local function interrupted(signal, at, save, ...)
    local ready, sent = keep(command.path()), keep(command.path())
    local slow = keep(command.file(([[
      local suite = require "tare".suite "s"
      local told, batches = false, 0
      suite:group("quick", function(group)
        group:bench("a", { quota = "50ms", run = function() return {} end })
      end)
      suite:group("slow", function(group)
        group:bench("b", { quota = "8s",
          before_batch = function() batches = batches + 1 end,
          run = function()
            if not told and batches >= %d then
              told = io.open(%q, "w")
              told:close()
              repeat until io.open(%q)
            end
            return {}
          end })
      end)
      return suite]]):format(at == "measured" and 200 or 0, ready, sent),
      "_bench.lua"))
    return command.shell(([[%s lua/tare/cli/bin.lua run %s --save %s \
        --warmup 10ms --order sequential %s & pid=$!
      while [ ! -e %s ] && kill -0 $pid; do sleep 0.02; done
      kill -%s $pid; echo >%s; wait $pid]]):format(
      os.getenv("TARE_LUA") or "lua5.4", slow, save, table.concat({ ... }, " "),
      ready, signal, sent))
  end

  for _, signal in ipairs { "INT", "TERM" } do
    for launches = 1, 2 do
      it(("reports and stores what it has after SIG%s, in the first of %d")
        :format(signal, launches), function()
        local save = keep(command.path ".json")
        local code, stdout, stderr = interrupted(signal, "measured", save,
          "--launches", launches)
        assert.equal("", stderr)
        assert.equal(130, code)
        assert.truthy(stdout:find("interrupted", 1, true), stdout)
        local results = report(save).results
        assert.equal(2, #results)
        assert.equal("s/slow/b", results[2].id)
        local said = stdout:gsub("%s+", " "):match("interrupted%. .- kept in ")
        local count = "interrupted: %d "
        assert.matches(count, (stdout:gsub("%s+", " ")))
        -- The command that goes on is the last line.
        assert.matches("\n  tare run [^\n]* %-%-resume [^\n]*%.json\n$",
          stdout)
        local _, again = command.tare("report", save)
        again = again:gsub("%s+", " ")
        assert.matches(count, again)
        assert.is_string(said)
        assert.matches("%-%-resume %S+ measures the rest", again)
      end)
    end
  end

  it("says in a line what is kept and how to go on, with --quiet", function()
    local save = keep(command.path ".json")
    local code, stdout, stderr = interrupted("INT", "measured", save,
      "--launches 1 -q")
    assert.equal(130, code)
    assert.equal("", stdout)
    assert.matches("^tare: interrupted: 1 of 2 benches were finished; to "
      .. "finish the run %(what was finished is not measured again; what was "
      .. "cut short is measured anew, in place of its figures%): [^\n]* "
      .. "%-%-resume [^\n]*%.json\n$", stderr)
    local _, said, csv = interrupted("INT", "measured", save,
      "--launches 1 -f csv")
    assert.matches("^id,", said)
    assert.matches("^tare: interrupted: [^\n]*\n$", csv)
  end)

  it("keeps finished benches, and not those that were hardly begun", function()
    local save = keep(command.path ".json")
    local code = interrupted("INT", "begun", save, "--launches 1")
    assert.equal(130, code)
    local results = report(save).results
    assert.equal(1, #results)
    assert.equal("s/quick/a", results[1].id)
  end)
end)

-- A FIFO, which the shell line holds open as descriptor 3: who opens it does
-- not wait, but who reads it, or writes more than it holds.
local function fifo(ending)
  local path = keep(command.path(ending))
  return path, ("mkfifo %s; exec 3<>%s; "):format(path, path)
end

local TARE = (os.getenv "TARE_LUA" or "lua5.4") .. " lua/tare/cli/bin.lua "

-- Sends a signal again and again, until the process has ended.
local UNTIL_IT_ENDS = "(while kill -%s $pid; do sleep 0.05; done) 2>&-& "
  .. "wait $pid"

describe("Ctrl-C", function()
  -- The files are read when all of the blanks, more than a pipe holds, have
  -- gone into it.
  local function while_it_reads(line, before)
    local path, open = fifo()
    return command.shell(("%s%s %s %s 3>&- & pid=$!; "
      .. "head -c 200000 /dev/zero | tr '\\0' ' ' >&3; kill -INT $pid; "
      .. "exec 3>&-; wait $pid"):format(open, before or "", TARE,
      line:format(path, path)))
  end

  for _, line in ipairs { "report %s", "compare %s %s", "merge %s -o x.json",
    "frames %s", "run --baseline %s x_bench.lua" } do
    it("ends 'tare " .. line:format("FILE", "FILE") .. "' while it reads",
      function()
        assert.same({ 130, "", "" }, { while_it_reads((line:gsub("x_bench.lua",
          suite))) })
      end)
  end

  it("is no error of ours where the interpreter makes one of it", function()
    local init = "package.preload.luv=function()error()end "
    assert.same({ 130, "", "" }, { while_it_reads("report %s",
      "LUA_INIT='" .. init .. "'") })
  end)
end)

describe("a signal", function()
  it("that comes before somebody waits for it, or just before nobody does, is "
    .. "not lost", function()
    local signals, uv = require "tare.cli.signals", require "luv"
    for _, is_attended in ipairs { true, false } do
      local watch = signals.watch()
      watch:attend(not is_attended)
      uv.kill(uv.os_getpid(), "sigterm")
      watch:attend(is_attended)
      assert.is_true(watch:seen())
      assert.same({ "sigterm", 1 }, { watch.signal, watch.count })
      watch:close()
    end
  end)
end)

describe("a run that reads what --resume names", function()
  it("is ended by the second signal, and the file is as it was", function()
    local save, text = keep(command.path ".json"),
      '{"schema":"tare/1","results":[],"unfinished":"a journal beside it"}'
    command.write(save, text)
    local journal = keep(save .. ".journal")
    local code = command.shell(("mkfifo %s; exec 3<>%s; %s run %s --resume %s "
      .. "3>&- & pid=$!; head -c 200000 /dev/zero >&3; %s"):format(journal,
        journal, TARE, suite, save, UNTIL_IT_ENDS:format "INT"))
    assert.equal(130, code)
    assert.equal(text, command.read(save))
  end)
end)

describe("a run that is over", function()
  -- A page that no pipe holds.
  before_each(function()
    command.write(suite, (SUITE:gsub('"a"', '("a"):rep(1e5)')))
  end)

  -- Signals that come while it writes the page, of which a byte was read.
  local function signalled(signals, more)
    local save, page, open = keep(command.path ".json"), fifo ".html"
    local code, out, err = command.shell(("%s %s run %s --quota 9x --launches "
      .. "1 --save %s -o %s %s 3>&- & pid=$!; head -c 1 <&3 >/dev/null; %s")
      :format(open, TARE, suite, save, page, more or "", signals:format(page)))
    assert.is_nil(err:find "tare")
    return code, out, report(save)
  end

  it("is ended by the second signal while it writes", function()
    for signal, code in pairs { INT = 130, TERM = 128 + 15 } do
      local ended, out, stored = signalled(UNTIL_IT_ENDS:format(signal))
      assert.same({ code, 0 }, { ended, #out })
      assert.is_not_nil(stored.results[1].id:find "^s/a+$")
      assert.is_not_nil(stored.comparisons)
    end
  end)

  it("writes all that was asked for after the first", function()
    local page = keep(command.path())
    local code, out, stored = signalled(
      "kill -INT $pid; exec 4<%s; exec 3>&-; cat <&4 >" .. page
      .. "; wait $pid")
    assert.equal(0, code)
    assert.is_not_nil(out:find "^s/a+")
    assert.is_not_nil(stored.results[1].id:find "^s/a+$")
    assert.is_not_nil(command.read(page):find "</html>%s*$")
  end)
end)

describe("a run that ignores a signal", function()
  if not io.open "/proc/self/status" then
    return pending "there is no /proc/self/status"
  end

  for _, signal in ipairs { "HUP", "TERM" } do
    it(("goes on after SIG%s, as with nohup"):format(signal), function()
      local ready, sent = keep(command.path()), keep(command.path())
      local save = keep(command.path ".json")
      local waits = keep(command.file(([[
        local suite = require "tare".suite "s"
        suite:bench("a", { setup = function()
          io.open(%q, "w"):close()
          repeat until io.open(%q)
        end, run = function() return {} end })
        return suite]]):format(ready, sent), "_bench.lua"))
      local code, out, err = command.shell(([[trap '' %s
        %s lua/tare/cli/bin.lua run %s --save %s --quota 300x --launches 1 &
        pid=$!; while [ ! -e %s ] && kill -0 $pid; do sleep 0.02; done
        kill -%s $pid; sleep 0.2; echo >%s; wait $pid]]):format(signal,
        os.getenv "TARE_LUA" or "lua5.4", waits, save, ready, signal, sent))
      assert.same({ 0, "" }, { code, err })
      assert.is_nil(out:find("interrupted", 1, true), out)
      assert.equal(1, #report(save).results)
    end)
  end
end)

describe("a run in the command's own process", function()
  it("has stored what was finished when it is killed", function()
    local save = keep(command.path ".json")
    local killing = keep(command.file([[
      local suite = require "tare".suite "s"
      suite:group("first", function(group)
        group:bench("a", function() return {} end)
      end)
      suite:group("last", function(group)
        group:bench("b", function() os.exit(7) end)
      end)
      return suite]], "_bench.lua"))
    local code = command.tare("run", killing, "--launches", "0", "--save",
      save, "--quota", "30ms")
    assert.equal(7, code)
    local results = report(save).results
    assert.equal(1, #results)
    assert.equal("s/first/a", results[1].id)
    assert.is_true(#results[1].samples.iters > 0)
  end)
end)

describe("a bench that never comes back", function()
  -- The exit code of a run that gets SIGTERM twice.
  local function ended_twice(launches)
    local endless = keep(command.file([[
      local suite = require "tare".suite "s"
      suite:bench("endless", function()
        local f = io.open(os.getenv "READY", "w") f:close()
        local last = os.time() + 60 -- where it is not ended
        repeat until os.time() > last
        os.exit(1)
      end)
      return suite]], "_bench.lua"))
    local ready = keep(command.path())
    return (command.shell(([[READY=%s %s lua/tare/cli/bin.lua run %s %s &
      pid=$!
      while [ ! -e %s ]; do sleep 0.02; done
      kill -TERM $pid; sleep 0.2; kill -TERM $pid; wait $pid]]):format(ready,
      os.getenv("TARE_LUA") or "lua5.4", endless, launches, ready)))
  end

  it("is ended by a second signal", function()
    assert.equal(130, ended_twice "")
  end)

  it("is ended by it in the command's own process as by any signal", function()
    assert.equal(128 + 15, ended_twice "--launches 0")
  end)
end)

describe("--dry-run", function()
  it("calls each bench once and measures nothing", function()
    local log = keep(command.path ".log")
    local once = keep(command.file([[
      local suite = require "tare".suite "s"
      local function note(what)
        local f = io.open("]] .. log .. [[", "a") f:write(what, "\n") f:close()
      end
      suite:bench("one", { setup = function() note "setup" end,
        run = function() note "run" end,
        teardown = function() note "teardown" end })
      return suite]], "_bench.lua"))
    local code, stdout = command.tare("run", once, "--dry-run")
    assert.equal(0, code)
    assert.equal("s/one: ok\n", stdout)
    assert.equal("setup\nrun\nteardown\n", command.read(log))
    if command.shell "command -v valgrind" ~= 0 then return end
    os.remove(log)
    command.tare("run", once, "--dry-run", "--machine-instructions")
    assert.equal("setup\nrun\nteardown\n", command.read(log))
  end)

  it("loads each file once", function()
    local log, files = keep(command.path ".log"), {}
    for i, name in ipairs { "a", "b", "c" } do
      files[i] = keep(command.file(([[
        local f = io.open("%s", "a") f:write "%s\n" f:close()
        local suite = require "tare".suite "%s"
        suite:bench("one", function() end)
        return suite]]):format(log, name, name), "_bench.lua"))
    end
    local code = command.tare("run", files[1], files[2], files[3], "--dry-run")
    assert.equal(0, code)
    assert.equal("a\nb\nc\n", command.read(log))
  end)

  it("exits with 2 where a bench fails", function()
    local bad = keep(command.file([[
      local suite = require "tare".suite "s"
      suite:bench("bad", function() error "broken" end)
      suite:bench("unset", { setup = function() error "no" end,
        run = function() end })
      return suite]], "_bench.lua"))
    local code, stdout = command.tare("run", bad, "--dry-run")
    assert.equal(2, code)
    assert.truthy(stdout:find("s/bad: failed: .*broken\n"))
    assert.truthy(stdout:find("s/unset: failed: .*no\n"))
  end)
end)

describe("--iters", function()
  it("calls each bench so often, from once on, and measures nothing", function()
    for _, calls in ipairs { 1, 3 } do
      local log = keep(command.path ".log")
      local counted = keep(command.file(([[
        local suite = require "tare".suite "s"
        suite:bench("one", function()
          local f = io.open(%q, "a") f:write("x") f:close()
        end)
        return suite]]):format(log), "_bench.lua"))
      local code, stdout = command.tare("run", counted, "--iters",
        tostring(calls))
      assert.equal(0, code)
      assert.matches("^s/one: [^\n]*\n$", stdout)
      assert.equal(("x"):rep(calls), command.read(log))
    end
  end)

  it("is a number of calls", function()
    for _, wrong in ipairs { "0", "-1", "1.5", "x" } do
      local code, _, stderr = command.tare("run", suite, "--iters=" .. wrong)
      assert.equal(1, code)
      assert.equal(("tare: --iters: '%s' is not a number of calls\n"):format(
        wrong), stderr)
    end
  end)
end)

describe("a reader that leaves", function()
  it("is no error", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local code, _, stderr = command.shell(("trap '' PIPE; { %s "
      .. "lua/tare/cli/bin.lua run %s --quota 5ms; echo $? >&2; } | true")
      :format(lua, suite))
    assert.equal(0, code)
    assert.equal("0\n", stderr)
  end)

  it("does not keep files from being written", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local out = keep(command.path ".csv")
    command.shell(("%s lua/tare/cli/bin.lua run %s --quota 5ms -o %s | true")
      :format(lua, suite, out))
    assert.truthy(command.read(out):find("s/a", 1, true))
  end)

  it("is told from a full disk", function()
    if not io.open("/dev/full") then return pending("there is no /dev/full") end
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    for _, arguments in ipairs { "run %s --quota 5ms", "list %s",
      "run %s --dry-run" } do
      local code, _, stderr = command.shell(("%s lua/tare/cli/bin.lua %s "
        .. ">/dev/full"):format(lua, arguments:format(suite)))
      assert.equal(1, code)
      assert.truthy(stderr:find("^tare: stdout: [^\n]*space[^\n]*\n$"), stderr)
    end
  end)
end)

describe("a standard stream that is closed", function()
  local line = (os.getenv "TARE_LUA" or "lua5.4") .. " lua/tare/cli/bin.lua "
    .. "run %s --quota 50x --resamples 50 --progress never "

  it("keeps no result from being stored", function()
    local saved = keep(command.path ".json")
    for _, closed in ipairs { "<&-", ">&-", "2>&-", "<&- >&- 2>&-" } do
      local code, _, stderr = command.shell((line .. "-q --save %s %s"):format(
        suite, saved, closed))
      assert.equal(0, code, closed .. stderr)
      assert.equal("s/a", report(saved).results[1].id)
      os.remove(saved)
    end
  end)

  it("is said, where the report would go there", function()
    local code, _, stderr = command.shell((line .. ">&-"):format(suite))
    assert.equal(1, code)
    assert.equal("tare: stdout: Bad file descriptor\n", stderr)
  end)
end)
