local progress = require "tare.cli.progress"
local terminal = require "tare.cli.terminal"

local function env(variables)
  return function(name) return variables[name] end
end

describe("what a terminal can show", function()
  it("is as wide as COLUMNS or the terminal says", function()
    assert.equal(100, terminal.width(100, env {}))
    assert.equal(40, terminal.width(100, env { COLUMNS = "40" }))
    assert.equal(40, terminal.width(nil, env { COLUMNS = "40" }))
    assert.is_nil(terminal.width(nil, env {}))
    for _, wrong in ipairs { "", "0", "-5", "x", "1e2" } do
      assert.equal(90, terminal.width(90, env { COLUMNS = wrong }), wrong)
    end
  end)

  it("is wide enough where nothing is known of it", function()
    assert.equal(80, terminal.width(0, env {}))
    assert.equal(20, terminal.width(3, env {}))
  end)

  it("has colours unless NO_COLOR is set to something", function()
    assert.is_true(terminal.is_colored("auto", true, env {}))
    assert.is_true(terminal.is_colored("auto", true, env { NO_COLOR = "" }))
    assert.is_false(terminal.is_colored("auto", true, env { NO_COLOR = "1" }))
    assert.is_false(terminal.is_colored("auto", true, env { TERM = "dumb" }))
    assert.is_false(terminal.is_colored("auto", false, env {}))
    assert.is_true(terminal.is_colored("always", false,
      env { NO_COLOR = "1" }))
    assert.is_false(terminal.is_colored("never", true, env {}))
  end)

  it("is of ASCII unless the locale has UTF-8", function()
    assert.is_true(terminal.is_ascii(env {}))
    assert.is_true(terminal.is_ascii(env { LC_ALL = "C", LANG = "C.UTF-8" }))
    assert.is_false(terminal.is_ascii(env { LANG = "de_DE.utf8" }))
    assert.is_false(terminal.is_ascii(env { LC_ALL = "", LC_CTYPE = "",
      LANG = "C.UTF-8" }))
  end)
end)

describe("the line of progress", function()
  local at = { share = 0.25, spent_ns = 1e9, finished = 3, total = 12,
    current = "s/a{n=1}" }

  it("tells the share, cells that are finished, time left and bench", function()
    assert.equal(" 25%, 3 of 12, 3.0 s left  s/a{n=1}",
      progress.text(at, 80))
  end)

  it("counts no single bench, and estimates nothing at first", function()
    assert.equal("  0%  x", progress.text({ share = 0, spent_ns = 1e8,
      finished = 0, total = 1, current = "x" }, 80))
  end)

  it("fits the terminal by whole characters, and commands nothing", function()
    local wide = { share = 0, spent_ns = 0, finished = 0, total = 1,
      current = "\230\151\165\230\156\172\27[31m" }
    assert.equal("  0%  \230\151\165\230\156\172\\x1b[31m",
      progress.text(wide, 80))
    wide.current = "\230\151\165\230\156\172\232\170\158"
    assert.equal("  0%  \230\151\165\230\156\172", progress.text(wide, 12))
  end)
end)
