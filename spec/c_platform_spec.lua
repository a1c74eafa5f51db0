local command = require "spec.support.command"
local core = require "tare.core"

describe("the clocks", function()
  it("never run backwards", function()
    for _, now in ipairs { core.now_ns, core.cpu_ns } do
      local before = now()
      for _ = 1, 100 do
        local after = now()
        assert.is_true(after >= before)
        before = after
      end
    end
  end)

  it("tell their resolution", function()
    assert.is_true(core.clock_resolution() > 0)
    assert.is_true(core.clock_resolution("cpu") > 0)
    assert.has_error(function() core.clock_resolution("sundial") end)
  end)
end)

describe("a link", function()
  it("has requests until its other end is closed, in the middle of a line, too",
    function()
      local lua = os.getenv "TARE_LUA" or "lua5.4"
      local code, out = command.shell("printf 'time 500 20\\nfinish\\nbat' | "
        .. "timeout 60 " .. lua .. [[ -e '
          local link = require("tare.core").link(0)
          for word, number, other in link.receive, link do
            print(("%s %d %d"):format(word, number, other))
          end
        ']])
      assert.equal(0, code)
      assert.equal("time 500 20\nfinish 0 0\n", out)
    end)
end)

describe("the chain", function()
  -- The best of many readings: what the machine does beside them can only
  -- make one longer.
  local function best_step_ns(kind)
    local best = math.huge
    for _ = 1, 50 do
      best = math.min(best, (core.chain_step_ns(kind, 5000)))
    end
    return best
  end

  it("reads a core cycle between 1/20 and 20 ns", function()
    local cycle_ns, width, spread = core.chain_read()
    assert.is_true(cycle_ns > 0.05 and cycle_ns < 20)
    assert.is_true(width > 0 and width < 32)
    assert.is_true(spread >= 1)
  end)

  it("takes a reading that is too short for the least one", function()
    assert.is_true(core.chain_read(1) > 0)
  end)

  it("is longer on a coarse clock, and none on one that is too coarse",
    function()
      assert.equal(8192, core.chain_steps(20))
      assert.equal(25000, core.chain_steps(100))
      assert.is_nil(core.chain_steps(1e6))
      assert.is_nil(core.chain_steps(0))
      assert.is_true(core.chain_steps() >= 8192)
    end)

  it("was folded by no compiler: two kinds agree on the cycle", function()
    if not core.build.optimized then
      return pending("an unoptimised build keeps the chain in memory")
    end
    local _, add_cycles = core.chain_step_ns("add")
    local _, multiply_cycles = core.chain_step_ns("multiply")
    assert.equal(2, add_cycles)
    assert.equal(4, multiply_cycles)
    assert.is_nil((select(2, core.chain_step_ns("wide"))))
    local ratio = best_step_ns("multiply") / best_step_ns("add")
    assert.is_true(ratio > 0.5 and ratio < 3.5) -- 2, where nothing emulates
  end)

  -- Eight steps are made at a time. On a coarse clock a short chain takes 0 ns.
  it("divides its time by its steps, however few", function()
    for _, kind in ipairs { "add", "multiply", "wide" } do
      for steps = 1, 25 do
        local longest = 0
        for _ = 1, 50 do
          longest = math.max(longest, (core.chain_step_ns(kind, steps)))
        end
        assert.is_true(longest > 1e-6 and longest < math.huge, steps)
      end
    end
  end)

  it("refuses lengths and kinds that do not exist", function()
    assert.has_error(function() core.chain_read(0) end)
    assert.has_error(function() core.chain_read(0 / 0) end)
    assert.has_error(function() core.chain_step_ns("divide") end)
  end)
end)

describe("hardware counters", function()
  it("are absent with a sentence, or count", function()
    local counters, why = core.perf()
    if not counters then
      assert.is_string(why)
      assert.is_truthy(why:find("%l"))
      return -- nothing can be read here
    end
    local before = counters:read()
    for _ = 1, 1000 do core.hash("work") end
    local after = counters:read()
    assert.is_true(after.cycles > before.cycles)
    assert.is_true(after.instructions > before.instructions)
    counters:close()
    assert.is_nil(counters:read())
    counters:close()
  end)
end)

describe("the hash", function()
  it("gives the published values of FNV-1a", function()
    assert.equal("cbf29ce484222325", core.hash(""))
    assert.equal("af63dc4c8601ec8c", core.hash("a"))
    assert.equal("85944171f73967e8", core.hash("foobar"))
  end)

  it("sees bytes beyond ASCII and zeros", function()
    assert.not_equal(core.hash("a\0b"), core.hash("a"))
    assert.equal("af64724c8602eb6e", core.hash("\255"))
  end)
end)

describe("the build", function()
  it("is told as data", function()
    assert.is_string(core.build.compiler)
    assert.is_string(core.build.arch)
    assert.is_boolean(core.build.optimized)
    assert.is_true(core.build.pointer_bits >= 32)
  end)
end)
