local command = require "spec.support.command"

local LUA = os.getenv "TARE_LUA" or "lua5.4"
local TARE = LUA .. " lua/tare/cli/bin.lua run --dry-run --watch "

local folder, bench

local function write(name)
  local file = assert(io.open(bench, "w"))
  file:write(([[local suite = require "tare".suite "s"
    suite:bench("%s", function() return {} end)
    return suite]]):format(name))
  file:close()
end

before_each(function()
  folder = command.path()
  os.execute("mkdir " .. folder)
  bench = folder .. "/x_bench.lua"
end)
after_each(function() os.execute("rm -rf " .. folder) end)

-- Steps in the shell, while tare watches: 'await TEXT FILE' until its output
-- has that, 'rest' until it waits for a change; ends it by a signal.
local function watched(signal, changes, tare)
  -- What an earlier run has said must not be taken for what this one says.
  local script = { ("rm -f %s/out %s/err; %s %s >%s/out 2>%s/err & pid=$!")
    :format(folder, folder, tare or TARE, bench, folder, folder),
    ("await() { n=0; while ! grep -q \"$1\" %s/$2 2>/dev/null; do "
      .. "sleep 0.05; n=$((n+1)); [ $n -lt 400 ] || break; done; }"):format(
      folder),
    ("rest() { n=0; while ! tail -n 1 %s/err | grep -q watching; do "
      .. "sleep 0.05; n=$((n+1)); [ $n -lt 400 ] || break; done; }"):format(
      folder) }
  for _, step in ipairs(changes) do script[#script + 1] = step end
  script[#script + 1] = ("kill -%s $pid; wait $pid; code=$?; cat %s/out; "
    .. "cat %s/err >&2; exit $code"):format(signal, folder, folder)
  return command.shell(table.concat(script, "\n"))
end

local function becomes(name)
  return ("sed 's/\"[a-z]*\", function/\"%s\", function/' %s >%s.new && "
    .. "mv %s.new %s"):format(name, bench, bench, bench, bench)
end

describe("tare run --watch", function()
  it("measures again when a file changes, and ends cleanly by a signal",
    function()
      write "first"
      for _, signal in ipairs { "INT", "TERM" } do
        write "first"
        local code, stdout, stderr = watched(signal, { "await watching err",
          becomes "second", "await s/second: out", "rest" })
        assert.equal("s/first: ok\ns/second: ok\n", stdout)
        assert.equal(0, code, stderr)
        assert.matches("^tare: watching for changes; Ctrl%-C ends\n"
          .. "tare: .*/x_bench%.lua has changed\n", stderr)
        assert.is_nil(stderr:find "traceback")
      end
    end)

  it("watches a bench file that runs itself", function()
    local file = assert(io.open(bench, "w"))
    file:write [[local tare = require "tare"
      local suite = tare.suite "s"
      suite:bench("first", function() return {} end)
      return tare.main(suite, ...)]]
    file:close()
    local code, stdout, stderr = watched("INT", { "await watching err",
      becomes "second", "await s/second: out", "rest" },
      ("sh -c 'exec %s $0 --dry-run --watch'"):format(LUA))
    assert.matches("^s/first: ok\n", stdout)
    assert.equal(0, code, stderr)
    assert.matches("x_bench%.lua has changed\n", stderr)
  end)

  it("does not finish the measurement of what is no more", function()
    local file = assert(io.open(bench, "w"))
    file:write(([[local suite = require "tare".suite "s"
      suite:bench("first", function()
        local file = assert(io.open("%s/first_ran", "w"))
        file:write "yes"
        file:close()
      end)
      return suite]]):format(folder))
    file:close()
    os.execute(("cp %s %s/kept"):format(bench, folder))
    local code, stdout, stderr = watched("INT", { "await yes first_ran",
      ("sed 's/first/second/g' %s/kept >%s.new && mv %s.new %s"):format(folder,
        bench, bench, bench), "await yes second_ran" },
      LUA .. " lua/tare/cli/bin.lua run --watch --quota 500s --progress never")
    assert.equal(130, code, stderr)
    assert.is_nil(stdout:find("first", 1, true))
    assert.matches("x_bench%.lua has changed\n", stderr)
  end)

  it("goes on after a file that can't be loaded", function()
    write "first"
    local code, stdout, stderr = watched("INT", { "await watching err",
      ("cp %s %s/kept; echo 'local x = =' >%s"):format(bench, folder, bench),
      "await unexpected err", ("cp %s/kept %s"):format(folder, bench),
      becomes "third", "await s/third: out", "rest" })
    assert.equal(0, code, stderr)
    assert.matches("s/third: ok", stdout)
    assert.matches("x_bench%.lua:1: unexpected symbol", stderr)
  end)

  it("needs processes that load the files again", function()
    write "first"
    local code, stdout, stderr = command.shell("timeout 20 " .. TARE .. bench
      .. " --launches 0")
    assert.same({ 1, "", "tare: --watch: needs processes that load the files "
      .. "again; leave out --launches 0\n" }, { code, stdout, stderr })
  end)

  it("needs a file to watch", function()
    local code, _, stderr = command.tare("-e", "1 + 1", "--watch")
    assert.equal(1, code)
    assert.equal("tare: --watch: needs a bench file\n", stderr)
  end)
end)
