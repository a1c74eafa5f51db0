-- Scripts and hosts that have called os.setlocale: what tare reads and writes
-- is the same in every locale.
local command = require "spec.support.command"
local kept = require "spec.support.kept"
local locales = require "spec.support.locales"
local store = require "tare.store"

local LUA = os.getenv "TARE_LUA" or "lua5.4"

local variable, folder
setup(function() variable, folder = locales.made() end)
teardown(function() os.execute("rm -rf " .. folder) end)
after_each(kept.remove)

-- Runs a script with arguments.
local function run(text, words)
  local script = kept.keep(command.file(text, "_bench.lua"))
  return command.shell(("%s %s %s %s"):format(variable, LUA, script, words))
end

for _, locale in ipairs(locales.NAMES) do
  describe(("a script with the locale '%s'"):format(locale), function()
    local SUITE = ([[
      local tare = require "tare" -- which Lua can't read where the point has
      assert(os.setlocale %q) -- two bytes
      local suite = tare.suite "s"
      suite:bench("caf\195\137", { quota = "0.001e3ms",
        params = { n = { tonumber "5e-1", 2 }, text = { "\195\137" } },
        run = function()
          -- LuaJIT has a point in every locale.
          assert(jit or ("%%.1f"):format(0.5) ~= "0.5")
        end })
      return tare.main(suite, ...)]]):format(locale)

    for _, launches in ipairs { 1, 0 } do
      it("stores and shows what others would, with --launches " .. launches,
        function()
          if not variable then return pending "there is no localedef" end
          local save = kept.keep(command.path ".json")
          local code, out, err = run(SUITE, "--launches " .. launches
            .. " --precision 0.5 --save " .. save)
          assert.same({ 0, "" }, { code, err })
          assert.matches("n=0.5", out, 1, true)
          local found = {}
          for i, result in ipairs(assert(store.read(save)).results) do
            assert.is_nil(result.error)
            found[i] = result.id .. " " .. result.params.text
          end
          assert.same({ "s/caf\195\137{n=0.5,text=\195\137} \195\137",
            "s/caf\195\137{n=2,text=\195\137} \195\137" }, found)
          code, out, err = run(SUITE, "report " .. save .. " -f csv")
          assert.same({ 0, "" }, { code, err })
          assert.matches('\n"s/caf\195\137{n=0.5,', out, 1, true)
        end)
    end
  end)

  describe(("a host with the locale '%s'"):format(locale), function()
    it("reads options and writes results as others do", function()
      if not variable then return pending "there is no localedef" end
      local code, out, err = run(([[
        local tare = require "tare"
        local function used()
          local result = tare.measure(function() return {} end,
            { quota = "0.001s", confidence = "90.0%%" })
          result.name = "caf\195\137"
          local _, wrong = pcall(tare.measure, print, { confidence = 2 })
          local recorder = tare.frames { budget_ms = 15 / 2 }
          for _ = 1, 3 do
            recorder:begin()
            recorder:finish()
          end
          return tare.render(result, "json"), "\n---", wrong, "\n",
            tare.render(recorder)
        end
        used() -- loads what it needs
        assert(os.setlocale %q)
        io.write(used())]]):format(locale), "")
      assert.same({ 0, "" }, { code, err })
      assert.matches('"name":"caf\195\137"', out, 1, true)
      local report, rest = out:match "^(.*)\n%-%-%-(.*)$"
      assert.is_table(assert(store.parse(report)))
      out = rest
      assert.matches("share from 0.001 to 0.999999 .* did you mean 0.02 ", out)
      assert.matches("over the budget +%d, %d+%.%d%d %%", out)
    end)
  end)
end
