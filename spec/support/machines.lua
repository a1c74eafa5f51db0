-- What the files of Linux say on different machines: path -> text. Cut to the
-- lines that matter, otherwise as the kernel writes them.
local machines = {}

local CPU = "/sys/devices/system/cpu/"

local function cpuinfo(model, flags, cores)
  local text = {}
  for i = 1, cores do
    text[i] = ("processor\t: %d\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
      .. "model name\t: %s\ncpu MHz\t\t: %d.428\ncache size\t: 512 KB\n"
      .. "flags\t\t: fpu vme %s rdrand lahf_lm\nbogomips\t: 4890.85\n\n")
      :format(i - 1, model, 2400 + i, flags)
  end
  return table.concat(text)
end

local function common(more)
  local files = {
    ["/proc/sys/kernel/ostype"] = "Linux\n",
    ["/proc/sys/kernel/osrelease"] = "6.1.0-18-amd64\n",
    ["/proc/sys/kernel/randomize_va_space"] = "2\n",
    ["/proc/loadavg"] = "0.08 0.02 0.01 1/123 4567\n",
    ["/proc/stat"] = "cpu  2000 0 1000 96000 500 0 500 0 40 0\n"
      .. "cpu0 500 0 250 24000 125 0 125 0 10 0\nintr 12345\n",
    ["/proc/meminfo"] = "MemTotal:       16000000 kB\n"
      .. "MemFree:         1000000 kB\nMemAvailable:   12000000 kB\n"
      .. "SwapTotal:       2000000 kB\nSwapFree:        2000000 kB\n",
    ["/proc/self/personality"] = "00000000\n",
    ["/proc/self/status"] = "Name:\tlua5.4\nUmask:\t0022\n"
      .. "Cpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
    ["/sys/devices/system/clocksource/clocksource0/current_clocksource"] =
      "tsc\n",
    ["/sys/kernel/mm/transparent_hugepage/enabled"] =
      "always [madvise] never\n",
  }
  for path, text in pairs(more) do files[path] = text or nil end
  return files
end

-- A cloud's virtual machine that its host robs of time.
machines.vm = common {
  ["/proc/cpuinfo"] = cpuinfo("AMD EPYC", "sse sse2 hypervisor", 4),
  ["/proc/stat"] = "cpu  2000 0 1000 94000 500 0 500 2000 0 0\n",
  ["/sys/class/dmi/id/sys_vendor"] = "QEMU\n",
  ["/sys/class/dmi/id/product_name"] =
    "Standard PC (Q35 + ICH9, 2009)\n",
  [CPU .. "smt/active"] = "0\n",
}

-- A laptop on battery, saving energy, busy.
machines.laptop = common {
  ["/proc/cpuinfo"] = cpuinfo("Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz",
    "sse sse2", 8),
  ["/proc/loadavg"] = "3.10 2.02 1.01 4/999 4567\n",
  [CPU .. "cpu0/cpufreq/scaling_governor"] = "powersave\n",
  [CPU .. "cpu0/cpufreq/scaling_driver"] = "intel_pstate\n",
  [CPU .. "cpu0/cpufreq/energy_performance_preference"] =
    "balance_power\n",
  [CPU .. "intel_pstate/no_turbo"] = "0\n",
  [CPU .. "smt/active"] = "1\n",
  ["/sys/class/power_supply/AC/online"] = "0\n",
}

-- A workstation set up for measuring: nothing to say but its randomisation.
machines.quiet = common {
  ["/proc/cpuinfo"] = cpuinfo("AMD Ryzen 9 5950X", "sse sse2", 4),
  [CPU .. "cpu0/cpufreq/scaling_governor"] = "performance\n",
  [CPU .. "cpu0/cpufreq/scaling_driver"] = "acpi-cpufreq\n",
  [CPU .. "cpufreq/boost"] = "0\n",
  [CPU .. "smt/active"] = "0\n",
}

-- A container with half a core, in control groups of version 2.
machines.container = common {
  ["/proc/cpuinfo"] = cpuinfo("Intel(R) Xeon(R)", "sse sse2 hypervisor", 4),
  ["/.dockerenv"] = "",
  ["/proc/1/cgroup"] = "0::/\n",
  ["/sys/fs/cgroup/cpu.max"] = "50000 100000\n",
}

-- A pod, in control groups of version 1, with a slow clock.
machines.pod = common {
  ["/proc/cpuinfo"] = cpuinfo("Intel(R) Xeon(R)", "sse sse2 hypervisor", 4),
  ["/proc/1/cgroup"] = "12:cpu,cpuacct:/kubepods/burstable/pod1234\n",
  ["/sys/fs/cgroup/cpu/cpu.cfs_quota_us"] = "250000\n",
  ["/sys/fs/cgroup/cpu/cpu.cfs_period_us"] = "100000\n",
  ["/sys/hypervisor/type"] = "xen\n",
  ["/sys/devices/system/clocksource/clocksource0/current_clocksource"] =
    "xen\n",
}

-- An ARM board under KVM: no model name, no flags line of that kind.
machines.arm = common {
  ["/proc/cpuinfo"] = "processor\t: 0\nBogoMIPS\t: 243.75\n"
    .. "Features\t: fp asimd\nCPU implementer\t: 0x41\n"
    .. "CPU part\t: 0xd0c\n\nprocessor\t: 1\nBogoMIPS\t: 243.75\n"
    .. "Features\t: fp asimd\nCPU implementer\t: 0x41\n"
    .. "CPU part\t: 0xd0c\n\n",
  ["/proc/device-tree/hypervisor/compatible"] = "linux,kvm\0",
  ["/proc/self/personality"] = "00040000\n",
  ["/proc/stat"] = "cpu  1 2 3\n",
}

--- A reader of one machine's files.
function machines.reader(machine)
  return function(path) return machine[path] end
end

return machines
