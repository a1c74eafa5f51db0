-- What a fingerprint says about the noise to expect, and what its reader can
-- do about it. Pure: it looks at data, asks nothing and changes nothing.
local advice = {}

local function percent(share) return ("%.3g %%"):format(100 * share) end

local function milliseconds(ns) return ("%.4g ms"):format(ns / 1e6) end

-- Clock sources of Linux that are read without entering the kernel.
local QUICK_CLOCKS = { tsc = true, ["kvm-clock"] = true,
  arch_sys_counter = true, hyperv_clocksource_tsc_page = true }

-- Each rule: (fingerprint, sample or an empty table) -> level, finding,
-- advice; nothing where it does not apply.
local RULES = {
  function(f)
    if not f.governor or f.governor == "performance" then return end
    return "warn", ("the frequency governor is '%s'"):format(f.governor),
      "the core's clock follows the load; the governor 'performance' holds it "
      .. "(cpupower frequency-set -g performance)"
  end,
  function(f)
    if not f.turbo then return end
    return "note", "turbo is on",
      "the clock depends on heat and on the other cores; compare cycles, or "
      .. "switch turbo off for measurements"
  end,
  function(f)
    if not f.on_battery then return end
    return "warn", "it runs on battery",
      "the clock is held down to save energy: plug it in"
  end,
  function(f)
    if not f.virtual then return end
    return "note", "this is a virtual machine"
      .. (f.hypervisor and (" (%s)"):format(f.hypervisor) or ""),
      "its cores are shared with strangers: trust ratios from one run and "
      .. "cycles more than times of different runs"
  end,
  function(f)
    if not f.smt then return end
    return "note", "two hardware threads share a core",
      "a busy sibling takes part of the core's speed, and the length of a "
      .. "cycle does not tell: leave cores idle while measuring"
  end,
  function(f)
    local limit = math.max(0.5, 0.25 * (f.cores or 1))
    if not f.load or f.load < limit then return end
    return f.load >= (f.cores or 1) and "warn" or "note",
      ("the load average is %.3g%s"):format(f.load,
        f.cores and (" on %d cores"):format(f.cores) or ""),
      "something else is running: let it finish, or stop it"
  end,
  function(f)
    if not f.steal or f.steal < 0.005 then return end
    return "warn", percent(f.steal) .. " of the time since boot was stolen",
      "the host gave it to other machines: expect gaps of milliseconds, and "
      .. "use more launches, spread over a longer time"
  end,
  function(f)
    local low = f.available_bytes and f.memory_bytes
      and f.available_bytes < 0.05 * f.memory_bytes
    if not low then return end
    return "warn", "less than 5 % of the memory is free",
      "pages may be written out and fetched again inside a batch: free some"
  end,
  function(f)
    if not f.core_limit or f.core_limit >= (f.cores or math.huge) then
      return
    end
    return f.core_limit < 1 and "warn" or "note",
      ("the container may use %.3g cores"):format(f.core_limit),
      "what goes beyond is halted for the rest of each period (100 ms by "
      .. "default): keep the number of parallel processes below that"
  end,
  function(f)
    if not f.clock_source or QUICK_CLOCKS[f.clock_source] then return end
    return "warn", ("the clock source is '%s'"):format(f.clock_source),
      "each look at the clock is a system call of a microsecond or more: "
      .. "batches must be long"
  end,
  function(f)
    local ns = f.clock_resolution_ns
    if not ns or (ns > 0 and ns <= 1000) then return end
    return "warn", ns == 0 and "the clock did not move while looked at"
      or ("the clock moves in steps of %s"):format(milliseconds(ns)),
      "batches must be long, and there is no software cycle counter"
  end,
  function(f)
    if f.address_randomization == "full" then
      return "note", "addresses are randomised",
        "each process is one draw of memory layout and hash seed: "
        .. "--launches 10 averages over them"
    elseif f.address_randomization == "off" then
      return "note", "addresses are not randomised",
        "each process has the same memory layout, lucky or unlucky: results "
        .. "repeat better than they are true"
    end
  end,
  function(f)
    if not (f.jit and f.jit.on == false) then return end
    return "warn", "the JIT compiler is off", "only the interpreter is measured"
  end,
  function(f)
    if not f.build or f.build.optimized ~= false then return end
    return "warn", "the core of tare was built without optimisation",
      "its software cycle counter does not hold: build with -O2"
  end,
  function(f)
    if not f.collector or f.collector.mode ~= "generational" then return end
    return "note", "the collector is in generational mode",
      "the standalone lua5.4 starts so, the state of a host program in "
      .. "incremental mode: choose what you ship with --gc-mode"
  end,
  function(_, s)
    if not s.slow_share or s.slow_share < 0.02 then return end
    return "warn", ("the core was slow for %s of the time just now")
      :format(percent(s.slow_share)),
      "its speed changes while nothing is asked of it: compare cycles"
  end,
  function(_, s)
    if not s.crowded_share or s.crowded_share < 0.02 then return end
    return "warn", ("the core was shared for %s of the time just now")
      :format(percent(s.crowded_share)),
      "its other hardware thread was busy, so it got less done in each "
      .. "cycle: leave cores idle; on a rented machine, look at the low end"
  end,
  function(_, s)
    if not s.largest_gap_ns or s.largest_gap_ns < 1e6 then return end
    return "warn", ("something else had the core for %s just now")
      :format(milliseconds(s.largest_gap_ns)),
      "stop other programs, or pin the run to an idle core (taskset -c)"
  end,
}

--- What a fingerprint, and a sample of the machine's noise where there is one,
--- give reason to say; warnings first.
---@param fingerprint table of env.fingerprint
---@param sample table? of env.noise_sample
---@return { level: "note"|"warn", finding: string, advice: string }[]
function advice.findings(fingerprint, sample)
  local found = { warn = {}, note = {} }
  for _, rule in ipairs(RULES) do
    local level, finding, what = rule(fingerprint, sample or {})
    if level then
      local list = found[level]
      list[#list + 1] = { level = level, finding = finding, advice = what }
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
