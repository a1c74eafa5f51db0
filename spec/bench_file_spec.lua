local benchfile = require "tare.bench.file"
local command = require "spec.support.command"
local kept = require "spec.support.kept"

-- What loading a file with this text gives.
local function loaded(text)
  local path = kept.keep(command.file(text, "_bench.lua"))
  local suites, message = benchfile.load(path)
  return suites, message and message:gsub(path:gsub("%p", "%%%0"), "FILE"), path
end

local MAKE = 'local tare = require "tare" local s = tare.suite "s" '

describe("a bench file", function()
  after_each(kept.remove)

  it("returns a suite, or several", function()
    local suites, _, path = loaded(MAKE .. "return s")
    assert.equal("s", suites[1].name)
    assert.equal(path, suites[1].file)
    assert.equal(2, #loaded(MAKE .. 'return { s, tare.suite "t" }'))
  end)

  it("may end with tare.main, returned or not", function()
    assert.equal("s", loaded(MAKE .. "return tare.main(s, ...)")[1].name)
    local suites = loaded(MAKE .. 'tare.main(s) tare.main(tare.suite "t")')
    assert.same({ "s", "t" }, { suites[1].name, suites[2].name })
  end)

  it("keeps what it returns, whatever it told tare.main", function()
    local suites = loaded(MAKE .. 'tare.main(s) return tare.suite "t"')
    assert.equal(1, #suites)
    assert.equal("t", suites[1].name)
  end)

  it("may load another, whose suites are its own", function()
    local inner = kept.keep(command.file(MAKE .. "tare.main(s)", "_bench.lua"))
    local suites = loaded(('local inner = require("tare.bench.file")'
      .. ".load(%q) "):format(inner)
      .. 'assert(#inner == 1) return require("tare").suite "outer"')
    assert.equal("outer", suites[1].name)
    assert.is_false(benchfile.is_loading())
  end)

  it("says what is wrong with it, in one line", function()
    local function wrong(text) return select(2, loaded(text)) end
    assert.equal("FILE: returns no suite (end it with 'return suite')",
      wrong "return 1")
    assert.equal("FILE: returns a table that is no suite (tare.suite makes "
      .. "one, suite:bench(name, run) adds benches to it)", wrong "return {}")
    assert.matches("^FILE:1: .*near", wrong "return (")
    assert.matches("^FILE:2: mine$", wrong "\nerror 'mine'")
    assert.equal("FILE: a table's", wrong
      [[error(setmetatable({}, { __tostring = function()
        return "a table's" end }))]])
    assert.matches("module 'no%.such' not found %(looked for from the working "
      .. "folder and in LUA_PATH%)$", wrong "require 'no.such'")
    assert.is_nil(wrong("\nerror('a\\nb')"):find "\n")
    assert.is_nil((benchfile.load "no_such_file.lua"))
    assert.is_false(benchfile.is_loading())
  end)
end)
