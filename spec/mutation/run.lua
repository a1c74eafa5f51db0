-- Plants the faults of spec/mutation/faults.lua, one at a time, in a copy of
-- the tree, and runs the specs: the ones that are named like the file first,
-- then all that take no other program. Says which faults were not caught.
--   run.lua FOLDER [FIRST [LAST]]      FOLDER: a copy of the tree, built
local folder, first, last = arg[1], tonumber(arg[2]), tonumber(arg[3])
local FAULTS = dofile "spec/mutation/faults.lua"
local LUA = os.getenv "LUA" or "lua5.4"
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
  memory = "e2e_hostile", trial = "run_", split = "analysis_spec",
  fits = "analysis_spec", resume = "e2e_resume", child = "host_child",
}

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

local function names(pattern)
  local list = {}
  local pipe = io.popen(("cd %s && ls spec/*_spec.lua"):format(folder))
  for path in pipe:lines() do
    local name = path:match "([^/]+)%.lua$"
    if not LEFT_OUT:find(name:match "[^_]+_spec$", 1, true)
      and (not pattern or name:find(pattern, 1, true)) then
      list[#list + 1] = path
    end
  end
  pipe:close()
  return table.concat(list, " ")
end

local function passes(specs)
  return run(("SPECS='%s' SPEC_TIMEOUT=%d sh .ci/specs.sh %s"):format(specs,
    TIMEOUT_S, LUA))
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

-- Who noticed: "build", "near" or "all" specs; nil if nobody.
local function caught_by(fault)
  if fault[1]:find "^csrc" and not run("make build hosts LUA=" .. LUA) then
    return "build"
  end
  local stem = fault[1]:match "([^/]+)%.%w+$"
  local near = names(TOLD_BY[stem] or stem)
  if near ~= "" and not passes(near) then return "near" end
  if not passes(names()) then return "all" end
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
