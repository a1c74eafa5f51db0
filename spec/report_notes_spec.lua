-- What a report says of trouble, whole: each warning, of one bench, of several,
-- of a program that measured itself; machines more or less busy; what comes
-- next. Compared with what someone has read.
local document = require "tare.report.document"
local fixtures = require "spec.support.fixtures"
local golden = require "spec.support.golden"
local report = require "tare.report"
local warnings = require "tare.base.warnings"

local function bench(name, ns, share, more)
  local result = { id = "s/" .. name, suite = "s", name = name, params = {},
    warnings = {}, launches = 5, rounds = 100, clean_batches = 90,
    time = ns and fixtures.estimate(ns, share or 0.01, "ns") }
  for key, value in pairs(more or {}) do result[key] = value end
  return result
end

local function report_of(results, more)
  local made = { env = { lua = "Lua 5.4.4", cpu = "Example 9", cores = 4 },
    results = results, comparisons = {}, started = "2026-01-01 10:00 UTC",
    options = { confidence = 0.95, quota = { ns = 1e9 }, tolerance = 0.01 } }
  for key, value in pairs(more or {}) do made[key] = value end
  return made
end

local function text_of(made, options)
  options = options or {}
  options.width = options.width or 100
  return assert(report.render(made, "text", options))
end

local NAMES = { "a", "b", "c", "d", "e", "f" }

describe("a report's notes, whole", function()
  it("say of each warning what it means", function()
    local record = golden.record("notes_warnings.txt", nil, 290)
    for _, code in ipairs(warnings.codes()) do
      local few = { bench("a", 100, 0.01, { warnings = { code },
        cycles_needed_ns = 3e9, precision = 0.01, discarded = 7,
        failed_launches = { { launch = 2, message = "a.lua:3: no" } } }),
        bench("b", 200) }
      record:add(("%s\n%s%s"):format(code, text_of(report_of(few)),
        text_of(report_of(few), { explain = true })))
      few[1].time = fixtures.estimate(100, 1.5, "ns")
      record:add(("%s, too noisy\n%s"):format(code, text_of(report_of(few))))
      local many = {}
      for i, name in ipairs(NAMES) do
        many[i] = bench(name, 100 * i, 0.3, { warnings = { code } })
      end
      record:add(("%s, of many\n%s"):format(code, text_of(report_of(many))))
      few[1].in_process, few[2].in_process = true, true
      local own = report_of(few)
      own.started = nil
      record:add(("%s, of a program\n%s"):format(code, text_of(own)))
    end
    record:check()
  end)

  it("say how busy the machine was", function()
    local record = golden.record("notes_machine.txt", nil, 390)
    for _, crowded in ipairs { 0, 0.02, 0.09, 0.1, 0.11, 0.5, 0.95 } do
      for _, clean in ipairs { 100, 99, 91, 90, 89, 50, 3 } do
        local results = {}
        for i = 1, 5 do
          results[i] = bench(NAMES[i], 100 * i, 0.02, { clean_batches = clean,
            crowded = crowded, preempted = (100 - clean) / 200,
            disturbed = (100 - clean) / 400, waited_ns = i * 1e8,
            warnings = i == 2 and { "drift" } or {} })
        end
        local made = report_of(results)
        made.env.crowded = crowded
        record:add(("crowded %s, %d of 100 clean\n%s"):format(crowded, clean,
          text_of(made)))
      end
    end
    record:check()
  end)

  it("say which processes differ, and which times are too noisy", function()
    local record = golden.record("notes_benches.txt", nil, 390)
    for _, share in ipairs { 0.005, 0.05, 0.1, 0.3, 0.99, 1, 1.01 } do
      for count = 1, 5 do
        local results = {}
        for i = 1, count do
          results[i] = bench(NAMES[i], 100 * i, share, {
            groups = i % 2 == 0 and { { share = 0.6, value = 100 * i },
              { share = 0.4, value = 130 * i } } or nil,
            launch_values = { 100 * i, 130 * i, 101 * i },
            precision = i == 3 and 0.02 or nil })
        end
        record:add(("%d benches of +-%s\n%s"):format(count, share,
          text_of(report_of(results))))
        record:add(("%d benches of +-%s, explained\n%s"):format(count, share,
          text_of(report_of(results), { explain = true })))
      end
    end
    record:check()
  end)

  it("say what comes next", function()
    local parts = {}
    for _, words in ipairs { { "run", "x_bench.lua" }, { "run", "x_bench.lua",
      "--quota", "2s", "--save", "s.json" }, { "compare", "--ref", "main",
      "x_bench.lua" }, { "run", "x_bench.lua", "--resume", "s.json" } } do
      for _, share in ipairs { 0.01, 0.6, 1.2 } do
        for _, change in ipairs { function() end,
          function(made) made.env.crowded = 0.4 end,
          function(made) made.results[2].error = "x_bench.lua:3: no" end,
          function(made) made.interrupted = { of = 9 } end,
          function(made) made.results[1].warnings = { "few_cycles" } end,
          function(made)
            made.comparisons = { { a = "s/a", b = "s/b", metric = "time",
              verdict = "unclear", ratio = { value = 1, low = 0.8,
              high = 1.3 } } }
          end } do
          local made = report_of { bench("a", 100, share), bench("b", 110) }
          change(made)
          local one = document.of(made, { command = { program = "tare",
            words = words } }).next_step
          parts[#parts + 1] = ("%s, +-%s: %s\n"):format(table.concat(words,
            " "), share, one and one.why .. ": " .. one.command or "nothing")
        end
      end
    end
    for _, quota in ipairs { 1e6, 1e7, 3.3e7, 2.5e8, 9e8, 4.56e9, 7.7e10 } do
      for _, share in ipairs { 0.3, 0.6, 2 } do
        local made = report_of { bench("a", 100, share), bench("b", 110) }
        made.options.quota.ns = quota
        local one = document.of(made, { command = { program = "tare",
          words = { "run", "x_bench.lua" } } }).next_step
        parts[#parts + 1] = ("a quota of %s, +-%s: %s\n"):format(
          golden.flat(quota), share, one and one.why .. ": " .. one.command
          or "nothing")
      end
    end
    golden.check("notes_next.txt", table.concat(parts))
  end)
end)
