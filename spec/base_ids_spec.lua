local ids = require "tare.base.ids"

describe("an id", function()
  it("is a bench and the texts of its parameters", function()
    local bench, texts = ids.split "vec/fill{n=100,impl=a}"
    assert.equal("vec/fill", bench)
    assert.same({ "n=100", "impl=a" }, texts)
    assert.equal("impl", ids.name(texts[2]))
  end)

  it("may have none", function()
    local bench, texts = ids.split "vec/fill"
    assert.same({ "vec/fill", {} }, { bench, texts })
  end)

  it("gains and loses a parameter", function()
    assert.equal("vec/fill{n=1}", ids.with("vec/fill", "n", "1"))
    assert.equal("vec/fill{n=1,lua=luajit}",
      ids.with("vec/fill{n=1}", "lua", "luajit"))
    assert.equal("vec/fill{n=1}", ids.without("vec/fill{n=1,ref=v1}", "ref"))
    assert.equal("vec/fill", ids.without("vec/fill{ref=v1}", "ref"))
    assert.equal("vec/fill{n=1}", ids.without("vec/fill{n=1}", "ref"))
    for _, odd in ipairs { "vec/f{}", "vec/a{1,,2}" } do -- names are free
      assert.equal(odd, ids.without(odd, "ref"))
    end
  end)

  it("has any value of a parameter, and loses it again", function()
    for _, value in ipairs { "@{u}", "a,b", "50%", "x=1", '"q"' } do
      local id = ids.with("vec/fill{n=1}", "ref", value)
      assert.equal(2, #select(2, ids.split(id)), id)
      assert.equal("vec/fill{n=1}", ids.without(id, "ref"))
      assert.equal(id, ids.without(id, "n"):gsub("{", "{n=1,"), id)
    end
    assert.equal("vec/fill{ref=@%7Bu%7D}", ids.with("vec/fill", "ref", "@{u}"))
  end)
end)
