local Suite = require "tare.bench.suite"
local cells = require "tare.worker.cells"
local options = require "tare.base.options"

local function taken(wanted, kind, ids)
  local takes = assert(cells.filter(wanted, kind))
  local list = {}
  for _, id in ipairs(ids) do
    if takes(id) then list[#list + 1] = id end
  end
  return list
end

local IDS = { "json/decode", "json/encode{n=10}", "text/a+b" }

describe("suites without benches", function()
  it("are named by their files, each once", function()
    local function message_of(...)
      local suites = {}
      for i, file in ipairs { ... } do
        suites[i] = Suite.new("s" .. i)
        suites[i].file = file or nil
      end
      return select(2, cells.of_suites(suites, { filter = {},
        settings = assert(options.resolve({}, "spec")) }))
    end
    assert.matches("^a.lua, b.lua: there are no benches in it",
      message_of("a.lua", "a.lua", "b.lua"))
    assert.matches("^suite 's1', suite 's2': there are no",
      message_of(false, false))
  end)
end)

describe("the filter of ids", function()
  it("takes all when nothing is wanted", function()
    assert.same(IDS, taken({}, nil, IDS))
  end)

  it("matches whole ids by glob", function()
    assert.same({ "json/decode" }, taken({ "json/d*" }, "glob", IDS))
    assert.same({}, taken({ "?son" }, "glob", IDS))
    assert.same({ "text/a+b" }, taken({ "text/a+?" }, "glob", IDS))
    assert.same({ "json/encode{n=10}" }, taken({ "*{n=10}" }, "glob", IDS))
  end)

  it("takes many stars for one", function()
    assert.same({ "json/decode" },
      taken({ "json/" .. ("*"):rep(5e4) .. "decode" }, "glob", IDS))
  end)

  it("matches a part of an id by a text without wildcards", function()
    assert.same({ "json/decode", "json/encode{n=10}" },
      taken({ "code" }, nil, IDS))
    assert.same({ "text/a+b" }, taken({ "a+b" }, "glob", IDS))
    assert.same({}, taken({ "JSON" }, "glob", IDS))
  end)

  it("leaves out what '!' names, whatever else is wanted", function()
    assert.same({ "json/decode", "text/a+b" },
      taken({ "!*encode*" }, nil, IDS))
    assert.same({ "json/decode" },
      taken({ "json/*", "!*encode*" }, nil, IDS))
  end)

  it("matches by prefix and by Lua pattern", function()
    assert.same({ "json/decode", "json/encode{n=10}" },
      taken({ "json/" }, "prefix", IDS))
    assert.same({ "json/encode{n=10}" }, taken({ "n=%d+" }, "pattern", IDS))
  end)

  it("says which pattern is malformed", function()
    local takes, message = cells.filter({ "[" }, "pattern")
    assert.is_nil(takes)
    assert.truthy(message:find("'['", 1, true))
  end)
end)
