local advice = require "tare.env.advice"
local env = require "tare.env"
local machines = require "spec.support.machines"

local function levels_of(fingerprint, sample)
  local list = {}
  for i, found in ipairs(advice.findings(fingerprint, sample)) do
    list[i] = found.level .. ": " .. found.finding
  end
  return list
end

-- Only what the files of the machine give reason to say.
local function about(machine)
  local fields = env.fingerprint { read = machines.reader(machine) }
  fields.collector, fields.build, fields.jit = nil, nil, nil
  fields.clock_resolution_ns = 20
  return levels_of(fields)
end

describe("advice", function()
  it("has nothing against a machine it knows nothing of", function()
    assert.same({}, advice.findings {})
  end)

  it("puts warnings before notes", function()
    assert.same({ "warn: 2 % of the time since boot was stolen",
      "note: this is a virtual machine "
        .. "(QEMU Standard PC (Q35 + ICH9, 2009))",
      "note: addresses are randomised" }, about(machines.vm))
  end)

  it("finds what makes a laptop noisy", function()
    assert.same({ "warn: the frequency governor is 'powersave'",
      "warn: it runs on battery",
      "note: turbo is on",
      "note: two hardware threads share a core",
      "note: the load average is 3.1 on 8 cores",
      "note: addresses are randomised" }, about(machines.laptop))
  end)

  it("finds almost nothing on a machine set up for measuring", function()
    assert.same({ "note: addresses are randomised" }, about(machines.quiet))
  end)

  it("finds a limit of cores only where there are more", function()
    local function says(limit, cores)
      return levels_of({ core_limit = limit, cores = cores })[1]
    end
    assert.equal("note: the container may use 2 cores", says(2, 4))
    assert.equal("note: the container may use 2 cores", says(2, nil))
    assert.equal("warn: the container may use 0.5 cores", says(0.5, 1))
    assert.equal("note: the container may use 1 cores", says(1, 2))
    assert.is_nil(says(4, 4))
    assert.is_nil(says(8, 4))
  end)

  it("finds the limits of a container and a slow clock", function()
    assert.equal("warn: the container may use 0.5 cores",
      about(machines.container)[1])
    assert.same({ "warn: the clock source is 'xen'",
      "note: this is a virtual machine (xen)",
      "note: the container may use 2.5 cores",
      "note: addresses are randomised" }, about(machines.pod))
  end)

  it("takes a load for that of one core where their number is not known",
    function()
      assert.same({}, levels_of { load = 0.4 })
      assert.matches("^note: ", levels_of({ load = 0.9 })[1])
      assert.matches("^warn: ", levels_of({ load = 1.5 })[1])
      assert.matches("^note: ", levels_of({ load = 1.5, cores = 4 })[1])
    end)

  it("finds what is wrong inside the process", function()
    assert.same({ "warn: the clock moves in steps of 16 ms",
      "warn: the JIT compiler is off",
      "warn: the core of tare was built without optimisation",
      "note: the collector is in generational mode" },
      levels_of { clock_resolution_ns = 16e6, jit = { on = false },
        build = { optimized = false }, collector = { mode = "generational" } })
  end)

  it("finds what was seen just now", function()
    assert.same({ "warn: the core was slow for 12.5 % of the time just now",
      "warn: the core was shared for 40 % of the time just now",
      "warn: something else had the core for 5 ms just now" },
      levels_of({}, { slow_share = 0.125, crowded_share = 0.4,
        largest_gap_ns = 5e6 }))
    assert.same({}, levels_of({}, { slow_share = 0.001, crowded_share = 0.01,
      largest_gap_ns = 5e4 }))
  end)

  it("says what to do, in one sentence that ends without a stop", function()
    local machine = env.fingerprint {
      read = machines.reader(machines.laptop) }
    for _, found in ipairs(advice.findings(machine)) do
      assert.is_true(#found.advice > 20)
      assert.is_nil(found.advice:find("%.$"))
    end
  end)
end)

describe("differences between fingerprints", function()
  it("are those of fields that both know", function()
    local a = { cpu = "A", lua = "Lua 5.4.4", governor = "powersave",
      build = { compiler = "gcc 12" }, jit = nil, load = 1 }
    local b = { cpu = "B", lua = "Lua 5.4.4", turbo = true,
      build = { compiler = "clang 14" }, jit = { on = true }, load = 2 }
    assert.same({ { field = "cpu", a = "A", b = "B" },
      { field = "build.compiler", a = "gcc 12", b = "clang 14" } },
      advice.differences(a, b))
  end)

  it("see a switch that went from on to off", function()
    assert.same({ { field = "turbo", a = true, b = false },
      { field = "jit.on", a = true, b = false } },
      advice.differences({ turbo = true, jit = { on = true } },
        { turbo = false, jit = { on = false } }))
  end)

  it("are none between a fingerprint and itself", function()
    local fields = env.fingerprint()
    assert.same({}, advice.differences(fields, fields))
  end)
end)
