-- Ten thousand benches: time and memory to list, measure, store and read them.
--   scale.lua [BENCHES = 10000]
local uv = require "luv"

local benches = tonumber(arg[1]) or 10000
local lua = os.getenv "LUA" or "lua5.4"
local folder = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-XXXXXX"))

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
  return folder .. "/" .. name
end

local bench = write("many_bench.lua", ([[
  local suite = require "tare".suite "many"
  for i = 1, %d do
    suite:bench(("bench%%05d"):format(i), function() return { i } end)
  end
  return suite]]):format(benches))

-- The largest memory that a process had, as Linux tells it; nil elsewhere.
local function peak_mib(pid)
  local file = io.open(("/proc/%d/status"):format(pid))
  local kib = file and file:read("*a"):match "VmHWM:%s*(%d+)"
  if file then file:close() end
  return kib and kib / 1024
end

-- Seconds of a core that a process has taken until now (Linux; its clock has
-- ticks of 10 ms); nil elsewhere.
local function cpu_s(pid)
  local file = io.open(("/proc/%d/stat"):format(pid))
  local rest = file and file:read("*a"):match "%) (.*)$"
  if file then file:close() end
  if not rest then return nil end
  local fields = {}
  for field in rest:gmatch "%S+" do
    fields[#fields + 1] = tonumber(field) or 0
  end
  return (fields[12] + fields[13]) / 100
end

local function run(what, ...)
  local began, code, peak, cpu = uv.hrtime(), nil, 0, 0
  local out = assert(uv.fs_open(folder .. "/out", "w", 420))
  local process, pid = assert(uv.spawn(lua, {
    args = { "lua/tare/cli/bin.lua", ... }, stdio = { nil, out, 2 } },
    function(status) code = status end))
  local timer = uv.new_timer()
  timer:start(20, 20, function()
    peak = math.max(peak, peak_mib(pid) or 0)
    cpu = math.max(cpu, cpu_s(pid) or 0)
  end)
  while not code do uv.run "once" end
  timer:close()
  process:close()
  uv.run "nowait"
  uv.fs_close(out)
  local size = uv.fs_stat(folder .. "/out").size
  print(("%s %s: %.1f s, %.1f of a core, %.0f MiB at most, %.1f MiB printed, "
    .. "exit code %d"):format(lua, what, (uv.hrtime() - began) / 1e9, cpu, peak,
      size / 2^20, code))
end

local stored = folder .. "/r.json"
run("list", "list", bench)
run("run, 1 ms each, stored", "run", bench, "--quota", "1ms",
  "--save", stored, "--quiet")
print(("stored: %.1f MiB"):format(uv.fs_stat(stored).size / 2^20))
for _, format in ipairs { "text", "csv", "html", "json" } do
  run("report as " .. format, "report", stored, "--format", format,
    "--resamples", "100")
end
run("compare with itself", "compare", stored, stored)
os.execute("rm -rf " .. folder)
