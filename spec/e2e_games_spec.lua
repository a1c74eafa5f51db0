-- The examples that run in other programs, headless: a LOEVE game and a script
-- in Neovim. Both have LuaJIT in them, whatever runs the specs.
local command = require "spec.support.command"

if os.getenv("TARE_LUA") ~= "luajit" then return end

local function has(program)
  return command.shell("command -v " .. program) == 0
end

-- With the modules of this checkout, and a home of its own.
local function run(line)
  local home = command.path("-home")
  local code, out, err = command.shell(([[
    mkdir -p %s; env -u LD_PRELOAD HOME=%s XDG_DATA_HOME=%s \
      SDL_AUDIODRIVER=dummy LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;;" \
      LUA_CPATH="$PWD/${TARE_BUILD:-build/luajit}/?.so;;" \
      timeout -k 2 60 %s]]):format(home, home, home, line))
  return code, out .. err, home
end

-- A build with sanitizers can't be loaded into a program without them.
local function is_sanitized()
  return (os.getenv("TARE_BUILD") or ""):find("asan", 1, true) ~= nil
end

describe("a game in LOEVE", function()
  local function play(...)
    if is_sanitized() or not (has "love" and has "xvfb-run") then
      return pending("needs love and xvfb-run, and a plain build")
    end
    return run("xvfb-run -a love examples/love " .. ...)
  end

  it("measures its own update, draws the report and quits", function()
    local code, said, home = play("screenshot")
    if not code then return end
    assert.equal("", said)
    assert.equal(0, code)
    local image = command.read(home .. "/love/tare-example/tare.png")
    assert.equal("\137PNG", image:sub(1, 4))
    command.shell("rm -r " .. home)
  end)

  it("quits by itself, as the manual starts it", function()
    local code, said, home = play ""
    if not code then return end
    assert.same({ 0, "" }, { code, said })
    command.shell("rm -r " .. home)
  end)

  it("leaves a capture, a page and a trace of its frames", function()
    local code, said, home = play("capture quit-early")
    if not code then return end
    assert.same({ 0, "" }, { code, said })
    local folder = home .. "/love/tare-example/"
    code, said = command.tare("frames", folder .. "frames.json")
    assert.equal(0, code)
    assert.matches("^%d+ frames in .*\n  draw +%d+.*\n  measuring ", said)
    local events = require("cjson").decode(command.read(folder
      .. "trace.json"))
    assert.is_true(#events > 10)
    assert.matches("^<!DOCTYPE html>", command.read(folder .. "frames.html"))
    command.shell("rm -r " .. home)
  end)

  it("quits with a session open", function()
    local code, said, home = play("quit-early")
    if not code then return end
    assert.equal("", said)
    assert.equal(0, code)
    command.shell("rm -r " .. home)
  end)
end)

describe("a script in Neovim", function()
  it("measures between the editor's events", function()
    if is_sanitized() or not has "nvim" then
      return pending("needs nvim, and a plain build")
    end
    local code, said, home = run([[nvim --headless -u NONE -i NONE \
      -c "luafile examples/nvim/bench.lua"]])
    assert.matches("vim%.split", said)
    assert.matches("\n%d ok", said)
    assert.equal(0, code)
    command.shell("rm -r " .. home)
  end)
end)
