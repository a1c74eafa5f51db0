local in_report = require "tare.report.traces"
local gate = require "tare.judge.gate"
local tare = require "tare"

local jit = rawget(_G, "jit")

-- The lines of a file that are marked, in order.
local function marked(path)
  local lines, number = {}, 0
  for text in io.lines(path) do
    number = number + 1
    if text:find("%-%-!$") then lines[#lines + 1] = number end
  end
  return lines
end

local PATH = "spec/data/aborting.lua"

-- Where an entry's compilation is given up, by the marks of its file.
local function expected(entries)
  local lines, at = marked(PATH), 0
  for _, entry in ipairs(entries) do
    if not entry.place then
      at = at + 1
      entry.place = "aborting.lua:" .. lines[at]
    end
  end
  return entries
end

local function measured(run)
  local result = tare.measure(run, { quota = "40ms", profile = true,
    split = false })
  assert.is_nil(result.error)
  return result
end

local function has(result, entry)
  local found = {}
  for _, abort in ipairs(result.traces.aborts) do
    local place = ("%s:%d"):format(abort.source:match("[^/]+$"), abort.line)
    if place == entry.place and abort.reason == entry.reason then
      return abort
    end
    found[#found + 1] = place .. " " .. abort.reason
  end
  return false, table.concat(found, ", ")
end

describe("the traces of a bench", function()
  if jit then
    for number, entry in ipairs(expected(dofile(PATH))) do
      it("have the reason and the line of " .. entry.name, function()
        local result, ok, found
        -- Where LuaJIT begins a trace is random, and what it has given up it
        -- does not try again: each try has a function of its own.
        for _ = 1, 5 do
          result = measured(dofile(PATH)[number].run)
          ok, found = has(result, entry)
          if ok then break end
        end
        assert.truthy(ok, found)
        local named = entry.reason:match "^NYI: bytecode (%u+)$"
        assert.equal(named or ok.bytecode, ok.bytecode)
        assert.truthy(result.aborts.value >= 1)
        assert.truthy(result.traces.aborted >= 1)
        assert.truthy(in_report.advice(entry.reason), "no advice")
      end)
    end

    it("are compiled, of what is fine", function()
      local result
      for _ = 1, 4 do -- where LuaJIT begins a trace is random
        result = measured(function()
          local sum = 0
          for i = 1, 100 do sum = sum + i end
          return sum
        end)
        if result.aborts.value == 0 then break end
      end
      assert.truthy(result.traces.compiled >= 1)
      assert.equal(0, #result.traces.aborts)
      assert.equal(0, result.aborts.value)
    end)

    it("take the share of the time in which a profiler found them", function()
      local of_jit, started = package.loaded["jit.profile"], 0
      package.loaded["jit.profile"] = { dumpstack = function()
        return "x.lua:3" end, stop = function() end,
        start = function(_, each)
          started = started + 1
          each("thread", 30, "N")
          each("thread", 8, "I")
          each("thread", 2, "G")
        end }
      local result = measured(function() return 1 end)
      package.loaded["jit.profile"] = of_jit
      assert.equal(1, started)
      assert.same({ samples = 40, compiled = 0.75,
        lines = { { source = "x.lua", line = 3, share = 1 } } },
        result.traces.sampled)
    end)

    it("are listed by their share of the time, then as they stand in the files",
      function()
        local of_jit, at = package.loaded["jit.profile"], nil
        package.loaded["jit.profile"] = { stop = function() end,
          dumpstack = function() return at end,
          start = function(_, each)
            for place, samples in pairs { ["y.lua:2"] = 10, ["x.lua:9"] = 10,
              ["x.lua:3"] = 10, ["z.lua:1"] = 50, ["a.lua:1"] = 5,
              ["[C]"] = 1 } do
              at = place
              each("thread", samples, "N")
            end
          end }
        local result = measured(function() return 1 end)
        package.loaded["jit.profile"] = of_jit
        local places = {}
        for i, line in ipairs(result.traces.sampled.lines) do
          places[i] = line.source .. ":" .. line.line
        end
        assert.same({ "z.lua:1", "x.lua:3", "x.lua:9", "y.lua:2", "a.lua:1",
          "[C]:0" }, places)
      end)

    it("are counted by the line at which they begin", function()
      local function branches(n)
        local sum = 0
        for i = 1, n do
          if i % 3 == 0 then sum = sum + 1 else sum = sum - i % 7 end
        end
        return sum
      end
      local result, traces, side, root
      for _ = 1, 4 do
        result, traces, side = measured(function() return branches(100) end),
          0, 0
        for _, one in ipairs(result.traces.roots) do
          traces, side = traces + one.traces, side + one.side
          if one.source:find "traces_spec" and one.side > 0 then root = one end
          assert.is_true(one.taken >= 0)
        end
        if root then break end
      end
      assert.equal(result.traces.compiled, traces)
      assert.equal(result.traces.side, side)
      assert.is_true(root.exits >= root.traces)
      assert.matches("Compiled code in", tare.render(result, "text"))
    end)

    it("are shown with what to do", function()
      local result = measured(function()
        local f
        for i = 1, 100 do f = function() return i end end
        return f
      end)
      local text = tare.render(result, "text")
      assert.truthy(text:find("NYI: bytecode FNEW", 1, true))
      assert.truthy(text:find("make it once", 1, true))
    end)

    it("leave a host's handlers in their place", function()
      local hosts = { trace = function() end, texit = function() end }
      for event, host in pairs(hosts) do jit.attach(host, event) end
      local function there()
        local found = {}
        for _, handler in pairs(debug.getregistry()._VMEVENTS) do
          for event, host in pairs(hosts) do
            if handler == host then found[event] = true end
          end
        end
        return found
      end
      local before = there()
      measured(function() return 1 end)
      local after = there()
      for _, host in pairs(hosts) do jit.attach(host) end
      assert.same({ trace = true, texit = true }, before)
      assert.same(before, after)
    end)

    it("are not recorded with the compiler off", function()
      local result = tare.measure(function() return 1 end, { quota = "20ms",
        profile = true, jit = false })
      assert.is_nil(result.traces)
      assert.truthy(result.profile)
    end)
  else
    it("are none of stock Lua", function()
      local result = measured(function() return 1 end)
      assert.is_nil(result.traces)
      assert.is_nil(result.aborts)
      assert.truthy(result.profile)
    end)
  end
end)

describe("the code that was compiled", function()
  -- The cells of each row, as text.
  local function shown(roots)
    local sections = in_report.sections { results = { { id = "a", traces = {
      aborts = {}, roots = roots, compiled = #roots } } } }
    local rows = {}
    for i, row in ipairs(sections[2].table.rows) do
      rows[i] = {}
      for k, cell in ipairs(row.cells) do rows[i][k] = cell.text end
    end
    return rows
  end

  it("is shown with its traces and exits, what is left most often first",
    function()
      assert.same({ { "b.lua:9", "1", "0", "2", "3" },
        { "a.lua:7", "4", "3", "8", "0.250" } }, shown {
        { source = "src/a.lua", line = 7, traces = 4, side = 3, exits = 8,
          taken = 0.25 },
        { source = "src/b.lua", line = 9, traces = 1, side = 0, exits = 2,
          taken = 3 } })
    end)
end)

describe("a gate on places where the compiler gives up", function()
  local function report(aborts)
    return { env = {}, results = { { id = "a", warnings = {},
      aborts = { value = aborts, unit = "places" } } } }
  end

  it("fails where there are more", function()
    local rules = assert(gate.parse("aborts>0"))
    local failures = gate.evaluate(report(2), report(1), rules).failures
    assert.equal(1, #failures)
    assert.truthy(failures[1].message:find("aborts rose from 1 to 2", 1, true))
    assert.equal(0, #gate.evaluate(report(1), report(1), rules).failures)
  end)
end)
