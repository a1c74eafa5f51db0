local command = require "spec.support.command"
local fixtures = require "spec.support.fixtures"
local footprint = require "spec.support.footprint"
local tare = require "tare"

-- What a function of one line raises, without the place; the place must be that
-- line.
local function misuse(f)
  local ok, message = pcall(f)
  assert.is_false(ok)
  local line, text = message:match "init_spec%.lua:(%d+): (.*)"
  assert.equal(debug.getinfo(f, "S").linedefined, tonumber(line), message)
  return text
end

describe("require 'tare'", function()
  it("puts little into a heap under test", function()
    local file = command.file([[
      collectgarbage() collectgarbage()
      local before = collectgarbage "count"
      local tare = require "tare"
      tare.suite("a"):bench("b", function() end)
      collectgarbage() collectgarbage()
      print(collectgarbage "count" - before)]], ".lua")
    local _, printed = command.shell((os.getenv "TARE_LUA" or "lua5.4") .. " "
      .. command.quoted(file))
    os.remove(file)
    local kb = tonumber(printed)
    assert.is_true(kb > 50 and kb < 400, kb .. " kB")
  end)
end)

describe("tare.render", function()
  local report = fixtures.report()

  it("renders a report, and one of results alone", function()
    assert.is_string(tare.render(report, "text"))
    assert.is_string(tare.render({ results = report.results }, "markdown"))
  end)

  it("blames who hands it what is no report", function()
    assert.equal("tare.render: expected a report, got nil", misuse(
      function() local _ = tare.render(nil, "text") end))
    assert.equal("tare.render: expected a report, got a table without "
      .. "'results'", misuse(
      function() local _ = tare.render({}, "text") end))
    assert.equal("tare.render: expected a report, but results[1] is no result",
      misuse(function() local _ = tare.render({ results = { 1 } }, "csv") end))
  end)

  it("blames who asks for what there is not", function()
    assert.matches("^tare.render: no format 'yaml'; there are: action", misuse(
      function() local _ = tare.render(report, "yaml") end))
    assert.equal(tare.render(report, "text"), tare.render(report))
    local wrong = { ["unknown option 'widht'"] = { widht = 80 },
      ["option 'width' must be a number, got x"] = { width = "x" },
      ["option 'width' must be 1 or more, got %-5"] = { width = -5 },
      ["option 'color' must be a boolean, got 1"] = { color = 1 },
      ["option 'columns' must be a string or a table, got 1"] =
        { columns = 1 } }
    for message, options in pairs(wrong) do
      assert.matches("^tare.render: " .. message, misuse(
        function() local _ = tare.render(report, "text", options) end))
    end
    assert.matches("^tare.render: .*no column 'x'", misuse(
      function() local _ = tare.render(report, "text", { columns = "x" }) end))
    assert.matches("'options' must be a table, got number", misuse(
      function() local _ = tare.render(report, "text", 80) end))
  end)
end)

describe("a generator of parameters that raises what is no text", function()
  it("has it passed on as it is", function()
    local mine = {}
    local suite = tare.suite "s"
    local ok, raised = pcall(suite.bench, suite, "a", { run = print,
      params = { n = function() error(mine) end } })
    assert.is_false(ok)
    assert.equal(mine, raised)
  end)
end)

describe("tare.frames", function()
  local function update() end

  it("blames who gives it a wrong option", function()
    assert.equal("tare.frames: 'frames' must be a positive number of at most "
      .. "1e6, got 0", misuse(
      function() local _ = tare.frames { frames = 0 } end))
    assert.equal("tare.frames: 'budget_ms' must be a positive number of at most"
      .. " 1e12, got x",
      misuse(function() local _ = tare.frames(update, { budget_ms = "x" }) end))
    assert.matches("'budget_ms' must be .* at most 1e12", misuse(
      function() local _ = tare.frames { budget_ms = 1e13 } end))
    assert.matches("'scopes' must be .* at most 1e12", misuse(
      function() local _ = tare.frames { scopes = { ai = 1e13 } } end))
    assert.matches("'frames' must be .* at most 1e6", misuse(
      function() local _ = tare.frames(nil, { frames = 1e7 }) end))
    assert.matches("expected a function or options, got string", misuse(
      function() local _ = tare.frames(update, "x") end))
  end)

  it("knows its options", function()
    assert.equal("tare.frames: no such option: 'bugdet_ms'; "
      .. "did you mean 'budget_ms'?", misuse(
      function() local _ = tare.frames(update, { bugdet_ms = 3 }) end))
    assert.equal("tare.frames: no such option: '1'", misuse(
      function() local _ = tare.frames { 3 } end))
  end)
end)

describe("tare.compare", function()
  it("blames who gives it a bench that is none", function()
    assert.equal("tare.compare: bench 'b': expected a function or a table with "
      .. "'run', got number", misuse(
      function() local _ = tare.compare { a = print, b = 3 } end))
    assert.equal("tare.compare: bench 'b': 'params' give several benches: see "
      .. "tare.suite", misuse(
      function() local _ = tare.compare { a = print, b = { params = {} } } end))
  end)
end)

describe("tare.suite", function()
  it("blames who gives it no name", function()
    assert.equal("tare.suite: 'name' must be a string, got an empty one",
      misuse(function() local _ = tare.suite "" end))
  end)
end)

describe("options without a name", function()
  it("are refused at the line of the call", function()
    assert.matches("^tare.measure: options have names", misuse(
      function() local _ = tare.measure(print, { "77s" }) end))
  end)
end)

describe("require 'tare'", function()
  it("takes no more of the Lua heap than the manual says", function()
    local lua = os.getenv "TARE_LUA" or "lua5.4"
    local most_kb = footprint.most_kb('`require "tare"`, Lua heap', lua)
    if not most_kb then return end -- an interpreter that the table leaves out
    local code, out, err = command.shell(("%s -e %s"):format(lua,
      command.quoted(footprint.REQUIRED)))
    assert.equal(0, code, err)
    local kb = tonumber(out:match "^(%d+)")
    assert.is_true(kb > 0 and kb <= most_kb, kb .. " kB")
  end)
end)
