-- What the command line does on any system, from a run to its report, in the
-- fewest runs: under Wine each start takes a second (.ci/systems.sh).
local command = require "spec.support.command"
local kept = require "spec.support.kept"
local store = require "tare.store"

local keep = kept.keep

-- A bench that allocates nothing, and one that makes a table of these items.
local function suite_of(items)
  return keep(command.file(([[
    local suite = require "tare".suite "s"
    suite:bench("a", function() return 1 end)
    suite:bench("b", function() return { %s } end)
    return suite]]):format(items), "_bench.lua"))
end

describe("the command line, on this system,", function()
  after_each(kept.remove)

  it("stores, compares with a baseline, gates and draws", function()
    local base, page = keep(command.path ".json"), keep(command.path ".html")
    local code, _, err = command.tare("run", suite_of "1", "--quota", "50x",
      "--launches", "2", "--save", base)
    assert.same({ 0, "" }, { code, err })
    assert.equal(2, #assert(store.read(base)).results)
    local failed, out = command.tare("run", suite_of "1, 2, 3, 4",
      "--quota", "50x", "--launches", "2", "--baseline", base, "--fail-on",
      "bytes>0", "--format", "text", "--format", "html", "-o", page)
    assert.equal(3, failed)
    assert.matches("s/b: bytes", out, 1, true)
    assert.matches("^<!DOCTYPE html>", command.read(page))
    assert.equal(0, (command.tare("compare", base, base)))
    assert.equal(2, (command.tare("run", suite_of "nil + 1", "--quota", "50x")))
    assert.equal(1, (command.tare("run", "no_such_bench.lua")))
  end)

  it("takes a reader that leaves for no error", function()
    local _, _, err = command.shell(("trap '' PIPE; { %s "
      .. "lua/tare/cli/bin.lua run %s --quota 5x; echo $? >&2; } | true")
      :format(os.getenv "TARE_LUA" or "lua5.4", suite_of "1"))
    assert.equal("0\n", err)
  end)

  it("reports and stores what it has when it is interrupted", function()
    local save, ready = keep(command.path ".json"), keep(command.path())
    local slow = keep(command.file(([[
      local suite, batches = require "tare".suite "s", 0
      suite:bench("b", { run = function() return {} end,
        before_batch = function()
          batches = batches + 1
          if batches == 100 then io.open(%q, "w"):close() end
        end })
      return suite]]):format(ready), "_bench.lua"))
    local code, out = command.shell(([[%s lua/tare/cli/bin.lua run %s \
        --save %s --warmup 10ms --launches 1 --quota 60s & pid=$!
      while [ ! -e %s ] && kill -0 $pid; do sleep 0.1; done
      kill -INT $pid; wait $pid]]):format(os.getenv "TARE_LUA" or "lua5.4",
        slow, save, ready))
    assert.equal(130, code)
    assert.matches("1 cut short; exit code 130", out, 1, true)
    assert.equal(1, #assert(store.read(save)).results)
  end)
end)
