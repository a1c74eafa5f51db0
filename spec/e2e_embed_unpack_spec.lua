-- What the C interface does with the packed Lua part, on packed bytes that are
-- made here, sound ones and damaged ones (csrc/pure/unpack.h).
local command = require "spec.support.command"

if os.getenv "TARE_LUA" == "luajit" then return end -- it is the same there

describe("packed text", function()
  local program, input
  setup(function()
    if command.shell "command -v cc" ~= 0 then return end
    program, input = command.path(), command.path()
    local code, _, stderr = command.shell(("cc -std=c99 -Wall -Wextra -O1 "
      .. "-Icsrc -o %s spec/support/unpack.c csrc/pure/unpack.c"):format(
      program))
    assert.equal(0, code, stderr)
  end)
  teardown(function()
    if program then os.remove(program) os.remove(input) end
  end)

  -- What is unpacked; fails where more than 'size' bytes were written.
  local function unpacked(packed, size, known)
    command.write(input, packed)
    local code, text = command.shell(("%s %d '%s' <%s"):format(program, size,
      known or "", input))
    assert.equal(0, code)
    return text
  end

  local function spec(name, run)
    it(name, function()
      if not program then return pending "there is no C compiler" end
      run()
    end)
  end

  spec("has runs of its own bytes and copies of those before", function()
    assert.equal("hello", unpacked("\80hello", 5))
    assert.equal("", unpacked("", 5))
    assert.equal("abcabcab", unpacked("\49abc\3\0", 8)) -- 4 + 1, one by one
    assert.equal("aaaaaaaaab", unpacked("\20a\1\0\16b", 10))
    assert.equal("known now", unpacked("\64 now", 9, "known"))
    assert.equal("knownknow", unpacked("\0\5\0", 9, "known"))
  end)

  spec("has lengths of any size", function()
    for _, length in ipairs { 14, 15, 16, 269, 270, 271, 525, 4000 } do
      local more, head = length - 15, ""
      while more >= 255 do head, more = head .. "\255", more - 255 end
      if more >= 0 then head = head .. string.char(more) end
      local text = ("0123456789"):rep(400):sub(1, length)
      local nibble = math.min(length, 15)
      assert.equal(text, unpacked(string.char(16 * nibble) .. head .. text,
        length))
      assert.equal("x" .. ("x"):rep(length + 4), unpacked(
        string.char(16 + nibble) .. "x\1\0" .. head, length + 5))
    end
  end)

  spec("ends where it is cut off, or longer than its text", function()
    assert.equal("abc", unpacked("\240\255\1abc", 1000)) -- 271 are promised
    assert.equal("hel", unpacked("\80hello", 3))
    assert.equal("aaaa", unpacked("\31a\1\0\255\255\9", 4))
    assert.equal("a", unpacked("\31a\1", 9)) -- half an offset
    assert.equal("a", unpacked("\31a", 9))
    assert.equal("", unpacked("\240", 9))
  end)

  spec("copies nothing from in front of its start", function()
    assert.equal("a", unpacked("\20a\0\0\16b", 10))
    assert.equal("a", unpacked("\20a\2\0\16b", 10))
    assert.equal("a", unpacked("\20a\1\1\16b", 10))
  end)

  spec("writes nothing beyond its text, whatever byte is damaged", function()
    local sound = "\244\5abcdefghijklmnopqrst\3\0\47wx\21\0\3\64last"
    local size = #unpacked(sound, 4000)
    assert.is_true(size > 40)
    for i = 1, #sound do
      for _, byte in ipairs { 0, 240, 255 } do
        local text = unpacked(sound:sub(1, i - 1) .. string.char(byte)
          .. sound:sub(i + 1), size)
        assert.is_nil(text:find "Z")
      end
    end
  end)
end)
