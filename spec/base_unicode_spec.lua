local unicode = require "tare.base.unicode"

local function codes(s)
  local list = {}
  unicode.map(s, function(code) list[#list + 1] = code or "invalid" end)
  return list
end

local function encoded(code)
  if code < 0x80 then return string.char(code) end
  local tail, limit, leads = {}, 0x40, { 0xC0, 0xE0, 0xF0 }
  while code >= limit do
    table.insert(tail, 1, string.char(0x80 + code % 64))
    code, limit = math.floor(code / 64), #tail == 1 and 0x20 or limit / 2
  end
  return string.char(leads[#tail] + code) .. table.concat(tail)
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

  it("shortens a message once, and stays valid", function()
    assert.equal("short", unicode.shortened "short")
    assert.is_nil(unicode.shortened(nil))
    for _, text in ipairs { "x", "\195\169", "\255", "a\226\130" } do
      local message = text:rep(2^20)
      local short = unicode.shortened(message)
      assert.is_true(#short < 4200)
      assert.matches(("%%.%%.%%. %%(%d bytes, shortened%%)$"):format(#message),
        short)
      assert.equal(short, unicode.repair(short))
      assert.equal(short, unicode.shortened(short))
    end
  end)

  it("puts what the visitor returns in a character's place", function()
    assert.equal("a?", unicode.map("a\195\169", function(code)
      return code > 127 and "?" or nil
    end))
  end)

  it("shows what is invisible, changes the direction or is no character",
    function()
      local function of(code)
        return unicode.visible("a" .. encoded(code) .. "b")
      end
      for _, code in ipairs { 0xAD, 0x61C, 0x115F, 0x180E, 0x200B, 0x200E,
        0x202E, 0x2060, 0x2066, 0x2069, 0x2800, 0x3164, 0xFEFF, 0xFFA0, 0xFFFE,
        0xFFFF, 0x1FFFE, 0xE0041 } do
        assert.equal(code < 256 and ("a\\x%02xb"):format(code)
          or ("a\\u{%x}b"):format(code), of(code))
      end
      for _, code in ipairs { 0xE9, 0x4E2D, 0x1F600, 0x200D, 0xFE0F } do
        assert.is_nil(of(code):find("\\", 1, true))
      end
    end)
end)
