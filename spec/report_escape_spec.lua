local escape = require "tare.report.escape"
local fixtures = require "spec.support.fixtures"
local report = require "tare.report"

describe("escaping", function()
  it("shows control characters instead of sending them", function()
    assert.equal("\\x1b[31mred\\n\\t\\x00\\x7f",
      escape.visible("\27[31mred\n\t\0\127"))
    assert.equal("\\x9b\\u{202e}\\u{200b}",
      escape.visible("\194\155\226\128\174\226\128\139"))
    assert.equal("\\xff\\xc3(", escape.visible("\255\195("))
  end)

  it("leaves letters of any language alone", function()
    for _, s in ipairs { "plain", "\195\169t\195\169", "\230\151\165" } do
      assert.equal(s, escape.visible(s))
    end
  end)

  it("keeps Markdown's signs from meaning anything", function()
    assert.equal("a\\|b\\*c\\`\\<b\\>\\\\n", escape.markdown("a|b*c`<b>\n"))
    assert.equal("&#64;me {n=1}", escape.markdown("@me {n=1}"))
  end)

  it("makes XML of any bytes", function()
    assert.equal("&lt;a b=&quot;&#39;&amp;&gt;\\x01\\xff",
      escape.xml("<a b=\"'&>\1\255"))
  end)

  it("quotes fields of CSV where it must", function()
    assert.equal("plain", escape.csv("plain"))
    assert.equal('"a,b"', escape.csv("a,b"))
    assert.equal('"say ""x"""', escape.csv('say "x"'))
    assert.equal('"two\r\nlines"', escape.csv("two\r\nlines"))
    assert.equal("", escape.csv(nil))
    assert.equal("", escape.csv(0/0))
    assert.equal("0.1", escape.csv(0.1))
    assert.equal("-5", escape.csv(-5))
    assert.equal("true", escape.csv(true))
  end)

  it("disarms what a spreadsheet would compute", function()
    for _, s in ipairs { "=1+1", "+1", "-1", "@sum", "\tx" } do
      assert.equal("'" .. s, escape.csv(s))
    end
    assert.equal("\"'=a,b\"", escape.csv("=a,b"))
  end)

  it("trims texts", function()
    for text, trimmed in pairs { [""] = "", [" \n "] = "", [" a  b\t"] =
      "a  b", ["a\n"] = "a", [" a"] = "a", ["\0 "] = "\0" } do
      assert.equal(trimmed, escape.trim(text))
    end
    assert.equal(" a", escape.trim_end " a ")
  end)

  it("trims names and source lines of many blanks as soon as others", function()
    local blanks = (" "):rep(1e5)
    local data = fixtures.report()
    local result = data.results[1]
    data.results, data.comparisons, data.sweeps = { result }, {}, nil
    result.id = "s/a" .. blanks .. "b"
    result.profile = { calls = 1, instructions = 1, allocs = 0, bytes = 0,
      lines = { { source = "x", line = 1, instructions = 1, allocs = 0,
        bytes = 0, freed_bytes = 0 } },
      sources = { { source = "x", from = 1, text = { "a" .. blanks .. "b" } } }
    }
    for _, format in ipairs { "text", "pyperf" } do
      local before = os.clock()
      assert.is_string(report.render(data, format))
      assert.is_true(os.clock() - before < 5, format)
    end
  end)

  it("lets no byte of a hostile name reach a terminal", function()
    assert.is_nil(escape.visible(fixtures.HOSTILE):find("%c"))
  end)
end)
