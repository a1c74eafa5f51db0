local command = require "spec.support.command"
local cjson = require "cjson"
local uv = require "luv"

local LUA = os.getenv("TARE_LUA") or "lua5.4"
local here = uv.cwd()
local repository

local function shell(line)
  local code, stdout, stderr = command.shell(("cd %s && %s"):format(
    repository, line))
  return code, stdout, stderr
end

local function write(name, text)
  command.write(repository .. "/" .. name, text)
end

-- tare, from within the repository; 'before' is put in front of the command.
local function tare(arguments, before)
  return shell(("export READY=$PWD/ready "
    .. "LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;;' "
    .. "LUA_CPATH='%s/%s/?.so;;'; %s %s %s/lua/tare/cli/bin.lua %s"):format(
      here, here, here, os.getenv("TARE_BUILD") or "build/" .. LUA,
      before and "env " .. before or "", LUA, here, arguments))
end

-- An environment in which hooks of git find tare.
local function exports()
  return ("export LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;;' "
    .. "LUA_CPATH='%s/%s/?.so;;'; "):format(here, here, here,
      os.getenv "TARE_BUILD" or "build/" .. LUA)
end

local function hook(name, text)
  write(".git/hooks/" .. name, "#!/bin/sh\n" .. text)
  shell("chmod +x .git/hooks/" .. name)
end

local function left_behind()
  local _, stdout = shell "git worktree list"
  return select(2, stdout:gsub("\n", "")) - 1
end

