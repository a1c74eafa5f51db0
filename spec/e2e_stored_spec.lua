local clock = require "tare.env.clock"
local command = require "spec.support.command"
local formats = require "spec.support.formats"
local kept = require "spec.support.kept"
local stored = require "spec.support.stored"
local cjson = require "cjson"

local lines = stored.lines
local keep = kept.keep

local function file(...) return keep(stored.file(...)) end

-- The one line of stderr of a refusal.
local function refusal(...)
  local code, stdout, stderr = command.tare(...)
  assert.equal(1, code, stderr)
  assert.equal("", stdout)
  assert.equal(1, #lines(stderr), stderr)
  assert.is_nil(stderr:find("internal error", 1, true), stderr)
  assert.is_nil(stderr:gsub("\n$", ""):find("%c"), stderr)
  return stderr
end

local function decoded(...)
  local code, stdout, stderr = command.tare(...)
  assert.equal("", stderr)
  assert.equal(0, code)
  return cjson.decode(stdout)
end

after_each(kept.remove)

describe("tare compare", function()
  it("tells the ratio of the first report to the second", function()
    local new = file { stored.result("a", 100), stored.result("b", 300) }
    local old = file { stored.result("a", 200), stored.result("b", 300) }
    local report = decoded("compare", new, old, "--format", "json")
    local first = report.comparisons[1]
    assert.equal("s/a", first.a)
    assert.equal("faster", first.verdict)
    assert.near_relative(0.5, first.ratio.value, 1e-9)
    assert.equal("unclear", report.comparisons[2].verdict)
  end)

  it("says it beside each bench, and names the other file", function()
    local new = file { stored.result("a", 100) }
    local old = file { stored.result("a", 200) }
    local code, stdout = command.tare("compare", new, old)
    assert.equal(0, code)
    assert.truthy(stdout:find("2.00 times as fast (1.97 to 2.03)", 1, true),
      stdout)
    assert.truthy(stdout:find(old, 1, true), stdout)
  end)

  it("exits with 2 where a bench of the first report failed, whatever gates "
    .. "say", function()
    local old = file { stored.result("a", 100), stored.result("b", 100) }
    local new = file { stored.result("a", 100),
      stored.result("b", 100, { error = "oops", time = false }) }
    assert.equal(2, (command.tare("compare", new, old)))
    assert.equal(2, (command.tare("compare", new, old, "--quiet", "--fail-on",
      "allocs>0")))
  end)

  it("flags what differs in the conditions, line by line", function()
    local new = file({ stored.result("a", 100) }, { env = { cores = 8 } })
    local old = file({ stored.result("a", 100) }, { env = { cores = 4 } })
    local code, stdout = command.tare("compare", new, old)
    assert.equal(0, code)
    assert.truthy(stdout:find("note: cores is 8 in " .. new .. " and 4 in "
      .. old, 1, true), stdout)
  end)

  it("refuses times of different processors, unless it is forced", function()
    local new = file({ stored.result("a", 100) }, { env = { cpu = "x" } })
    local old = file({ stored.result("a", 100) }, { env = { cpu = "y" } })
    assert.truthy(refusal("compare", new, old):find(
      "times can't be compared", 1, true))
    assert.equal(0, (command.tare("compare", new, old, "--force")))
  end)

  it("judges gates on counts of different processors all the same", function()
    local out = keep(command.path ".json")
    local new = file({ stored.result("a", 100, { allocs = { value = 6 } }) },
      { env = { cpu = "x" } })
    local old = file({ stored.result("a", 100) }, { env = { cpu = "y" } })
    local code, stdout, stderr = command.tare("compare", new, old, "--fail-on",
      "allocs>0", "-f", "text", "-f", "json", "-o", out)
    assert.equal(3, code)
    assert.truthy(stdout:find("FAILED s/a: allocs rose from 1 to 6", 1, true),
      stdout)
    assert.truthy(stdout:find("times can't be compared", 1, true), stdout)
    assert.equal("tare: 1 gate failed: exit code 3\n", stderr)
    assert.equal("s/a", cjson.decode(command.read(out)).results[1].id)
    assert.equal(0, (command.tare("compare", old, new, "--fail-on",
      "allocs>0")))
    -- What is not judged at all is refused as it is without a gate.
    assert.truthy(refusal("compare", new, old, "--fail-on", "time>5%"):find(
      "times can't be compared", 1, true))
  end)

  it("refuses reports that have no bench in common", function()
    local new = file { stored.result("a", 100) }
    local old = file { stored.result("b", 100) }
    assert.truthy(refusal("compare", new, old):find("in common", 1, true))
  end)

  it("tells which benches only one of them has", function()
    local new = file { stored.result("a", 100), stored.result("n", 1) }
    local old = file { stored.result("a", 100), stored.result("o", 1) }
    local _, stdout = command.tare("compare", new, old)
    assert.truthy(stdout:find("\n *new: s/n"), stdout)
    assert.truthy(stdout:find("\n *gone: s/o"), stdout)
  end)

  it("holds gates, and exits with 3 where one is met", function()
    local new = file { stored.result("a", 200) }
    local old = file { stored.result("a", 100) }
    local code, stdout, stderr = command.tare("compare", new, old, "--fail-on",
      "time>5%", "--fail-on", "allocs>0") -- each holds
    assert.equal(3, code)
    assert.equal("tare: 1 gate failed: exit code 3\n", stderr)
    local said = "s/a: time rose from"
    assert.truthy(stdout:find("FAILED " .. said, 1, true), stdout)
    assert.truthy(stdout:find("\nat most 5% more time than before (gate "
      .. "time>5%, if surely more than before): 1 failed\nno more allocs than "
      .. "before (gate allocs>0): 1 passed\n"
      .. "0 faster, 1 slower, 0 same, 0 unclear, 1 gate failed; exit code 3\n",
      1, true), stdout)
    code, stdout, stderr = command.tare("compare", new, old, "--fail-on",
      "time>5%,allocs>0", "-q")
    assert.equal("", stdout)
    assert.equal(3, code)
    assert.same(2, #lines(stderr))
    assert.truthy(stderr:find("tare: " .. said, 1, true), stderr)
    assert.equal(0, (command.tare("compare", old, new, "--fail-on",
      "time>5%,allocs>0")))
  end)

  it("lets no gate pass that could be held nowhere", function()
    local new = file { stored.result("a", 200) }
    local code, _, stderr = command.tare("compare", new, new, "--fail-on",
      "instructions>0")
    assert.equal(1, code)
    assert.equal("tare: no gate could be checked: no instructions measured "
      .. "(s/a)\n", stderr)
  end)

  it("counts gates that no interval lets judge, and says what CI does",
    function()
      local new = file { stored.result("a", 200, { time = { value = 200 },
        warnings = { "crowded_run" } }) }
      local old = file { stored.result("a", 100) }
      local function compared(rules, ...)
        return command.tare("compare", new, old, "--fail-on", rules, ...)
      end
      local code, stdout, stderr = compared "time>5%"
      assert.equal(1, code)
      assert.equal(("tare: no gate could be checked: too few undisturbed "
        .. "batches for time in %s (s/a); give a longer --quota, or a quieter "
        .. "machine\n")
        :format(new), stderr)
      assert.matches("; exit code 1: a gate could not be checked\n", stdout)
      -- Two times as slow is slower, however noisy.
      local slower = "0 faster, 1 slower, 0 same, 0 unclear, "
      for format, before in pairs { text = "\n" .. slower,
        markdown = "%*%*" .. slower,
        html = '<p class="closing warn">1 slower, ' } do
        code, stdout = compared("time>5%,allocs>0", "--format", format)
        assert.equal(0, code)
        stdout = stdout:gsub("</?span[^>]*>", "") -- of its colours
        assert.matches(before .. "1 gate passed, 1 not checked; ", stdout)
        assert.matches("at most 5%% more time than before %(gate time.-5%%, "
          .. "if surely more than before%):.- 1 not checked.-%(gate "
          .. "allocs.-0%):.- 1 passed", stdout)
      end
    end)

  it("needs two reports", function()
    assert.truthy(refusal("compare", file { stored.result("a", 1) })
      :find("needs two stored reports, NEW.json OLD.json", 1, true))
  end)

  it("needs rules that can be read", function()
    local one = file { stored.result("a", 1) }
    assert.truthy(refusal("compare", one, one, "--fail-on", "speed>1")
      :find("--fail-on: no metric 'speed'", 1, true))
  end)
end)

describe("tare report", function()
  for _, format in ipairs(formats) do
    it("renders in the format " .. format, function()
      local path = file { stored.result("swift", 100) }
      local code, stdout, stderr = command.tare("report", path, "--format",
        format)
      assert.equal("", stderr)
      assert.equal(0, code)
      assert.truthy(stdout:find("swift", 1, true), stdout)
    end)
  end

  it("shows a table where nothing else is asked for", function()
    local path = file { stored.result("a", 100) }
    local csv, page = keep(command.path ".csv"), keep(command.path ".html")
    for _, case in ipairs {
      { "100 ns per call", {} },
      { "^$", { "-o", csv }, csv },
      { "^$", { "-o", csv, "-o", page }, csv, page },
      { "^id,suite,", { "--format", "csv" } },
      { "^id,suite,", { "-o", page, "--format", "csv" }, page },
    } do
      local code, stdout, stderr = command.tare("report", path,
        (unpack or table.unpack)(case[2])) -- luacheck: compat
      assert.same({ 0, "" }, { code, stderr })
      assert.matches(case[1], stdout)
      for i = 3, #case do
        assert.is_true(#command.read(case[i]) > 0)
        os.remove(case[i])
      end
    end
  end)

  it("does not write over what it reads", function()
    local path = file { stored.result("a", 100) }
    local text = command.read(path)
    assert.truthy(refusal("report", path, "-f", "html", "-o", path):find(
      "this file is read, and would be overwritten", 1, true))
    assert.equal(text, command.read(path))
  end)

  it("sorts by any column, either way", function()
    local path = file { stored.result("a", 100), stored.result("b", 50),
      stored.result("c", 70) }
    local function order(by)
      local _, stdout = command.tare("report", path, "--sort=" .. by,
        "--columns", "time")
      return table.concat({ stdout:match("(%l)  +%d.-(%l)  +%d.-(%l)  +%d") })
    end
    assert.same({ "bca", "acb", "cba" }, { order "time", order "-time",
      order "-name" })
    assert.truthy(refusal("report", path, "--sort", "colour"):find(
      "can't sort by 'colour'", 1, true))
  end)

  it("analyses the stored samples again, with other options", function()
    local path = file { stored.result("a", 100, { time = false }) }
    local narrow = decoded("report", path, "--format", "json",
      "--confidence", "0.5").results[1].time
    local wide = decoded("report", path, "--format", "json",
      "--confidence", "0.99", "--resamples", "500").results[1].time
    assert.near_relative(100, narrow.value, 0.01)
    assert.is_true(wide.high - wide.low > narrow.high - narrow.low)
  end)

  it("keeps the options by which was measured", function()
    local path = file({ stored.result("a", 100) }, { options = {
      quota = { ns = 4e7 }, confidence = 0.9 } })
    local options = decoded("report", path, "--format", "json").options
    assert.same({ ns = 4e7 }, options.quota)
    assert.equal(0.9, options.confidence)
    assert.equal(0.8, decoded("report", path, "--format", "json",
      "--confidence", "80%").options.confidence)
  end)

  it("makes up no options by which was measured", function()
    local path = file({ stored.result("a", 100) }, { options = {} })
    local options = decoded("report", path, "--format", "json").options
    assert.equal(0.95, options.confidence) -- of the analysis
    for _, name in ipairs { "quota", "memory_cap", "launches", "order", "gc" }
    do
      assert.is_nil(options[name])
    end
    local _, stdout = command.tare("report", path)
    assert.is_nil(stdout:find("quota", 1, true), stdout)
    _, stdout = command.tare("report", path, "-f", "html")
    assert.is_nil(stdout:find("memory cap", 1, true))
  end)

  it("compares the results again", function()
    local path = file { stored.result("a", 100),
      stored.result("b", 150, { baseline = true }) }
    local report = decoded("report", path, "--format", "json")
    assert.equal("s/a", report.comparisons[1].a)
    assert.equal("faster", report.comparisons[1].verdict)
  end)

  it("keeps comparisons that it can't make again: with another report, and of "
    .. "results without samples", function()
    local new = file { stored.result("a", 100),
      stored.result("b", 300, { compared = "b" }) }
    local old = file { stored.result("a", 200) }
    local path = keep(command.path ".json")
    assert.equal(0, (command.tare("compare", new, old, "-o", path)))
    local report = decoded("report", path, "--format", "json")
    assert.equal(1, #report.comparisons)
    assert.near_relative(0.5, report.comparisons[1].ratio.value, 1e-9)

    path = file({ stored.result("a", 100, { samples = false }),
      stored.result("b", 150, { samples = false, baseline = true }) }, {
      comparisons = { { a = "s/a", b = "s/b", metric = "time",
        verdict = "faster", ratio = { value = 0.67 } } } })
    report = decoded("report", path, "--format", "json")
    assert.equal(1, #report.comparisons)
    assert.equal(0.67, report.comparisons[1].ratio.value)
  end)

  it("leaves out other batches than were left out then", function()
    local made = stored.result("a", 100, { discard = { "gc" } })
    made.samples.gc_major, made.samples.jit_events = {}, {}
    for i = 1, #made.samples.iters do
      made.samples.gc_major[i] = i % 4 == 0 and 1 or 0
      made.samples.jit_events[i] = i % 5 == 0 and 1 or 0
    end
    local report = decoded("report", file { made }, "--format", "json",
      "--discard", "jit")
    assert.equal(8, report.results[1].discarded)
  end)

  it("adds regressions", function()
    local path = file { stored.result("a", 100) }
    local report = decoded("report", path, "--format", "json", "--regress",
      "time:iters,start_ns", "--regress", "time:iters")
    assert.equal("time", report.options.regress[2].responder)
  end)

  it("fits other regressions than those that were asked for then", function()
    local then_asked = { { responder = "time", predictors = { "iters" },
      intercept = true } }
    local path = file { stored.result("a", 100, { regress = then_asked }) }
    local report = decoded("report", path, "--format", "json", "--regress",
      "cycles:iters")
    assert.is_nil(report.results[1].regress)
    assert.equal("cycles", report.options.regress[1].responder)
  end)

  it("writes other formats to files", function()
    local out = keep(command.path ".csv")
    local code, stdout = command.tare("report", file {
      stored.result("a", 100) }, "--quiet", "-o", out)
    assert.equal(0, code)
    assert.equal("", stdout)
    assert.truthy(command.read(out):find("\r\ns/a,", 1, true))
  end)

  it("keeps a result without samples as it is", function()
    local report = decoded("report", file { stored.result("a", 100,
      { samples = false }) }, "--format", "json")
    assert.equal(100, report.results[1].time.value)
  end)

  it("survives stored options that make no sense", function()
    local path = file({ stored.result("a", 100) }, { options = {
      confidence = "x", resamples = -1, seed = {}, regress = { {}, 1 },
      discard = 7, tolerance = {}, quota = { ns = {} }, warmup = 3 } })
    assert.equal(0.95, decoded("report", path, "--format", "json")
      .options.confidence)
  end)
end)

describe("tare merge", function()
  it("makes one report of shards, each result once", function()
    local one = file { stored.result("b", 100) }
    local two = file { stored.result("a", 100) }
    local out = keep(command.path ".json")
    local code, stdout, stderr = command.tare("merge", one, two, "-o", out)
    assert.equal("", stderr)
    assert.equal("", stdout)
    assert.equal(0, code)
    local merged = cjson.decode(command.read(out))
    assert.equal(2, #merged.results)
    assert.equal(2, #merged.envs)
  end)

  it("refuses a result that stands in two reports", function()
    local one = file { stored.result("a", 100) }
    local two = file { stored.result("a", 100) }
    local out = keep(command.file("precious", ".json"))
    assert.truthy(refusal("merge", one, two, "-o", out):find("'s/a' is in "
      .. one .. " and in " .. two, 1, true))
    assert.equal("precious", command.read(out))
  end)

  it("refuses a file that is another one when it is read again", function()
    local merge = require "tare.cli.merge"
    local torn = command.read(file { stored.result("a", 100),
      stored.result("b", 200) }):sub(1, -200)
    for name, text in pairs { another = torn:gsub("s/a", "s/x"),
      fewer = torn:match "^[^\n]*\n" .. "]}\n", none = "" } do
      local one, out = keep(command.file(torn, ".json")), command.path ".json"
      local code, message = merge.run({ files = { one },
        outputs = { { file = out } } }, function(note)
          assert.matches("its end is missing", note)
          command.write(one, text) -- between the two readings
        end)
      assert.is_nil(code, name)
      assert.equal("merge: files are read twice, and one was not the same "
        .. "then: it was changed meanwhile, or is a pipe", message)
      assert.is_nil(io.open(out))
    end
    assert.truthy(select(3, command.shell(("cat %s | %s lua/tare/cli/bin.lua "
      .. "merge /dev/stdin -f json"):format(file { stored.result("a", 100) },
      os.getenv "TARE_LUA" or "lua5.4"))):find("or is a pipe\n$"))
  end)

  it("refuses reports with other options", function()
    local one = file { stored.result("a", 100) }
    local two = file({ stored.result("b", 100) }, { options = { gc = "x" } })
    assert.truthy(refusal("merge", one, two):find("option '", 1, true))
  end)
end)

describe("a stored report whose end is missing", function()
  local path
  before_each(function()
    local whole = command.read(file { stored.result("a", 100),
      stored.result("b", 200) })
    path = keep(command.file(whole:sub(1, -200), ".json"))
  end)
  local function note()
    return ("tare: note: %s: its end is missing; 1 result was read\n"):format(
      path)
  end

  it("is read as far as it goes, with a note", function()
    for _, words in ipairs { { "report", path }, { "compare", path, path },
      { "merge", path, "-f", "text" } } do
      local code, out, err = command.tare((table.unpack or unpack)(words))
      assert.equal(0, code, err)
      assert.equal(words[1] == "compare" and note():rep(2) or note(), err)
      assert.truthy(out:find("\n *a ") or out:find "s/a")
    end
  end)
end)

describe("tare merge of large reports", function()
  it("writes the same to stdout and to a file, not over its input", function()
    local list = { {}, {} }
    for i = 1, 40 do
      table.insert(list[i % 2 + 1], stored.result("f{n=" .. i .. "}", 10 * i,
        { params = { n = i }, name = "f" }))
    end
    local one, two = file(list[1]), file(list[2])
    local out = keep(command.path ".json")
    local code, stdout, err = command.tare("merge", one, two, "-f", "json",
      "-f", "json", "-o", out)
    assert.equal(0, code, err)
    assert.equal(stdout, command.read(out))
    local merged = cjson.decode(stdout)
    for i, result in ipairs(merged.results) do
      assert.equal("s/f{n=" .. i .. "}", result.id)
      assert.equal(40, #result.samples.iters)
      assert.equal(2 - i % 2, 3 - result.env_index)
    end
    assert.equal(40, #merged.sweeps[1].series[1].points)
    local before = command.read(one)
    assert.truthy(refusal("merge", one, two, "-o", one):find(
      "would be overwritten", 1, true))
    assert.equal(before, command.read(one))
  end)
end)

describe("tare env", function()
  it("describes machine and interpreter, with advice", function()
    local code, stdout, stderr = command.tare "env"
    assert.equal("", stderr)
    assert.equal(0, code)
    assert.truthy(stdout:find("\nlua  +%a"))
  end)

  it("does so as JSON", function()
    local told = decoded("env", "--json")
    assert.equal(require("tare.env").fingerprint().lua, told.env.lua)
    assert.equal("table", type(told.advice))
  end)

  describe("of the machine's clock", function()
    -- Windows has its own place for it.
    if command.lacks_shell or command.is_windows then return end
    local folder

    before_each(function()
      folder = command.path()
      command.shell("mkdir -p " .. folder .. "/tare")
    end)
    after_each(function() command.shell("rm -r " .. folder) end)

    local function tare_env(option, state)
      return command.shell(("XDG_STATE_HOME=%s %s lua/tare/cli/bin.lua env %s")
        :format(state or folder, os.getenv "TARE_LUA" or "lua5.4",
          option or ""))
    end

    -- As a run remembers it: 2.5 GHz, and a width that no core has.
    local function remember()
      local one = clock.load { path = folder .. "/tare/machine.json" }
      for _ = 1, 16 do one:observe(0.4, 60) end
      assert.is_true(one:save())
    end

    it("shows what is remembered, and what it is now", function()
      remember()
      local code, out, err = tare_env()
      assert.same({ 0, "" }, { code, err })
      assert.matches("\nclock%.best_width +60\n", out)
      assert.matches("\nclock%.from +remembered\n", out)
      assert.matches("\nclock%.reference_ghz +2%.50*\n", out)
      code, out, err = tare_env "--json"
      assert.same({ 0, "" }, { code, err })
      local told = cjson.decode(out).env.clock
      assert.same({ "remembered", 60 }, { told.from, told.best_width })
      assert.near(0.4, told.reference_ns, 1e-6)
      if not require("tare.core").chain_steps() then return end
      local seen = told.seen_ghz
      assert.is_true(seen.low > 0 and seen.low <= seen.high)
    end)

    it("is not known where its file is a FIFO, which nobody ends", function()
      command.shell("mkfifo " .. folder .. "/tare/machine.json")
      local code, out, err = tare_env()
      assert.same({ 0, "" }, { code, err })
      assert.is_nil(out:find("clock%.from +remembered"), out)
      assert.same({ 0, "no reference clock of this machine was remembered\n",
        "" }, { tare_env "--reset" })
    end)

    it("remembers nothing by itself", function()
      for _ = 1, 2 do
        local code, out = tare_env()
        assert.equal(0, code)
        assert.is_nil(out:find("clock%.from +remembered"), out)
      end
    end)

    it("is forgotten with --reset", function()
      remember()
      assert.same({ 0, "forgot the reference clock of this machine\n", "" },
        { tare_env "--reset" })
      local _, out = tare_env()
      assert.is_nil(out:find("clock%.from +remembered"), out)
      assert.same({ 0, "no reference clock of this machine was remembered\n",
        "" }, { tare_env "--reset" })
    end)

    it("can't be forgotten where its file can't be written", function()
      remember()
      -- The path has room for the file's name, and for no longer one.
      local room = 4095 - #"/tare/machine.json" - #folder
      local state = folder .. ("/"):rep(room % 2)
        .. ("/."):rep(math.floor(room / 2))
      local code, out, err = tare_env("--reset", state)
      assert.same({ 1, "" }, { code, out })
      assert.matches("^tare: /[^\n]+/tare/machine%.json: cannot write: "
        .. "File ?name too long\n$", err)
      local _, shown = tare_env()
      assert.matches("\nclock%.from +remembered\n", shown)
    end)
  end)
end)

describe("a stored report that is", function()
  for name, text in pairs(stored.BROKEN) do
    it(name .. " is refused in one line, and nothing is written", function()
      local path = keep(command.file(text, ".json"))
      local good = file { stored.result("a", 100) }
      local out = keep(command.file("precious", ".json"))
      for _, arguments in ipairs { { "report", path },
        { "compare", path, good }, { "merge", good, path } } do
        arguments[#arguments + 1], arguments[#arguments + 2] = "-o", out
        local said = refusal((table.unpack or unpack)(arguments))
        assert.truthy(said:find(path, 1, true), said)
        assert.equal("precious", command.read(out))
      end
      assert.equal(text, command.read(path))
    end)
  end

  it("a folder, or not there, is refused", function()
    assert.truthy(refusal("report", "spec"):find("spec: Is a directory", 1,
      true))
    assert.truthy(refusal("report", "no.json"):find("no.json", 1, true))
  end)
end)
