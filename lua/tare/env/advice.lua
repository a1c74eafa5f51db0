-- What a fingerprint says about the noise to expect, and what its reader can
-- do about it. Pure: it looks at data, asks nothing and changes nothing.
local numerals = require "tare.base.numerals"

local advice = {}

local function short(x) return numerals.format("%.3g", x) end

local function percent(share) return short(100 * share) .. " %" end

local function milliseconds(ns)
  return numerals.format("%.4g", ns / 1e6) .. " ms"
end

-- Clock sources of Linux that are read without entering the kernel.
local QUICK_CLOCKS = { tsc = true, ["kvm-clock"] = true,
  arch_sys_counter = true, hyperv_clocksource_tsc_page = true }

local function many_cores(f) return f.cores or 1 end

-- A share of a sample that is worth a word.
local function noticed(share)
  return share and share >= 0.02 and percent(share)
end

-- Each rule: its level ("warn", "note", or a function of the fingerprint), when
-- it applies (a function of fingerprint and sample: what the finding has in the
-- place of %s, or true; nothing where it does not apply), the finding, and what
-- to do about it.
local RULES = {
  { "warn", function(f) return f.governor ~= "performance" and f.governor end,
    "the frequency governor is '%s'",
    "the core's clock follows the load; the governor 'performance' holds it "
    .. "(cpupower frequency-set -g performance)" },
  { "note", function(f) return f.turbo end, "turbo is on",
    "the clock depends on heat and on the other cores; compare cycles, or "
    .. "switch turbo off for measurements" },
  { "warn", function(f) return f.on_battery end, "it runs on battery",
    "the clock is held down to save energy: plug it in" },
  { "note", function(f)
      return f.virtual and (f.hypervisor and (" (%s)"):format(f.hypervisor)
        or "")
    end, "this is a virtual machine%s",
    "its cores are shared with strangers: trust ratios from one run and "
    .. "cycles more than times of different runs" },
  { "note", function(f) return f.smt end, "two hardware threads share a core",
    "a busy sibling takes part of the core's speed, and the length of a "
    .. "cycle does not tell: leave cores idle while measuring" },
  { function(f) return f.load >= many_cores(f) and "warn" or "note" end,
    function(f)
      return f.load and f.load >= math.max(0.5, 0.25 * many_cores(f))
        and short(f.load) .. (f.cores
          and (" on %d cores"):format(f.cores) or "")
    end, "the load average is %s",
    "something else is running: let it finish, or stop it" },
  { "warn", function(f)
      return f.steal and f.steal >= 0.005 and percent(f.steal)
    end, "%s of the time since boot was stolen",
    "the host gave it to other machines: expect gaps of milliseconds, and "
    .. "use more launches, spread over a longer time" },
  { "warn", function(f)
      return f.available_bytes and f.memory_bytes
        and f.available_bytes < 0.05 * f.memory_bytes
    end, "less than 5 % of the memory is free",
    "pages may be written out and fetched again inside a batch: free some" },
  { function(f) return f.core_limit < 1 and "warn" or "note" end,
    function(f)
      return f.core_limit and f.core_limit < (f.cores or math.huge)
        and short(f.core_limit)
    end, "the container may use %s cores",
    "what goes beyond is halted for the rest of each period (100 ms by "
    .. "default): keep the number of parallel processes below that" },
  { "warn", function(f)
      return not QUICK_CLOCKS[f.clock_source or "tsc"] and f.clock_source
    end, "the clock source is '%s'",
    "each look at the clock is a system call of a microsecond or more: "
    .. "batches must be long" },
  { "warn", function(f)
      local ns = f.clock_resolution_ns
      if not ns or ns > 0 and ns <= 1000 then return nil end
      return ns == 0 and "did not move while looked at"
        or "moves in steps of " .. milliseconds(ns)
    end, "the clock %s",
    "batches must be long, and there is no software cycle counter" },
  { "note", function(f) return f.address_randomization == "full" end,
    "addresses are randomised",
    "each process is one draw of memory layout and hash seed: "
    .. "'tare run' averages over several, 25 or more in a quota of 1 s" },
  { "note", function(f) return f.address_randomization == "off" end,
    "addresses are not randomised",
    "each process has the same memory layout, lucky or unlucky: results "
    .. "repeat better than they are true" },
  { "warn", function(f) return f.jit and f.jit.on == false end,
    "the JIT compiler is off", "only the interpreter is measured" },
  { "warn", function(f) return f.build and f.build.optimized == false end,
    "the core of tare was built without optimisation",
    "its software cycle counter does not hold: build with -O2" },
  { "note", function(f)
      return f.collector and f.collector.mode == "generational"
    end, "the collector is in generational mode",
    "the stand-alone lua5.4 and lua5.5 start so, the state of a host program "
    .. "in incremental mode: choose what you ship with --gc-mode" },
  { "warn", function(_, s) return noticed(s.slow_share) end,
    "the core was slow for %s of the time just now",
    "its speed changes while nothing is asked of it: compare cycles" },
  { "warn", function(_, s) return noticed(s.crowded_share) end,
    "the core was shared for %s of the time just now",
    "its other hardware thread was busy, so it got less done in each "
    .. "cycle: leave cores idle; on a rented machine, look at the low end" },
  { "warn", function(_, s)
      return s.largest_gap_ns and s.largest_gap_ns >= 1e6
        and milliseconds(s.largest_gap_ns)
    end, "something else had the core for %s just now",
    "stop other programs, or pin the run to an idle core (taskset -c)" },
}

--- What a fingerprint, and a sample of the machine's noise where there is one,
--- give reason to say; warnings first.
---@param fingerprint table of env.fingerprint
---@param sample table? of tare.env.noise
---@return { level: "note"|"warn", finding: string, advice: string }[]
function advice.findings(fingerprint, sample)
  local found = { warn = {}, note = {} }
  for _, rule in ipairs(RULES) do
    local seen, level = rule[2](fingerprint, sample or {}), rule[1]
    if seen then
      if type(level) == "function" then level = level(fingerprint) end
      table.insert(found[level], { level = level, advice = rule[4],
        finding = seen == true and rule[3] or rule[3]:format(seen) })
    end
  end
  for _, note in ipairs(found.note) do found.warn[#found.warn + 1] = note end
  return found.warn
end

-- What makes times of two reports comparable; each a path of fields.
local IDENTITY = { "cpu", "cores", "virtual", "governor", "turbo", "smt", "os",
  "core_limit", "allowed_cpus", "clock_source", "address_randomization", "lua",
  "jit.on", "build.compiler", "build.arch", "build.optimized" }

local function lookup(fingerprint, path)
  local value = fingerprint
  for name in path:gmatch("[^.]+") do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

--- Where two fingerprints differ in what makes their times comparable. A
--- field that one of them lacks is not known, and no difference.
---@param a table
---@param b table
---@return { field: string, a: any, b: any }[]
function advice.differences(a, b)
  local list = {}
  for _, path in ipairs(IDENTITY) do
    local x, y = lookup(a, path), lookup(b, path)
    if x ~= nil and y ~= nil and x ~= y then
      list[#list + 1] = { field = path, a = x, b = y }
    end
  end
  return list
end

return advice
