local command = require "spec.support.command"

local TWO = [[
local tare = require "tare"
local suite = tare.suite "two"
suite:bench("table", function() return {} end)
suite:bench("sum", { run = function(n) local s = 0
  for i = 1, n do s = s + i end return s end,
  args = function() return 10 end })
return tare.main(suite, ...)
]]

local function bench_file(text) return command.file(text, "_bench.lua") end

local function lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

-- The one line of stderr of a refusal.
local function refusal(expected_code, ...)
  local code, _, stderr = command.tare(...)
  assert.equal(expected_code, code, stderr)
  local said = lines(stderr)
  assert.equal(1, #said, stderr)
  assert.is_nil(stderr:find("traceback"))
  return said[1]
end

describe("tare run", function()
  local path
  setup(function() path = bench_file(TWO) end)
  teardown(function() os.remove(path) end)

  it("is not needed by a file that ends with tare.main", function()
    local file = bench_file((TWO:gsub("args =", "quota = '20ms', args =")
      :gsub("function%(%) return {} end",
        "{ quota = '20ms', run = function() return {} end }")))
    local code, stdout, stderr = command.shell(("%s %s"):format(
      os.getenv("TARE_LUA") or "lua5.4", file))
    os.remove(file)
    assert.equal(0, code, stderr)
    assert.matches("%d ok", stdout)
  end)

  -- With a handler of traces Debian's LuaJIT dies of these (its issue 1087).
  it("measures coroutines in which LuaJIT gives up traces", function()
    local file = bench_file [[local suite = require "tare".suite "co"
      local function texts(n)
        local list = {}
        for i = 1, 100 do list[i] = "unit " .. i .. " of " .. n end
        return table.concat(list)
      end
      suite:bench("resume", function()
        assert(coroutine.resume(coroutine.create(texts), 5))
      end)
      return suite]]
    local code, stdout, stderr = command.tare("run", file, "--quota", "100ms")
    os.remove(file)
    assert.equal(0, code, stdout .. stderr)
  end)

  it("measures the benches of a file and exits with 0", function()
    local json = command.path ".json"
    local code, stdout, stderr = command.tare("run", path, "--quota", "30ms",
      "--format", "json", "-o", json)
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find("table", 1, true))
    local report = require("cjson").decode(command.read(json))
    os.remove(json)
    assert.equal("tare/1", report.schema)
    assert.equal(2, #report.results)
    for _, result in ipairs(report.results) do
      local time = result.time -- without an interval on a crowded machine
      assert.is_true((time.low or time.value) <= time.value)
      assert.is_true(time.value <= (time.high or time.value))
      assert.is_true(time.value > 0)
      assert.equal(#result.samples.iters, #result.samples.wall_ns)
    end
  end)

  it("sets switches by -X, on and off", function()
    local function asked(text)
      local _, stdout, stderr = command.tare("run", path, "--quota", "100x",
        "--launches", "0", "-f", "json", "-X", "profile" .. text)
      assert.equal("", stderr)
      return require("cjson").decode(stdout).options.profile
    end
    for _, text in ipairs { "", "=", "=on", "=true", "=yes" } do
      assert.is_true(asked(text))
    end
    for _, text in ipairs { "=off", "=false", "=no" } do
      assert.is_false(asked(text))
    end
  end)

  it("prints no table where the results go elsewhere, if asked", function()
    local save = command.path ".json"
    local _, stdout = command.tare("run", path, "--quota", "10ms", "-q")
    assert.matches("\n%d ok", stdout)
    local code
    code, stdout = command.tare("run", path, "--quota", "10ms", "-q",
      "--save", save)
    os.remove(save)
    assert.same({ 0, "" }, { code, stdout })
  end)

  it("lists ids without running anything", function()
    local code, stdout = command.tare("list", path)
    assert.equal(0, code)
    assert.same({ "two/table", "two/sum" }, lines(stdout))
  end)

  it("measures only what is chosen", function()
    local _, stdout = command.tare("list", path, "--filter", "*/s*")
    assert.same({ "two/sum" }, lines(stdout))
    assert.truthy(refusal(1, "list", path, "--filter", "x"):find("no bench"))
    for _, name in ipairs { "sum", "two/sum" } do -- a name, or a whole id
      stdout = select(2, command.tare("list", path .. ":" .. name))
      assert.same({ "two/sum" }, lines(stdout))
    end
  end)

  it("is helped with where no command is given", function()
    local code, stdout, stderr = command.tare()
    assert.same({ 0, "" }, { code, stderr })
    assert.matches("^Usage: tare ", stdout)
  end)

  it("lets a bench file run itself", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local code, stdout, stderr = command.shell(lua .. " " .. path
      .. " --quota 20ms")
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find("sum", 1, true))
  end)

  it("measures in its own process a program that no file holds", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local code, stdout, stderr = command.shell(("echo %s | %s -"):format(
      command.quoted [[local tare = require "tare"
        tare.main(tare.suite("s"):bench("sum", function() end), "--quota",
          "5ms")]], lua))
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.matches("sum", stdout)
  end)

  it("lists what is on standard input", function()
    local code, stdout, stderr = command.shell(("cat %s | %s %s list -"):format(
      path, os.getenv("TARE_LUA") or "lua5.4", "lua/tare/cli/bin.lua"))
    assert.equal(0, code, stderr)
    assert.equal("two/table\ntwo/sum\n", stdout)
  end)

  it("says in one line which Lua module is missing, and for whom", function()
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local file = bench_file(TWO)
    for _, name in ipairs { "luv", "argparse", "cjson" } do
      local without = command.file(([[local found = require
        function require(module)
          if module == "%s" then
            error("module '%s' not found:\n\tno file 'x'")
          end
          return found(module)
        end]]):format(name, name), ".lua")
      for _, line in ipairs { file, name ~= "luv" and file .. " list" or file,
        "lua/tare/cli/bin.lua run " .. file } do
        local code, _, stderr = command.shell(("%s -e 'dofile \"%s\"' %s")
          :format(lua, without, line))
        assert.equal(1, code, stderr)
        assert.truthy(stderr:find(("^tare: the Lua module '%s' is missing, "
          .. "which the command and files that run themselves need: install "
          .. "it for %%S+.- %%(LuaRocks: %%S+; Debian: %%S+%%); "
          .. "tare%%.measure needs none\n$"):format(name)), stderr)
      end
      os.remove(without)
    end
    os.remove(file)
  end)

  describe("a bench file that runs itself", function()
    local LUA = os.getenv("TARE_LUA") or "lua5.4"
    local own
    setup(function()
      own = bench_file [[
        local tare = require "tare"
        local flags = { size = { 10, "items of the list" }, name = "x",
          deep = false }
        local suite = tare.suite "own"
        suite:bench("fill", function()
          error(("%s %s %s"):format(flags.size, flags.name,
            tostring(flags.deep)))
        end)
        return tare.main(suite, { flags = flags }, ...)]]
    end)
    teardown(function() os.remove(own) end)

    local function itself(line)
      return command.shell(("%s %s %s"):format(LUA, own, line))
    end

    it("has flags of its own, which its benches read in every process",
      function()
        local code, stdout = itself "--size 20 --name y --deep --quota 9x"
        assert.equal(2, code)
        assert.matches("20 y true", stdout)
        for _, line in ipairs { "--dry-run", "--dry-run --launches 0" } do
          stdout = select(2, itself(line))
          assert.matches("own/fill: failed: .*10 x false", stdout)
        end
        stdout = select(2, command.tare("run", own, "--dry-run"))
        assert.matches("10 x false", stdout)
      end)

    it("stores the values of its flags, which comparisons speak of", function()
      local ok = bench_file [[
        local tare = require "tare"
        local flags = { size = 10, deep = false }
        local suite = tare.suite "own"
        suite:bench("fill", function() return flags.size end)
        return tare.main(suite, { flags = flags }, ...)]]
      local base, out = command.path(), command.path()
      local line = ("%s %s --quota 100x --launches 1 -q "):format(LUA, ok)
      assert.equal(0, (command.shell(line .. "--save " .. base)))
      local code, stdout, stderr = command.shell(("%s --size 20 --save %s "
        .. "--baseline %s"):format(line:gsub("%-q ", ""), out, base))
      assert.equal(0, code, stderr)
      assert.matches("%-%-size is 20 in this run and 10 in ", stdout)
      assert.same({ size = 20, deep = false }, assert(require("tare.store")
        .read(out)).options.flags)
      os.remove(ok)
      os.remove(base)
      os.remove(out)
    end)

    it("shows them in its help", function()
      local code, stdout = itself "--help"
      assert.equal(0, code)
      assert.matches("This file's own:", stdout)
      assert.matches("%-%-size <n> +Items of the list%. %(default: 10%)",
        stdout)
      assert.matches("%-%-deep", stdout)
    end)

    it("refuses values and names that can't be", function()
      local code, _, stderr = itself "--size many"
      assert.equal(1, code)
      assert.matches("^tare: %-%-size: 'many' is not a number", stderr)
      local wrong = bench_file [[local tare = require "tare"
        return tare.main(tare.suite "s", { flags = { quota = 1 } }, ...)]]
      code, _, stderr = command.shell(LUA .. " " .. wrong)
      assert.equal(1, code)
      assert.matches("%-%-quota is an option of tare", stderr)
      os.remove(wrong)
      wrong = bench_file [[local tare = require "tare"
        return tare.main(tare.suite "s", { flags = { size = {} } }, ...)]]
      assert.matches("tare.main: 'flags': the default of 'size' must be",
        (refusal(1, "run", wrong)))
      os.remove(wrong)
    end)

    it("is not overwritten by its own report", function()
      local before = command.read(own)
      for _, line in ipairs { "--save ", "--resume ", "-f json -o " } do
        local code, stdout, stderr = itself("--quota 9x " .. line .. own)
        assert.same({ 1, "" }, { code, stdout })
        assert.matches("^tare: %-[^\n]+: this file is read, and would be "
          .. "overwritten\n$", stderr)
        assert.equal(before, command.read(own))
      end
    end)

    it("lists its benches, and renders reports", function()
      local code, stdout = itself "list"
      assert.same({ 0, "own/fill\n" }, { code, stdout })
      assert.equal("own/fill\n", select(2, itself "list --filter fill --deep"))
      for _, option in ipairs { "--shard 1/2", "--lua luajit", "-f csv",
        "--save x.json" } do
        local refused, out, said = itself("list " .. option)
        assert.same({ 1, "" }, { refused, out })
        assert.matches("^tare: unknown option '%-", said)
      end
      local save = command.path ".json"
      command.tare("run", path, "--quota", "300x", "--save", save)
      code, stdout = itself("report -f csv " .. save)
      os.remove(save)
      assert.equal(0, code)
      assert.matches("two/table", stdout)
    end)
  end)

  it("prints text as wide as asked, in a pipe too", function()
    local widest = require "tare.report.width"
    for _, width in ipairs { 40, 70 } do
      local _, stdout = command.tare("run", path, "--quota", "300x", "--width",
        tostring(width))
      for _, line in ipairs(lines(stdout)) do
        assert.is_true(widest.of(line) <= width, line)
      end
    end
  end)

  it("shows what is hidden in a name", function()
    local hidden = bench_file [[local suite = require "tare".suite "s"
      suite:bench("\27[31m\n\226\128\174a", function() return {} end)
      return suite]]
    local shown = "s/\\x1b[31m\\n\\u{202e}a"
    local _, stdout = command.tare("list", hidden)
    assert.equal(shown .. "\n", stdout)
    stdout = select(2, command.tare("run", hidden, "--dry-run"))
    assert.equal(shown .. ": ok\n", stdout)
    stdout = select(2, command.tare("run", hidden, "--quota", "300x"))
    assert.truthy(stdout:find(shown, 1, true))
    assert.is_nil(stdout:find "\27")
    os.remove(hidden)
  end)

  it("chooses a bench by FILE:NAME", function()
    local _, stdout = command.tare("list", path .. ":su")
    assert.same({ "two/sum" }, lines(stdout))
    _, stdout = command.tare("run", path .. ":table", "--dry-run")
    assert.same({ "two/table: ok" }, lines(stdout))
  end)

  it("keeps a timeout in its own process, or refuses it", function()
    local why = command.is_windows and "there is no timer for that here"
      or require("tare.worker.process").deadline_refusal()
    for own, given in pairs { [""] = " --timeout 50ms",
      ["timeout = '50ms',"] = "" } do
      local file = bench_file(([[
        local suite = require "tare".suite "s"
        suite:bench("endless", { %s run = function() while true do end end })
        return suite]]):format(own))
      local code, stdout, stderr = command.shell(("timeout 20 %s "
        .. "lua/tare/cli/bin.lua run %s --launches 0%s"):format(
        os.getenv "TARE_LUA" or "lua5.4", file, given))
      os.remove(file)
      if why then
        assert.same({ 1, "", ("tare: timeout: %s\n"):format(why) },
          { code, stdout, stderr })
      else
        assert.equal(2, code)
        assert.matches("timed out: it had not returned after 0%.05 s", stdout)
      end
    end
  end)

  it("measures in its own process with --launches 0, and says so", function()
    local json = command.path ".json"
    local code, stdout = command.tare("run", path, "--quota", "30ms",
      "--launches", "0", "--save", json)
    local report = require("cjson").decode(command.read(json))
    os.remove(json)
    assert.equal(0, code)
    assert.matches("one process, that of the program itself", stdout)
    assert.is_true(report.results[1].in_process)
  end)

  if rawget(_G, "jit") then
    it("analyses with the compiler off, and measures with it on",
      function()
        local failing = bench_file [[
          local analysis = require "tare.analysis"
          local analyse = analysis.analyse
          function analysis.analyse(...)
            if jit.status() then error "compiled" end
            return analyse(...)
          end
          local suite = require "tare".suite "s"
          local calls, compiled = 0, 0 -- counted ones are not
          suite:bench("sound", { run = function()
            calls = calls + 1
            if jit.status() then compiled = compiled + 1 end
          end, teardown = function() assert(compiled > 0.5 * calls) end })
          return suite]]
        local code, stdout = command.tare("run", failing, "--quota", "300ms",
          "--launches", "0")
        os.remove(failing)
        assert.equal(0, code)
        assert.is_nil(stdout:find("analysed", 1, true), stdout)
      end)
  end

  it("goes on in a dry run after a bench that exits, and exits with 2",
    function()
      local leaving = bench_file [[
        local suite = require "tare".suite "s"
        suite:bench("leaves", function() os.exit(0) end)
        suite:bench("stays", function() return {} end)
        return suite]]
      local code, stdout = command.tare("run", leaving, "--dry-run")
      os.remove(leaving)
      assert.equal(2, code)
      assert.matches("s/leaves: failed: .*it called os.exit%(0%)\n", stdout)
      assert.matches("\ns/stays: ok\n$", stdout)
    end)

  it("goes on after a bench that raises, and exits with 2", function()
    local failing = bench_file([[
      local suite = require "tare".suite "s"
      suite:bench("bad", function() error "broken" end)
      suite:bench("good", function() return {} end)
      return suite]])
    local json = command.path ".json"
    local code = command.tare("run", failing, "--quota", "20ms", "--save",
      json)
    local report = require("cjson").decode(command.read(json))
    os.remove(json)
    os.remove(failing)
    assert.equal(2, code)
    assert.truthy(report.results[1].error:find("_bench.lua:2: broken"))
    assert.is_number(report.results[2].time.value)
  end)

  describe("refuses with one line", function()
    it("a missing file", function()
      assert.equal("tare: no_such.lua: no such file or folder",
        refusal(1, "run", "no_such.lua"))
    end)

    it("a syntax error, with file and line", function()
      local file = bench_file("local x =\nlocal y")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find(file .. ":2:", 1, true), said)
    end)

    it("a file that returns no suite", function()
      local file = bench_file("return 1")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find("returns no suite", 1, true))
    end)

    it("a file that raises while it is loaded", function()
      local file = bench_file("error('oh no')")
      local said = refusal(1, "run", file)
      os.remove(file)
      assert.truthy(said:find(file .. ":1: oh no", 1, true))
    end)

    it("a bench file that requires what is not there", function()
      local file = bench_file('require "no.such.module"')
      assert.truthy(refusal(1, "run", file):find(
        "module 'no.such.module' not found (looked for", 1, true))
      os.remove(file)
    end)

    it("an unknown option", function()
      assert.truthy(refusal(1, "run", path, "--nonsense"):find("--nonsense",
        1, true))
    end)

    it("a quota that is none", function()
      assert.equal("tare: --quota: 'banana' is not a duration (like 2s or "
        .. "500ms) or a number of calls (like 1e6x)",
        refusal(1, "run", path, "--quota", "banana"))
    end)

    it("a format that is none", function()
      assert.truthy(refusal(1, "run", path, "--format", "pdf"):find("pdf"))
    end)

  end)
end)
