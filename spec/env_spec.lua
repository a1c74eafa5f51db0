local core = require "tare.core"
local env = require "tare.env"
local interpreter = require "tare.env.interpreter"
local machines = require "spec.support.machines"

local function fingerprint(machine)
  return env.fingerprint { read = machines.reader(machine) }
end

-- The part of a fingerprint that a machine's files tell.
local OURS = { "tare", "lua", "jit", "collector", "build",
  "clock_resolution_ns" }

local function told(machine)
  local fields = fingerprint(machine)
  for _, name in ipairs(OURS) do fields[name] = nil end
  return fields
end

local function expect(more)
  local fields = { os = "Linux 6.1.0-18-amd64", load = 0.08, steal = 0,
    address_randomization = "full", allowed_cpus = "0-3",
    memory_bytes = 16384000000, available_bytes = 12288000000,
    swapped_bytes = 0, huge_pages = "madvise", clock_source = "tsc" }
  for name, value in pairs(more) do fields[name] = value end
  return fields
end

describe("the fingerprint", function()
  it("tells a virtual machine and the time its host took", function()
    assert.same(expect { cpu = "AMD EPYC", cores = 4, virtual = true,
      hypervisor = "QEMU Standard PC (Q35 + ICH9, 2009)", steal = 0.02,
      smt = false }, told(machines.vm))
  end)

  it("tells a laptop that saves energy", function()
    assert.same(expect { cpu = "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz",
      cores = 8, virtual = false, governor = "powersave", smt = true,
      driver = "intel_pstate", energy_preference = "balance_power",
      turbo = true, on_battery = true, load = 3.1 }, told(machines.laptop))
  end)

  it("tells that turbo is off", function()
    assert.same(expect { cpu = "AMD Ryzen 9 5950X", cores = 4,
      virtual = false, governor = "performance", driver = "acpi-cpufreq",
      turbo = false, smt = false }, told(machines.quiet))
  end)

  it("tells a container and its share of the cores", function()
    local docker, pod = told(machines.container), told(machines.pod)
    assert.same({ "docker", 0.5 }, { docker.container, docker.core_limit })
    assert.same({ "kubepods", 2.5 }, { pod.container, pod.core_limit })
    assert.same({ "xen", "xen" }, { pod.hypervisor, pod.clock_source })
  end)

  it("tells an ARM core by its part, and what the process switched off",
    function()
      local expected = expect { cpu = "ARM 0x41 part 0xd0c", cores = 2,
        virtual = true, hypervisor = "linux,kvm",
        address_randomization = "off" }
      expected.steal = nil -- a kernel that does not count it
      assert.same(expected, told(machines.arm))
    end)

  it("tells the cores that /proc/cpuinfo lists, and none where it lists none",
    function()
      for text, cores in pairs { ["processor : 0\n"] = 1,
        ["processor\t: 0\nmodel name\t: A\n\nprocessor\t: 1\n"] = 2,
        ["vendor_id : IBM/S390\n# processors : 2\nprocessor 0: version = FF\n"]
          = false, ["model name : processor : 3\n"] = false } do
        assert.equal(cores or nil, told { ["/proc/cpuinfo"] = text }.cores)
      end
    end)

  it("leaves out what it is not told", function()
    assert.same({}, told {})
  end)

  it("survives files that make no sense", function()
    local garbage = setmetatable({}, { __index = function(_, path)
      return path:find("stat") and "cpu  x y\n\n" or "\0\255: \n:::"
    end })
    assert.is_table(told(garbage))
    assert.is_nil(told { ["/proc/stat"] = "cpu  0 0 0 0 0 0 0 0 0 0\n" }.steal)
    assert.equal(0.5,
      told { ["/proc/stat"] = "cpu  1 0 0 0 0 0 0 1 0 0\n" }.steal)
  end)

  it("survives a reader that raises", function()
    local fields = env.fingerprint {
      read = function() error("sandboxed") end }
    assert.is_string(fields.lua)
    assert.is_nil(fields.cpu)
  end)

  it("survives a sandbox without io and os", function()
    local io, os = _G.io, _G.os
    _G.io, _G.os = nil, nil -- luacheck: ignore
    local ok, fields = pcall(env.fingerprint)
    _G.io, _G.os = io, os -- luacheck: ignore
    assert.is_true(ok)
    assert.is_string(fields.lua)
    assert.is_nil(fields.cpu)
  end)

  it("of a library's run survives a sandbox whose io raises", function()
    local open = io.open
    io.open = function() error("not permitted") end -- luacheck: ignore
    local ok, fields = pcall(env.of_records, {})
    io.open = open -- luacheck: ignore
    assert.is_true(ok, fields)
    assert.is_string(fields.lua)
    assert.is_nil(fields.clock)
  end)

  it("asks luv where there are no files", function()
    local uv = {
      os_uname = function()
        return { sysname = "Darwin", release = "23.1.0" }
      end,
      cpu_info = function()
        return { { model = "Apple M2" }, { model = "Apple M2" } }
      end,
      get_total_memory = function() return 8e9 end,
      loadavg = function() return 1.5, 1, 1 end,
    }
    local fields = env.fingerprint { uv = uv, read = function() end }
    for _, name in ipairs(OURS) do fields[name] = nil end
    assert.same({ os = "Darwin 23.1.0", cpu = "Apple M2", cores = 2,
      memory_bytes = 8e9, load = 1.5 }, fields)
  end)

  it("names interpreter, build and clock", function()
    local fields = fingerprint {}
    assert.is_truthy(fields.lua:find("^Lua"))
    assert.is_truthy(fields.tare:find("^tare %d+%.%d+%.%d+"))
    assert.is_string(fields.build.compiler)
    assert.is_true(fields.clock_resolution_ns > 0)
    assert.equal(rawget(_G, "jit") ~= nil, fields.jit ~= nil)
  end)

  it("is the same twice on a machine that stands still", function()
    local a, b = fingerprint(machines.vm), fingerprint(machines.vm)
    a.clock_resolution_ns, b.clock_resolution_ns = nil, nil
    assert.same(a, b)
  end)
end)

describe("the layout of a process", function()
  it("is the same within the process", function()
    local layout = interpreter.layout(core)
    assert.equal(layout.hash_order, interpreter.layout(core).hash_order)
    assert.is_truthy(layout.hash_order:find("^%x+$"))
  end)
end)
