-- Every snippet and command of the manual runs, and prints what is shown.
local command = require "spec.support.command"
local manual = require "spec.support.manual"
local snippets = require "spec.support.snippets"

local function pages()
  local list = {}
  for path in io.popen("ls README.md docs/*.md"):lines() do
    list[#list + 1] = path
  end
  return list
end

describe("the manual", function()
  local counts = {}

  for _, path in ipairs(pages()) do
    it(path .. " shows what runs and what is printed", function()
      local run = manual.new()
      local wrong = run:page(path)
      run:close()
      for name, count in pairs(run.counts) do
        counts[name] = (counts[name] or 0) + count
      end
      assert.is_nil(wrong)
    end)
  end

  it("links to nothing that is not there", function()
    for _, path in ipairs(pages()) do
      local folder = path:match("^(.*/)") or ""
      for link in command.read(path):gmatch("%]%(([^)#:%s]+)%)") do
        local there = io.open(folder .. link)
        assert.is_truthy(there, path .. " links to " .. link)
        there:close()
      end
    end
  end)

  it("has every page in its index", function()
    local index = command.read "docs/README.md"
    for _, path in ipairs(pages()) do
      local name = path:match("docs/(.+)")
      assert.is_truthy(not name or name == "README.md"
        or index:find("(" .. name .. ")", 1, true), path)
    end
  end)

  teardown(function()
    print(("the manual: %d blocks of Lua and %d commands run, %d outputs "
      .. "compared, %d parsed or looked up, %d not run"):format(counts.lua,
      counts.commands, counts.outputs, counts.parsed, counts.unrun))
  end)
end)

describe("snippets", function()
  it("are found with their marks", function()
    local found = snippets.of(
      "a\n```lua\nx\n```\n<!-- not run: no. -->\n\n```sh\ny\n```\n")
    assert.same({ { lang = "lua", text = "x\n", line = 2, continues = false },
      { lang = "sh", text = "y\n", line = 7, skip = "no.",
        continues = false } }, found)
  end)

  it("have commands without comments, continued lines as one", function()
    assert.same({ "tare run a --quota 1s", "tare list a" },
      snippets.commands { text = "# first\ntare run a \\\n  --quota 1s  # it\n"
        .. "\ntare list a\n" })
  end)

  it("agree in shape when only numbers and their scale differ", function()
    assert.equal(
      snippets.shape("  a !  12 ns \194\1773.7%  4%  12 B  \226\150\129\n"),
      snippets.shape("  a  1.2 us 1.1-1.5 us  -  12 KiB  \226\150\131\n"))
  end)

  it("agree whatever a comparison found, and however noisy it was", function()
    local shape = snippets.shape [[
Lua 5.4 | x
busy machine: much
  of it

s       time        compared with b
  a    12 ns ±3.7%  1.50 times as fast (1.40 to 1.60)
  b    18 ns ±3.7%  baseline
  a is the quickest.

! few batches: a

2 ok
]]
    for _, found in ipairs { "1.10 times as slow (1.01 to 1.20)", "unclear",
      "same (within 0.90%)", "too noisy at 200 ms; needs about 2 s",
      "too noisy (shared core)" } do
      assert.equal(shape, snippets.shape("s  time  compared with b\n  a !  "
        .. "1 us  " .. found .. "\n  b  2 us ±1%  baseline\n\n1 ok\n"))
    end
    assert.equal("s time compared\na #s #v\nb #s #v", shape)
    assert.equal(shape .. "\nper call: time, bytes; gc: share of the time",
      snippets.shape("s  time  "
      .. "compared with b\n  a ! [1]  1 us  unclear\n  b [1]  2 us  "
      .. "baseline\n\nper "
      .. "call: time, bytes; \194\177 and ranges: 95% sure, between\n"
      .. "processes; gc: share\nof the time, ?: too few collections; !: too "
      .. "noisy to rely on\n[1] processes differ much: a,\n  b.\nprocesses "
      .. "differ: a (1 ns\n  in 2), b.\n\n1 ok\n"))
    assert.equal(shape, snippets.shape("s  time  compared with b\n  a !  "
      .. "1.2 us or 900 ns  unclear\n  b !  2 us  too noisy (shared core)\n"
      .. "\n1 ok"))
    assert.equal(shape, snippets.shape("s  time  compared with b\n"
      .. "  a  1 us ±1%  unclear\n  b  2 us ±1%  baseline\n"
      .. "  a is the quickest, 2 times as\n  fast as b.\n\n1 ok\n"))
  end)

  it("do not agree when a word or a unit differs", function()
    assert.are_not.equal(snippets.shape("a  12 ns  baseline"),
      snippets.shape("a  12 ns  quickest"))
    assert.are_not.equal(snippets.shape("a 1 ns"), snippets.shape("a 1 B"))
  end)
end)
