local command = require "spec.support.command"
local pack = require "spec.support.pack"

-- What csrc/pure/unpack.c does, by the description of the format.
local function unpacked(block, history)
  local at = 1
  local function length(nibble)
    if nibble < 15 then return nibble end
    repeat
      local more = block:byte(at)
      at, nibble = at + 1, nibble + more
    until more < 255
    return nibble
  end
  local text = history or ""
  while at <= #block do
    local token = block:byte(at)
    at = at + 1
    local run = length(math.floor(token / 16))
    text = text .. block:sub(at, at + run - 1)
    at = at + run
    if at > #block then break end
    local offset = block:byte(at) + 256 * block:byte(at + 1)
    at = at + 2
    for _ = 1, length(token % 16) + 4 do
      text = text .. text:sub(-offset, -offset)
    end
  end
  return text:sub(#(history or "") + 1)
end

describe("the packer", function()
  it("packs what unpacks to the same", function()
    for _, text in ipairs { "", "a", ("ab"):rep(400), command.read("LICENSE"),
      command.read("lua/tare/session.lua") } do
      assert.equal(text, unpacked(pack.packed(text)))
    end
  end)

  it("packs less of what is known", function()
    local text = command.read("lua/tare/session.lua")
    local history = command.read("lua/tare/frames/init.lua")
    local block = pack.packed(text, history)
    assert.equal(text, unpacked(block, history))
    assert.is_true(#block < #pack.packed(text))
    assert.is_true(#pack.packed(history, history) < 100)
  end)

  it("halves Lua source", function()
    local text = command.read("lua/tare/session.lua")
    assert.is_true(#pack.packed(text) < 0.6 * #text)
  end)

  it("takes comments and blanks, and keeps lines and strings", function()
    assert.equal("local a='--x' \nlocal b=[[\n  -- kept]]\n\n\nreturn 1",
      pack.bare("local a = '--x' -- gone\n  local b = [[\n  -- kept]]\n"
        .. "--[[ gone\n too ]]\n    return 1"))
    assert.equal("a=\"\\\"--\"\nb=x - -1", pack.bare(
      "a = \"\\\"--\"\nb = x - -1"))
    assert.equal("f(a[ [[k]] ],1 .. x,{b})", pack.bare(
      "f( a[ [[k]] ], 1 .. x, { b } )"))
  end)
end)
