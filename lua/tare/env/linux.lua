-- The facts about the machine that Linux has under /proc and /sys. Every reader
-- takes read(path) -> text?, returns fields of the fingerprint, and leaves out
-- what isn't there; none of them changes anything.
local numerals = require "tare.base.numerals"

local linux = {}

local CPU = "/sys/devices/system/cpu/"
local KERNEL = "/proc/sys/kernel/"

-- The text without blanks around it (and the zero that ends device-tree
-- strings); nil where nothing is left.
local function trimmed(text)
  text = text and text:gsub("%z", ""):match("^%s*(.-)%s*$")
  return text ~= "" and text or nil
end

local function line(read, path)
  return trimmed((read(path) or ""):match("[^\n]*"))
end

local function number(read, path) return tonumber(line(read, path) or "") end

--- Value of 'key : value' in a text like /proc/cpuinfo.
local function field(text, key)
  return trimmed(("\n" .. text):match("\n" .. key .. "%s*:([^\n]*)"))
end

function linux.cpu(read)
  local text = read("/proc/cpuinfo")
  if not text then return {} end
  local _, cores = ("\n" .. text):gsub("\nprocessor%s*:", "")
  local maker, part = field(text, "CPU implementer"), field(text, "CPU part")
  return {
    cpu = field(text, "model name") or field(text, "Model")
      or field(text, "Hardware")
      or maker and part and ("ARM %s part %s"):format(maker, part),
    cores = cores > 0 and cores or nil,
  }
end

-- A hypervisor's own name, where firmware or device tree gives one.
local function hypervisor_name(read)
  local vendor = line(read, "/sys/class/dmi/id/sys_vendor")
  local product = line(read, "/sys/class/dmi/id/product_name")
  local xen = line(read, "/sys/hypervisor/type")
  local tree = line(read, "/proc/device-tree/hypervisor/compatible")
  local both = vendor and product and vendor .. " " .. product
  return xen or tree or both or vendor
end

function linux.virtual(read)
  local flags = field(read("/proc/cpuinfo") or "", "flags")
  local guest = line(read, "/sys/hypervisor/type")
    or line(read, "/proc/device-tree/hypervisor/compatible")
  if flags and (" " .. flags .. " "):find(" hypervisor ", 1, true) then
    guest = true
  end
  if not flags and not guest then return {} end
  if not guest then return { virtual = false } end
  return { virtual = true, hypervisor = hypervisor_name(read) }
end

local function turbo(read)
  local no_turbo = number(read, CPU .. "intel_pstate/no_turbo")
  if no_turbo then return no_turbo == 0 end
  local boost = number(read, CPU .. "cpufreq/boost")
  if boost then return boost ~= 0 end
end

function linux.frequency(read)
  local smt = number(read, CPU .. "smt/active")
  return {
    governor = line(read, CPU .. "cpu0/cpufreq/scaling_governor"),
    driver = line(read, CPU .. "cpu0/cpufreq/scaling_driver"),
    energy_preference =
      line(read, CPU .. "cpu0/cpufreq/energy_performance_preference"),
    turbo = turbo(read),
    smt = smt and smt == 1, -- nil if not known
  }
end

local MAINS = { "AC", "AC0", "ACAD", "ADP0", "ADP1" }

function linux.power(read)
  for _, name in ipairs(MAINS) do
    local online = number(read, "/sys/class/power_supply/" .. name
      .. "/online")
    if online then return { on_battery = online == 0 } end
  end
  return {}
end

function linux.system(read)
  local name = line(read, KERNEL .. "ostype")
  local release = line(read, KERNEL .. "osrelease")
  return { os = name and release and name .. " " .. release or name }
end

function linux.load(read)
  local text = line(read, "/proc/loadavg")
  return { load = text and numerals.read(text:match "^%S+") }
end

-- user nice system idle iowait irq softirq steal: what the host gave to
-- others while this machine wanted to run (proc(5)).
function linux.steal(read)
  local text = (read("/proc/stat") or ""):match("^cpu%s+([%d ]+)")
  if not text then return {} end
  local ticks, total = {}, 0
  for figure in text:gmatch("%d+") do
    if #ticks == 8 then break end -- what follows is part of user and nice
    ticks[#ticks + 1] = tonumber(figure)
    total = total + ticks[#ticks]
  end
  if #ticks < 8 or total == 0 then return {} end
  return { steal = ticks[8] / total }
end

function linux.memory(read)
  local text = read("/proc/meminfo") or ""
  local function bytes(key)
    local kb = (field(text, key) or ""):match("^(%d+) kB$")
    return kb and kb * 1024
  end
  local swap, free = bytes("SwapTotal"), bytes("SwapFree")
  return {
    memory_bytes = bytes("MemTotal"), available_bytes = bytes("MemAvailable"),
    swapped_bytes = swap and free and swap - free,
    huge_pages = (line(read, "/sys/kernel/mm/transparent_hugepage/enabled")
      or ""):match("%[(%w+)%]"),
  }
end

local RANDOMIZATION = { [0] = "off", "partial", "full" }
local ADDR_NO_RANDOMIZE = 0x0040000 -- personality(2)

function linux.randomization(read)
  local level = number(read, KERNEL .. "randomize_va_space")
  local personality = tonumber(line(read, "/proc/self/personality") or "", 16)
  if personality and personality % (2 * ADDR_NO_RANDOMIZE)
    >= ADDR_NO_RANDOMIZE then
    level = 0 -- as 'setarch -R' does
  end
  return { address_randomization = RANDOMIZATION[level] }
end

function linux.affinity(read)
  local status = read("/proc/self/status") or ""
  return { allowed_cpus = field(status, "Cpus_allowed_list") }
end

function linux.clock_source(read)
  return { clock_source = line(read, "/sys/devices/system/clocksource/"
    .. "clocksource0/current_clocksource") }
end

local ENGINES = { "kubepods", "docker", "containerd", "libpod", "lxc" }

local function container_engine(read)
  if read("/.dockerenv") then return "docker" end
  if read("/run/.containerenv") then return "libpod" end
  local cgroups = read("/proc/1/cgroup") or ""
  for _, engine in ipairs(ENGINES) do
    if cgroups:find(engine, 1, true) then return engine end
  end
end

-- Cores' worth of time that the control group may use (cgroups v2, then v1).
local function core_limit(read)
  local quota, period = (line(read, "/sys/fs/cgroup/cpu.max") or "")
    :match("^(%d+) (%d+)$")
  if quota then return quota / period end
  quota = number(read, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
  period = number(read, "/sys/fs/cgroup/cpu/cpu.cfs_period_us")
  if quota and period and quota > 0 then return quota / period end
end

function linux.container(read)
  return { container = container_engine(read), core_limit = core_limit(read) }
end

return linux