describe("tare compare --ref", function()
  if command.shell "git --version" ~= 0 then
    return pending "there is no git"
  end

  before_each(function()
    repository = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-spec-XXXXXX"))
    write("lib.lua", "return { f = function() return {} end }\n")
    write("x_bench.lua", [[
      local suite = require "tare".suite "s"
      suite:bench("f", require "lib".f)
      return suite]])
    shell("git init -q . && git add -A && git -c user.name=a "
      .. "-c user.email=a@b commit -qm first")
  end)
  after_each(function() command.shell("rm -rf " .. repository .. "*") end)

  it("measures both sides in lockstep, in launches of their own", function()
    write("lib.lua", "return { f = function() return { {}, {}, {}, {} } end }")
    local code, stdout, stderr = tare("compare --ref HEAD x_bench.lua "
      .. "--quota 1s --launches 4 --format json")
    assert.equal("", stderr)
    assert.equal(0, code)
    local report = cjson.decode(stdout)
    assert.equal(2, #report.results)
    local here_now, there = report.results[1], report.results[2]
    assert.same({ "s/f", "s/f{ref=HEAD}" }, { here_now.id, there.id })
    assert.equal("HEAD", there.params.ref)
    assert.equal(1e9, report.options.quota.ns)
    for _, result in ipairs(report.results) do
      assert.equal(4, result.launches)
      assert.equal(4, result.samples.launch[#result.samples.launch])
    end
    -- In turn, batch by batch: of one round, and close to each other in time.
    -- Where others have the core, one side may spend its quota before the
    -- other: what counts are rounds until then, in each launch.
    local rounds, last = {}, {}
    for row, round in ipairs(here_now.samples.round) do
      rounds[round] = here_now.samples.start_ns[row]
      last[here_now.samples.launch[row]] = round
    end
    local shared, both = 0, 0
    for row, round in ipairs(there.samples.round) do
      both = both + (round <= last[there.samples.launch[row]] and 1 or 0)
      if rounds[round] then
        shared = shared + 1
        assert.is_true(math.abs(there.samples.start_ns[row] - rounds[round])
          < 1e9)
      end
    end
    assert.is_true(shared > 0.8 * both)
    assert.equal(1, #report.comparisons)
    local found = report.comparisons[1]
    assert.same({ "s/f", "s/f{ref=HEAD}", "HEAD" },
      { found.a, found.b, found.other })
    assert.is_true(found.ratio.value > 1.5)
    assert.equal(0, left_behind())
  end)

  it("compares with several revisions at once", function()
    shell("git -c user.name=a -c user.email=a@b commit -q --allow-empty "
      .. "-m next")
    write("lib.lua", "return { f = function() return { {}, {}, {}, {} } end }")
    local code, stdout, stderr = tare("compare --ref HEAD~1 --ref HEAD "
      .. "x_bench.lua --quota 200ms --launches 2 --format json")
    assert.equal("", stderr)
    assert.equal(0, code)
    local report, ids, others = cjson.decode(stdout), {}, {}
    for i, result in ipairs(report.results) do ids[i] = result.id end
    for i, one in ipairs(report.comparisons) do
      others[i] = one.a .. " " .. one.other
      assert.is_true(one.rounds > 0) -- in lockstep
      assert.is_true(one.ratio.value > 1.5)
    end
    assert.same({ "s/f", "s/f{ref=HEAD~1}", "s/f{ref=HEAD}" }, ids)
    assert.same({ "s/f HEAD~1", "s/f HEAD" }, others)
    assert.equal(0, left_behind())
  end)

  it("shows its progress on a terminal", function()
    if command.shell "script --version" ~= 0 then
      return pending "there is no script(1), for a terminal"
    end
    write("go.sh", ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;./?.lua;;' "
      .. "LUA_CPATH='%s/%s/?.so;;' %s %s/lua/tare/cli/bin.lua compare "
      .. "--ref HEAD x_bench.lua --quota 900ms --launches 2 >out\n"):format(
      here, here, here, os.getenv "TARE_BUILD" or "build/" .. LUA, LUA, here))
    local _, shown = shell "script -qec 'COLUMNS=80 sh go.sh' /dev/null"
    assert.matches("  0%%, 0 of 2  s/f", shown)
    assert.matches("%d+%%, %d of 2, [%d.]+ m?s left  s/f{ref=HEAD}", shown)
  end)

  it("finds the revision's modules, though LUA_PATH names the working tree",
    function()
      write("lib.lua", "return { f = function() return { {} } end }")
      local link = repository .. "-link" -- a name of the tree that is not git's
      assert(uv.fs_symlink(repository, link))
      for _, tree in ipairs { repository, link } do
        local code, stdout, stderr = tare("compare --ref HEAD x_bench.lua "
          .. "--quota 60ms --launches 2 --format json",
          ("LUA_PATH='%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;;'"):format(here,
            here, tree))
        assert.equal("", stderr)
        assert.equal(0, code)
        local results = cjson.decode(stdout).results
        assert.equal(1, results[2].allocs.value)
        assert.is_true(results[1].allocs.value > 1)
      end
    end)

  it("profiles both sides where a format shows that", function()
    for _, format in ipairs { "folded", "speedscope" } do
      local code, stdout, stderr = tare("compare --ref HEAD x_bench.lua "
        .. "--quota 20x --launches 1 --format " .. format)
      assert.same({ 0, "" }, { code, stderr })
      assert.matches("s/f", stdout)
      assert.matches("ref=HEAD", stdout)
    end
  end)

  it("takes the benches of a file that FILE:NAME chooses, on both sides",
    function()
      for _, name in ipairs { "y", "z" } do
        write(name .. "_bench.lua", ([[
          local suite = require "tare".suite "%s"
          for _, name in ipairs { "f", "g" } do
            suite:bench(name, function() return {} end)
          end
          return suite]]):format(name))
      end
      shell("git add -A && git -c user.name=a -c user.email=a@b commit -qm two")
      local code, stdout, stderr = tare("compare --ref HEAD y_bench.lua:f "
        .. "z_bench.lua --quota 20x --launches 1 --format json")
      assert.equal(0, code, stderr)
      local ids = {}
      for i, result in ipairs(cjson.decode(stdout).results) do
        ids[i] = result.id
      end
      assert.same({ "y/f", "y/f{ref=HEAD}", "z/f", "z/f{ref=HEAD}", "z/g",
        "z/g{ref=HEAD}" }, ids)
    end)

  it("holds gates against the revision", function()
    write("lib.lua", "return { f = function() return { {} } end }")
    local code, stdout, stderr = tare("compare --ref HEAD x_bench.lua "
      .. "--quota 60ms --launches 3 --fail-on 'allocs>0'")
    assert.equal(3, code)
    assert.equal("tare: 1 gate failed: exit code 3\n", stderr)
    assert.matches("\nFAILED s/f: allocs rose from 1 to %d per call", stdout)
    code, stdout, stderr = tare("compare --ref HEAD x_bench.lua --quota 60ms "
      .. "--launches 3 --fail-on 'allocs>5'")
    assert.is_nil(stdout:find("file has changed", 1, true)) -- on purpose
    assert.equal("", stderr)
    assert.equal(0, code)
  end)

  it("counts benches that only one side has in its closing line", function()
    write("x_bench.lua", [[
      local suite = require "tare".suite "s"
      suite:bench("f", require "lib".f)
      suite:bench("g", require "lib".f)
      suite:bench("h", require "lib".f)
      return suite]])
    local function line()
      local code, stdout = tare "compare --ref HEAD x_bench.lua --quota 10x"
      assert.equal(0, code)
      return stdout
    end
    local stdout = line()
    assert.matches("\n[^\n]* same[^\n]*, 2 new[^\n]*\n", stdout)
    assert.matches("new: s/g, s/h%.", stdout)
    shell "git add -A && git -c user.name=a -c user.email=a@b commit -qm next"
    write("x_bench.lua", [[
      local suite = require "tare".suite "s"
      suite:bench("f", require "lib".f)
      suite:bench("i", require "lib".f)
      return suite]])
    stdout = line()
    assert.matches("\n[^\n]* same[^\n]*, 1 new, 2 gone[^\n]*\n", stdout)
    assert.matches("gone: s/g, s/h%.", stdout)
    assert.is_nil(stdout:find("only in", 1, true))
  end)

  it("measures a bench file that the revision lacks alone, and says so",
    function()
      write("new_bench.lua", [[
        local suite = require "tare".suite "n"
        suite:bench("f", require "lib".f)
        return suite]])
      local code, stdout, stderr = tare("compare --ref HEAD new_bench.lua "
        .. "--quota 10x --fail-on 'allocs>0' --save r.json -o r.html")
      assert.equal(0, code, stderr)
      assert.matches("^n/f .* per call ", stdout)
      assert.equal("tare: note: not in HEAD, so not compared: new_bench.lua\n",
        stderr)
      local report = cjson.decode(command.read(repository .. "/r.json"))
      assert.equal("n/f", report.results[1].id)
      assert.is_nil(report.results[2])
      assert.matches("n/f", command.read(repository .. "/r.html"))
      assert.equal(0, left_behind())
    end)

  it("refuses what it can't measure, and leaves nothing behind", function()
    local refusals = {
      { "compare --ref none x_bench.lua", "'none' is not a revision of" },
      { "compare --ref HEAD no_bench.lua", "no such file" },
      { "compare --ref HEAD /dev/null", "is not in the repository" },
      { "compare --ref=--help x_bench.lua", "is not a revision" },
    }
    for _, refusal in ipairs(refusals) do
      local code, stdout, stderr = tare(refusal[1] .. " --quota 20ms")
      assert.equal(1, code, refusal[1])
      assert.equal("", stdout)
      assert.equal(1, select(2, stderr:gsub("\n", "")), stderr)
      assert.truthy(stderr:find(refusal[2], 1, true), stderr)
      assert.equal(0, left_behind())
    end
  end)

  it("says in a line what kind of repository it can't compare in", function()
    local top = repository
    local function refused(name, make, arguments, pattern)
      shell(make)
      repository = top .. "/" .. name
      local code, stdout, stderr = tare(arguments)
      repository = top
      assert.equal("", stdout)
      assert.equal(1, code)
      assert.matches("^tare: [^\n]+\n$", stderr)
      assert.matches(pattern, stderr)
    end
    refused("shallow", "git clone -q --depth 1 file://$PWD shallow",
      "compare --ref HEAD~1 x_bench.lua", "which is a shallow clone")
    refused("bare.git", "git clone -q --bare . bare.git && cp x_bench.lua "
      .. "bare.git", "compare --ref HEAD x_bench.lua", "is a bare repository")
  end)

  it("says that a checkout lacks its submodules", function()
    shell("git clone -q . other && git -c protocol.file.allow=always submodule "
      .. "--quiet add file://$PWD/other sub && git -c user.name=a "
      .. "-c user.email=a@b commit -qm second")
    local code, _, stderr = tare("compare --ref HEAD x_bench.lua --quota 10x "
      .. "--resamples 50")
    assert.equal(0, code)
    assert.equal("tare: note: the checkout of HEAD is without its submodules: "
      .. "sub\n", stderr)
  end)

  it("compares with a revision whatever is changed, staged or not", function()
    write("lib.lua", "return { f = function() return 1 end }")
    shell "git add lib.lua"
    write("lib.lua", "return { f = function() return 2 end }")
    local _, before = shell "git status --short"
    assert.equal("MM lib.lua\n", before:match "[^\n]*lib.lua\n")
    assert.equal(0, (tare("compare --ref HEAD x_bench.lua --quota 10x "
      .. "--resamples 50")))
    assert.equal(before, select(2, shell "git status --short"))
  end)

  it("compares with a revision of any name", function()
    shell "git branch a,b"
    local code, stdout, stderr = tare("compare --ref 'HEAD@{0}' --ref a,b "
      .. "x_bench.lua --quota 20x --launches 1 --format json")
    assert.same({ 0, "" }, { code, stderr })
    local others = {}
    for i, one in ipairs(cjson.decode(stdout).comparisons) do
      others[i] = one.a .. " " .. one.other
    end
    assert.same({ "s/f HEAD@{0}", "s/f a,b" }, others)
  end)

  it("works in a hook, which git tells of another index", function()
    write("lib.lua", "return { f = function() return { {} } end }")
    hook("pre-commit", ("exec %s %s/lua/tare/cli/bin.lua compare --ref HEAD "
      .. "x_bench.lua --quota 20x --launches 1 --format json >said\n"):format(
      LUA, here))
    for _, more in ipairs { "", "GIT_WORK_TREE=$PWD GIT_DIR=$PWD/.git " } do
      write("lib.lua", ("-- %s\nreturn { f = function() return { {} } end }")
        :format(more))
      local code, _, stderr = shell(exports() .. more .. "git -c user.name=a "
        .. "-c user.email=a@b commit -qam next")
      assert.same({ 0, "" }, { code, stderr })
      assert.equal(1, #cjson.decode(command.read(repository .. "/said"))
        .comparisons)
      assert.equal("?? said\n", select(2, shell "git status --short"))
      assert.equal(0, left_behind())
    end
  end)

  it("waits for no process that a hook of git leaves behind", function()
    hook("post-checkout", ("{ sleep 30; echo >%s/ended; } &\necho $! >%s/pid")
      :format(repository, repository))
    local code, _, stderr = tare("compare --ref HEAD x_bench.lua --quota 20x "
      .. "--launches 1")
    assert.same({ 0, "" }, { code, stderr })
    assert.is_nil(io.open(repository .. "/ended"))
    shell "kill $(cat pid)"
  end)

  it("refuses a temporary folder that is not there", function()
    local code, _, stderr = tare("compare --ref HEAD x_bench.lua",
      "TMPDIR=/nowhere/at/all")
    assert.equal(1, code)
    assert.matches("^tare: [^\n]+/nowhere/at/all/ %(TMPDIR%): no such file or "
      .. "directory\n$", stderr)
  end)

  it("removes the checkouts that a killed run left", function()
    local folder = repository .. "/tmp"
    shell "mkdir tmp"
    write("lib.lua", [[io.open(os.getenv "READY", "w"):close()
      while true do end]])
    shell "git -c user.name=a -c user.email=a@b commit -qam second"
    local ready = repository .. "/ready"
    tare(("compare --ref HEAD x_bench.lua >/dev/null 2>&1 & pid=$!; "
      .. "while [ ! -e %s ] && kill -0 $pid; do sleep 0.02; done; "
      .. "kill -KILL $pid"):format(ready), "TMPDIR=" .. folder)
    local function names() return select(2, shell "ls -A tmp") end
    assert.matches("^tare%-ref%-%w+\n$", names())
    write("lib.lua", "return { f = function() return 2 end }")
    assert.equal(0, (tare("compare --ref HEAD~1 x_bench.lua --quota 10x "
      .. "--resamples 50", "TMPDIR=" .. folder)))
    assert.equal("", names())
    assert.equal(0, left_behind())
  end)

  it("tells what a side can't be loaded for", function()
    write("lib.lua", "error 'broken'")
    local code, stdout, stderr = tare(
      "compare --ref HEAD x_bench.lua --quota 20ms")
    assert.equal(1, code)
    assert.equal("", stdout)
    assert.equal("tare: the working tree: x_bench.lua: ./lib.lua:1: broken\n",
      stderr)
    assert.equal(0, left_behind())
  end)

  it("goes without a trace when it is interrupted", function()
    write("lib.lua", [[return { f = function()
      local f = io.open(os.getenv "READY", "w") f:close()
    end }]])
    local ready = repository .. "/ready"
    local code, _, stderr = tare(("compare --ref HEAD x_bench.lua --quota 60s "
      .. "& pid=$!; while [ ! -e %s ] && kill -0 $pid; do sleep "
      .. "0.02; done; kill -TERM $pid; wait $pid"):format(ready))
    assert.equal(130, code, stderr)
    assert.equal(0, left_behind())
  end)

  it("goes without a trace when git is at work, or a hook of it", function()
    shell "mkfifo held; mkdir tmp"
    for before, kill in pairs { [""] = "kill -TERM $pid;", ["trap '' TERM; "]
      = "(while kill -TERM $pid; do sleep 0.05; done) 2>&-&" } do
      hook("post-checkout", before
        .. "cd $HERE; : >ready; timeout 60 cat <held; : >went_on")
      local code, out, err = tare("compare --ref HEAD x_bench.lua & pid=$!; "
        .. "while [ ! -e ready ] && kill -0 $pid; do sleep 0.02; done; "
        .. kill .. " wait $pid", ("TMPDIR=%s/tmp HERE=%s"):format(repository,
        repository))
      assert.truthy(code == 130 or code == 128 + 15, err) -- all was done
      assert.equal("", out)
      local _, left = shell("ls -A tmp; rm ready; ls went_on 2>&-")
      assert.same({ "", 0 }, { left, left_behind() })
    end
  end)

  it("has taken the checkouts away when it writes its report", function()
    shell "mkfifo page.html; mkdir tmp"
    write("x_bench.lua", [[
      local suite = require "tare".suite "s"
      suite:bench(("f"):rep(1e5), require "lib".f)
      return suite]])
    local code, out, err = tare("compare --ref HEAD x_bench.lua --quota 9x "
      .. "-o page.html & pid=$!; exec 3<>page.html; head -c 1 <&3 >/dev/null; "
      .. "ls -A tmp; git worktree list | wc -l; "
      .. "(while kill -INT $pid; do sleep 0.05; done) 2>&-& wait $pid",
      "TMPDIR=" .. repository .. "/tmp")
    assert.is_nil(err:find "tare: [^n]", err)
    assert.same({ 130, "1\n" }, { code, out })
  end)

  it("goes without a trace when Ctrl-C is pressed twice", function()
    write("lib.lua", [[return { f = function()
      local f = io.open(os.getenv "READY", "w") f:close()
    end }]])
    local ready = repository .. "/ready"
    local code, _, stderr = tare(("compare --ref HEAD x_bench.lua --quota 60s "
      .. "& pid=$!; while [ ! -e %s ] && kill -0 $pid; do sleep "
      .. "0.02; done; kill -TERM $pid; sleep 0.06; kill -TERM $pid; "
      .. "wait $pid"):format(ready))
    assert.truthy(code == 130 or code == 128 + 15, stderr) -- all was done
    assert.equal(0, left_behind())
  end)
end)
