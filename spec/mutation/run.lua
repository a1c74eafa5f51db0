-- Plants the faults of spec/mutation/faults.lua, one at a time, in a copy of
-- the tree, and runs the specs: the ones that are named like the file first,
-- then those of its folder, then, for C that touches a state, hosts under the
-- address sanitizer. Says which faults were not caught.
--   run.lua FOLDER [FIRST [LAST]]      FOLDER: a copy of the tree, built
local folder, first, last = arg[1], tonumber(arg[2]), tonumber(arg[3])
local FAULTS = dofile "spec/mutation/faults.lua"
local usual = os.getenv "LUA" or "lua5.4"
local TIMEOUT_S = 240

-- Specs that build, browse or display: minutes, for what others tell as well.
local LEFT_OUT = "amalgam_spec\ngames_spec\nhtml_spec\ninstall_spec\n"
  .. "embed_spec\ncoverage_spec\nexamples_spec\nparallel_spec\n"

-- Where what a file does is told first: by its name, if not here.
local TOLD_BY = {
  memcap = "c_meter", batch = "c_meter", counthook = "c_counthook",
  gcwatch = "c_gcwatch", pace = "c_pacer", moments = "c_boot",
  bounds = "c_boot", draw = "c_rng", paired = "c_paired", lsq = "c_ols",
  exponent = "c_growth", histogram = "c_pacer", bind_gc = "c_gcmode",
  bind_probe = "c_census", bind_numbers = "c_stats", theil_sen = "c_robust",
  bind_boot = "c_rng", atomic = "store_spec", signals = "e2e_endings",
  verdicts = "e2e_stored", output = "e2e_endings", contain = "e2e_hostile",
  supervise = "e2e_launch", mailbox = "e2e_launch", stats = "c_stats",
  memory = "e2e_hostile", trial = "run_", split = "analysis_",
  fits = "analysis_", resume = "e2e_resume", child = "host_child",
}

-- The specs that may tell what a folder does, by how their names begin.
local RELEVANT = {
  ["csrc/pure"] = "c_ analysis_ noise_",
  ["csrc/state"] = "c_ run_ session e2e_hostile",
  ["csrc/bind"] = "c_ run_ session e2e_hostile",
  ["lua/tare/run"] = "run_ bench_ session frames c_hosts e2e_hostile e2e_run",
  ["lua/tare/bench"] = "run_ bench_ session c_hosts e2e_hostile e2e_run",
  ["lua/tare/analysis"] = "analysis_ run_ judge_ report_ e2e_run e2e_stored",
  ["lua/tare/base"] = "base_ analysis_ report_ judge_ e2e_run",
  ["lua/tare/store"] = "store_ judge_ e2e_stored e2e_resume e2e_files",
  ["lua/tare/judge"] = "judge_ e2e_stored e2e_judge e2e_ref",
  ["lua/tare/report"] = "report_ store_ e2e_run",
  ["lua/tare/cli"] = "e2e_ store_", ["lua/tare/host"] = "host_ session e2e_",
}

local SANITIZED = "OPT=-O1 SANITIZE='-fsanitize=address "
  .. "-fno-omit-frame-pointer -g' BUILD=build/asan-"

local function contents(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function run(command)
  local code = os.execute(("cd %s && %s >>mutant.log 2>&1"):format(folder,
    command))
  return code == true or code == 0
end

local function begins(name, patterns)
  for start in patterns:gmatch "%S+" do
    if name:sub(1, #start) == start then return true end
  end
  return false
end

local function names(patterns)
  local list = {}
  local pipe = io.popen(("cd %s && ls spec/*_spec.lua"):format(folder))
  for path in pipe:lines() do
    local name = path:match "([^/]+)%.lua$"
    if not LEFT_OUT:find(name:match "[^_]+_spec$", 1, true)
      and begins(name, patterns) then
      list[#list + 1] = path
    end
  end
  pipe:close()
  return table.concat(list, " ")
end

local function passes(lua, specs, with)
  return specs == "" or run(("%s SPECS='%s' SPEC_TIMEOUT=%d "
    .. "sh .ci/specs.sh %s"):format(with or "", specs, TIMEOUT_S, lua))
end

local function passes_sanitized(lua)
  return run(("make build hosts LUA=%s %s%s"):format(lua, SANITIZED, lua))
    and passes(lua, "spec/c_hosts_spec.lua", "ASAN_OPTIONS=detect_leaks=0 "
      .. "LD_PRELOAD=$(cc -print-file-name=libasan.so) "
      .. "BUILD_PREFIX=build/asan-")
end

-- The fault in its place; its text must stand there, once.
local function planted(fault)
  local file, old, new = fault[1], fault[2], fault[3]
  local text = contents(file)
  local from, to = text:find(old, 1, true)
  assert(from, file .. ": there is no more: " .. old)
  assert(not text:find(old, to + 1, true), file .. ": more than one: " .. old)
  return text:sub(1, from - 1) .. new .. text:sub(to + 1)
end

-- Who noticed: "build", specs that are "near" or in the "folder", "asan"; nil
-- if nobody.
local function caught_by(fault)
  local is_c, lua = fault[1]:find "^csrc" ~= nil, fault.lua or usual
  if not run("make build hosts LUA=" .. lua) then return "build" end
  local folder_of, stem = fault[1]:match "^(.*)/([^/]+)%.%w+$"
  local leaf = folder_of:match "[^/]+$"
  local near = TOLD_BY[stem] or ("%s_%s %s c_%s"):format(leaf, stem, stem, stem)
  if not passes(lua, names(near)) then return "near" end
  if not passes(lua, names(RELEVANT[folder_of])) then return "folder" end
  if is_c and folder_of ~= "csrc/pure" and not passes_sanitized(lua) then
    return "asan"
  end
end

local count, missed = 0, {}
for i, fault in ipairs(FAULTS) do planted(fault) FAULTS[i].number = i end
for i = first or 1, math.min(last or #FAULTS, #FAULTS) do
  local fault = FAULTS[i]
  local path = folder .. "/" .. fault[1]
  local sound = contents(path)
  write(path, planted(fault))
  local who = caught_by(fault)
  write(path, sound)
  count = count + 1
  print(("%2d %-6s %s: %s"):format(i, who or "MISSED", fault[1],
    fault[2]:gsub("%s+", " "):sub(1, 60)))
  io.stdout:flush()
  if not who then missed[#missed + 1] = i end
end
print(("%d faults planted, %d caught, %d missed (%.0f %% caught)"):format(
  count, count - #missed, #missed, 100 * (count - #missed) / count))
os.exit(#missed <= 0.05 * count)
