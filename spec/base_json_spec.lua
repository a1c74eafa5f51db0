local cjson = require "cjson"
local command = require "spec.support.command"
local core = require "tare.core"
local json = require "tare.base.json"

describe("the JSON writer", function()
  it("sorts keys and knows lists from objects", function()
    assert.equal('{"a":[1,2],"b":{"c":true},"warnings":[]}',
      json.encode { b = { c = true }, a = { 1, 2 }, warnings = {} })
  end)

  it("keeps the fields that are objects so when they are empty", function()
    assert.equal('{"params":{},"results":[]}',
      json.encode { params = {}, results = {} })
  end)

  it("writes doubles that read back the same, in few digits", function()
    for _, x in ipairs { 0.1, 1/3, 0.1 + 0.2, 1e-300, 5e-324, 2^53 + 2,
      -1234567.891, 1.7976931348623157e308, 123456789012345678.0 } do
      assert.equal(x, tonumber(json.number(x)))
    end
    assert.equal("0.1", json.number(0.1))
    assert.equal("0", json.number(0 * -1))
    assert.equal("100", json.number(100.0))
    assert.equal("0.30000000000000004", json.number(0.1 + 0.2))
  end)

  it("writes the same where the locale has a decimal comma", function()
    local folder = command.path()
    local numbers = "{ 0.5, 1e-300, 1e308, 3, -1.25, 1/3, { x = 0.1 } }"
    local code, out = command.shell(("mkdir %s; localedef -i de_DE -f UTF-8 "
      .. "%s/de_DE.UTF-8 >&2; LOCPATH=%s %s -e '%s'; rm -r %s"):format(folder,
      folder, folder, os.getenv "TARE_LUA" or "lua5.4", ([[
      local json = require "tare.base.json"
      assert(os.setlocale "de_DE.UTF-8")
      io.write(json.encode ]] .. numbers .. [[, json.number(0.25))
      local store = require "tare.store"
      io.write(" ", json.number(assert(store.parse "[0.5]")[1]))
      assert(os.setlocale "C")]]):gsub("\n", " "), folder))
    assert.equal(0, code)
    assert.equal("[0.5,1e-300,1e+308,3,-1.25,0.33333333333333331,"
      .. '{"x":0.1}]0.25 0.5', out)
  end)

  it("writes NaN and infinities as null", function()
    assert.equal("[null,null,null,1]", json.encode { 0/0, 1/0, -1/0, 1 })
  end)

  it("says of each result that it has no error, or which", function()
    assert.equal('{"error":null,"id":"s/a","suite":"s"}',
      json.encode { id = "s/a", suite = "s" })
    assert.equal('{"error":"no","id":"s/a","suite":"s"}',
      json.encode { id = "s/a", suite = "s", error = "no" })
    assert.equal('{"id":"s/a"}', json.encode { id = "s/a" })
  end)

  it("escapes what JSON does not take as it is", function()
    assert.equal([["\"\\/"]], json.encode '"\\/')
    assert.equal([["\n\t\u0000\u001b\u007f"]], json.encode "\n\t\0\27\127")
    assert.equal('"\239\191\189"', json.encode "\255")
  end)

  it("is read by others as it was meant", function()
    local value = { name = 'x"\r\n\1\195\169', list = { 1.5, "a", false },
      nested = { deeper = { { { 1 } } } } }
    assert.same(value, cjson.decode(json.encode(value)))
  end)

  it("writes a list of numbers in one go, and only that", function()
    assert.equal("[]", core.json_numbers {})
    assert.equal("[0.5]", core.json_numbers { 0.5 })
    assert.equal("[1,null,-2.5,null]",
      core.json_numbers { 1, 0/0, -2.5, 1/0 })
    for _, other in ipairs { "1", true, {} } do
      assert.is_nil(core.json_numbers { other })
      assert.is_nil(core.json_numbers { 1, other, 2 })
    end
    local many = {}
    for i = 1, 3000 do many[i] = i end
    assert.equal("[" .. table.concat(many, ",") .. "]",
      core.json_numbers(many))
    assert.equal("null", core.json_number(-1/0))
  end)

  it("writes lists that hold more than numbers", function()
    assert.equal('[1,"a",[2.5,null],{"b":3}]',
      json.encode { 1, "a", { 2.5, 0/0 }, { b = 3 } })
    assert.equal("[1,true]", json.encode { 1, true })
  end)

  it("refuses what is no plain data", function()
    assert.has_error(function() json.encode(print) end,
      "tare.base.json: can't write a function")
    assert.has_error(function() json.encode { a = 1, [{}] = 2 } end,
      "tare.base.json: a key must be a string, got table")
    local knot = {}
    knot.knot = knot
    assert.has_error(function() json.encode(knot) end,
      "tare.base.json: nested too deeply")
  end)
end)
