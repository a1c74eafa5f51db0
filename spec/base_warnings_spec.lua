local command = require "spec.support.command"
local warnings = require "tare.base.warnings"

describe("warnings", function()
  it("explains every code with a title and advice", function()
    for _, code in ipairs(warnings.codes()) do
      local told = warnings.explain(code)
      assert.equal(code, told.code)
      assert.is_true(#told.title > 0 and #told.title <= 50, code)
      assert.is_nil(told.title:find("[%.\n]"), code)
      assert.is_truthy(told.advice:find("%.$"), code)
    end
  end)

  it("are named in docs/noise.md as they are printed", function()
    local titles, count = {}, 0
    for _, code in ipairs(warnings.codes()) do
      titles[warnings.explain(code).title] = true
    end
    local rows = command.read "docs/noise.md"
      :match "\n| warning | what to do |\n|[-|]+\n(.-)\n\n"
    for cell in rows:gmatch "%f[^\n%z]| (.-) |" do
      local name = cell:gsub(" %(`%-%-explain`%)$", "")
      count = count + 1
      assert.is_true(titles[name], name)
    end
    assert.is_true(count > 8)
  end)

  it("lists the codes in order, without doubles", function()
    local codes = warnings.codes()
    for i = 2, #codes do assert.is_true(codes[i - 1] < codes[i]) end
    assert.is_true(#codes >= 18)
  end)

  it("has no code that nothing gives", function()
    if command.lacks_shell then return pending "needs a shell" end
    local text = {}
    for path in io.popen("find lua/tare -name '*.lua'"):lines() do
      if not path:find "base/warnings" and not path:find "/meta/" then
        local file = assert(io.open(path))
        text[#text + 1] = file:read "*a"
        file:close()
      end
    end
    local all = table.concat(text, "\n")
    for _, code in ipairs(warnings.codes()) do
      assert.is_truthy(all:find("%f[%w_]" .. code .. "%f[^%w_]"), code)
    end
  end)

  it("knows a report of a program that measured itself", function()
    local of = warnings.is_of_program
    assert.is_true(of { results = { { in_process = true } } })
    assert.is_false(of { started = "2026-11-22 14:04 UTC",
      results = { { in_process = true } } }) -- tare run --launches 0
    assert.is_false(of { results = { {}, { in_process = true } } })
    assert.is_false(of { results = {} })
    assert.is_falsy(of {})
  end)

  it("says what each is about: the machine, the bench or an option", function()
    assert.equal("machine", warnings.explain("drift").about)
    assert.equal("samples", warnings.explain("crowded").about)
    assert.equal("bench", warnings.explain("optimized_away").about)
    assert.equal("option", warnings.explain("dropped_rows").about)
    for _, code in ipairs(warnings.codes()) do
      assert.is_string(warnings.explain(code).about)
    end
  end)

  it("makes the best of a code it does not know", function()
    assert.same({ code = "moon_phase", title = "moon phase", about = "bench" },
      warnings.explain("moon_phase"))
  end)

  it("gives a program advice in the words of its options", function()
    assert.equal("Use gc = 'paced', 'gc_mode', or a longer 'quota'.",
      warnings.in_program "Use --gc paced, --gc-mode, or a longer --quota.")
    assert.is_truthy(warnings.explain("collector_stopped", true).advice
      :find("or with gc = 'paced', which", 1, true))
    for _, code in ipairs(warnings.codes()) do
      local advice = warnings.explain(code, true).advice
      assert.is_nil(advice:find("%-%-"), advice)
      -- What only the command has.
      if code ~= "launch_failed" and code ~= "interrupted" then
        for _, name in ipairs { "launches", "filter", "resume" } do
          assert.is_nil(advice:find("'" .. name .. "'", 1, true), advice)
        end
      end
    end
  end)

  it("gives no advice to measure longer where that does not help", function()
    local told = warnings.explain "precision_unseen"
    local last = told.advice:match "([^.]+%.)$" -- notes have no more of it
    assert.truthy(last:find("If the time is of one process, give more "
      .. "--launches", 1, true))
    assert.truthy(last:find("else compare within one run", 1, true))
    assert.is_nil(last:gsub("%b()", ""):find("quota", 1, true))
    assert.truthy(warnings.explain("precision_unseen", true).advice
      :find("`tare run` measures in several.", 1, true))
  end)

  it("says what to do when the work was optimised away", function()
    assert.is_truthy(warnings.explain("optimized_away").advice
      :find("Return what was computed", 1, true))
  end)
end)
