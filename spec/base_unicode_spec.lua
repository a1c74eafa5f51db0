local unicode = require "tare.base.unicode"

local function codes(s)
  local list = {}
  unicode.map(s, function(code) list[#list + 1] = code or "invalid" end)
  return list
end

describe("unicode", function()
  it("walks characters of one to four bytes", function()
    assert.same({ 0x41, 0xE9, 0x20AC, 0x1F600, 0 },
      codes("A\195\169\226\130\172\240\159\152\128\0"))
  end)

  it("takes no long forms, surrogates, or codes beyond Unicode", function()
    assert.same({ "invalid", "invalid" }, codes("\192\128"))
    assert.same({ "invalid", "invalid", "invalid" }, codes("\224\128\128"))
    assert.same({ "invalid", "invalid", "invalid" }, codes("\237\160\128"))
    assert.same({ "invalid", "invalid", "invalid", "invalid" },
      codes("\244\144\128\128"))
    assert.same({ "invalid" }, codes("\255"))
  end)

  it("goes on after a sequence that is cut short", function()
    assert.same({ "invalid", 0x41 }, codes("\226A"))
    assert.same({ 0x41, "invalid", "invalid" }, codes("A\226\130"))
  end)

  it("repairs what is no UTF-8 and leaves the rest alone", function()
    assert.equal("plain", unicode.repair("plain"))
    assert.equal("\195\169", unicode.repair("\195\169"))
    assert.equal("a\239\191\189b", unicode.repair("a\255b"))
  end)

  it("puts what the visitor returns in a character's place", function()
    assert.equal("a?", unicode.map("a\195\169", function(code)
      return code > 127 and "?" or nil
    end))
  end)
end)
