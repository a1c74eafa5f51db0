-- Random mutants of the C and Lua files: which of them no spec notices
-- In a copy of the tree one operator of one file is changed at a time: a
-- comparison, a sum or product, a logical word, a constant; or two arguments
-- change places, or a statement is left out. Of Lua every spec runs that
-- executes the line, as a hook has shown (mutants/reach.c), the quickest first;
-- of C those that are named like the file, then those of its folder. Specs of
-- the command line, and those that measure time, run only where no other does
-- or for the files of the command line, and one of these that fails runs again,
-- so that no flicker counts. What compiles to the same code is no mutant. A
-- survivor is a gap of the specs, or a mutant that does the same: judge it, and
-- write it into mutants/judged.tsv: path, old line, new line, verdict, reason.
-- 'same' is not tried again; 'noticed' is by a spec that does not run here, as
-- the reason says; 'open' is what is left.
--   mutants.lua [N [SEED [PATTERN [FIRST]]]]   PATTERN: of paths, like
--   ^lua/tare/store; FIRST: the first that is tried, to go on with a sample
local command = require "spec.support.command"

local N = tonumber(arg[1]) or 20
local SEED = tonumber(arg[2]) or 1
local PATTERN = arg[3] or "."
local FIRST = tonumber(arg[4]) or 1
local LUA = os.getenv "TARE_LUA" or "lua5.4"
-- Seconds of the processor, which don't pass while others have it:
local TIMEOUT_S = 60 -- of a spec
local HANGS = 4 -- times as long as before: it has noticed, and not only late
-- of all specs of a mutant, after which no other starts:
local MUTANT_S = tonumber(os.getenv "MUTANT_S") or 150
local ASLEEP_S = 900 -- by the clock, for a spec that waits for ever

-- Whole files without decisions of their own: styles, types, what is generated.
local LEFT_OUT = { "^lua/tare/meta/", "html/style", "html/script",
  "^csrc/embed/", "%.h$" }
-- Specs that build, install or browse: minutes, for what others notice as well.
local SLOW = { "amalgam", "games", "e2e_html", "install", "embed$",
  "embed_frames", "coverage",
  "examples", "parallel", "kills", "docs", "hosts", "large", "hostile" }
-- C files whose specs are named after what they are for; slow ones run, too.
local SEEN_BY = { framelog = { "^frames" }, trace = { "^frames" },
  durations = { "^frames" }, bind_frames = { "^frames", "^c_hosts$" },
  framepacer = { "^frames" }, pace_debt = { "^c_pacer$" },
  alarm = { "deadline" }, perf = { "counters" },
  bind_platform = { "counters" }, core = { "^c_hosts$" },
  resident = { "^c_hosts$" }, host = { "^e2e_embed_frames$" },
  fixed_seed = { "callgrind" },
  process = { "^c_platform$", "^e2e_launch$", "^e2e_kills$" } }
-- Files that do something on LuaJIT only, where the core is built for it.
local OF_LUAJIT = io.open "build/luajit/tare/core.so"
  and { "worker/traces", "worker/jitwatch" } or {}
-- Specs that time or interrupt what they start.
local TIMED = { "assert", "deadline", "pacer", "e2e_", "frames", "session",
  "conductor_spec", "library", "restore" }

-- Operators: what is found (a Lua pattern) and what takes its place.
local SWAP = { "%(([%w_.>-]+), ([%w_.>-]+)%)", "(%2, %1)" } -- arguments
local OPERATORS = {
  lua = { { " < ", " <= " }, { " <= ", " < " }, { " > ", " >= " },
    { " >= ", " > " }, { " == ", " ~= " }, { " ~= ", " == " },
    { " %+ ", " - " }, { " %- ", " + " }, { " %* ", " / " }, { " / ", " * " },
    { " and ", " or " }, { " or ", " and " }, { "not ", "" },
    { "true", "false" }, { "false", "true" }, { "([^%w._])1([^%w.])", "%12%2" },
    { "([^%w._])0([^%w.])", "%11%2" }, { "math%.max", "math.min" },
    { "math%.min", "math.max" }, { "%.low", ".high" },
    SWAP, { "^  +[%w_.]+ = [^{(]*$", "" }, { "^  +return true$", "" } },
  c = { { " < ", " <= " }, { " <= ", " < " }, { " > ", " >= " },
    { " >= ", " > " }, { " == ", " != " }, { " != ", " == " },
    { " %+ ", " - " }, { " %- ", " + " }, { " %* ", " / " }, { " / ", " * " },
    { " && ", " || " }, { " || ", " && " }, { "!([%w(])", "%1" },
    { "([^%w._])1([^%w.])", "%12%2" }, { "([^%w._])0([^%w.])", "%11%2" },
    { "fmax%(", "fmin(" }, { "fmin%(", "fmax(" }, { "%+%+", "--" },
    SWAP, { "^  +[%w_>.-]+ [-+*]?= [^{]*;$", ";" },
    { "^  +[%w_]+%(.*%);$", ";" } },
}

local function lines_of(shell)
  local list, pipe = {}, io.popen(shell)
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

local function has_any(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

-- Park and Miller's generator: a seed gives the same mutants on every Lua.
local state = SEED % 2147483646 + 1
local function draw(n)
  state = state * 16807 % 2147483647
  return state % n + 1
end

-- Whether a place of a line is in a text: its words are no operators.
local function is_in_text(line, at)
  return select(2, line:sub(1, at):gsub('"', "")) % 2 == 1
end

-- Two names, of which no call would survive the swap, or any would; or that are
-- no arguments.
local function is_never_swapped(line)
  return line:find "%(L, " or line:find "m[ai][nx]%(" or line:find "function"
end

-- Every place of a file where an operator fits, as the changed line.
local function mutants_of(path)
  local found, number = {}, 0
  local in_comment, language = false, path:match "%.(%w+)$"
  for line in (command.read(path) .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    local is_comment = in_comment or line:find "^%s*%-%-" or line:find "^#"
    if language == "c" then
      if line:find("/*", 1, true) then in_comment, is_comment = true, true end
      if line:find("*/", 1, true) then in_comment = false end
    end
    for _, operator in ipairs(is_comment and {} or OPERATORS[language]) do
      local changed = line:gsub(operator[1], operator[2], 1)
      if changed ~= line and not line:find "assert"
        and not (operator == SWAP and is_never_swapped(line))
        and not is_in_text(line, line:find(operator[1])) then
        found[#found + 1] = { path = path, line = number, old = line,
          new = changed }
      end
    end
  end
  return found
end

local judged_same = {} -- by path, old and new line
for line in (command.read "spec/lab/mutants/judged.tsv"):gmatch "[^\n]+" do
  local mutant, verdict = line:match "^(.-\t.-\t.-)\t(%l+)\t"
  if verdict == "same" then judged_same[mutant] = true end
end

local function is_judged_same(mutant)
  local function trimmed(line) return line:match "^%s*(.-)%s*$" end
  return judged_same[mutant.path .. "\t" .. trimmed(mutant.old) .. "\t"
    .. trimmed(mutant.new)]
end

local all = {}
for _, path in ipairs(lines_of "git ls-files lua csrc") do
  if path:find(PATTERN) and path:find "%.[lc]u?a?$"
    and not has_any(path, LEFT_OUT) then
    for _, one in ipairs(mutants_of(path)) do all[#all + 1] = one end
  end
end

-- What is beside the tree, like the data that some specs read, is beside its
-- copy, too.
local home = os.tmpname()
os.remove(home)
local folder = home .. "/tree"
os.execute(("mkdir -p %s && git ls-files | tar cf - -T - build/%s build/luajit "
  .. "build/bin | tar xf - -C %s; [ ! -d ../shared ] || "
  .. "ln -s \"$PWD/../shared\" %s/shared"):format(folder, LUA, folder, home))

-- Whether a line of the shell succeeds, and how many seconds of the processor
-- it took, with what it has started.
local function runs(line)
  local code = os.execute(("cd %s && { %s >/dev/null 2>&1; code=$?; "
    .. "times >%s/times; exit $code; }"):format(folder, line, folder))
  local seconds = 0
  local of_children = command.read(folder .. "/times"):match "\n(.*)"
  for minutes, rest in (of_children or ""):gmatch "(%d+)m([%d.]+)s" do
    seconds = seconds + 60 * minutes + rest
  end
  return code == true or code == 0, seconds
end

-- The line of the shell that runs a spec.
local function runs_spec(lua, spec)
  return ("LUA_PATH='lua/?.lua;lua/?/init.lua;./?.lua;;' "
    .. "LUA_CPATH='build/%s/?.so;;' TARE_LUA=%s TARE_BUILD=build/%s "
    .. "timeout -k 2 %d %s $(command -v busted) --ignore-lua "
    .. "--no-keep-going %s")
    :format(lua, lua, lua, ASLEEP_S, lua, spec)
end

-- The specs that see a C file: those named like it, then those of its folder.
local function specs_of_c(path)
  local stem = path:match "([^/]+)%.%w+$"
  local above = path:match "([^/]+)/[^/]+$"
  local named = SEEN_BY[stem] or {}
  local near, far, real = {}, {}, {}
  for _, spec in ipairs(lines_of "ls spec/*_spec.lua") do
    local name = spec:match "([^/]+)_spec%.lua$"
    local is_near = name:find(stem:gsub("^bind_", ""), 1, true)
      or above == "frames" and name:find "^frames" or name == above
    local list
    if has_any(name, named) then
      list = near
    elseif name:find "^e2e_" then
      list = is_near and real
    elseif is_near then
      list = near
    elseif name:find "^c_" and not has_any(name, TIMED) then
      list = far
    end
    if list and (list == near and has_any(name, named)
      or not has_any(name, SLOW)) then list[#list + 1] = spec end
  end
  return near, far, #near == 0 and real or {}
end

-- Marks of the lines that each spec executes, kept until a Lua file changes.
local FILES, LINES = lines_of "git ls-files lua/tare", 2048
local KEPT = lines_of("pwd")[1] .. "/build/reach"
local reached = {} -- by spec
local took = {} -- by each spec that has passed, in seconds

local function look_what_is_reached()
  local headers = LUA == "luajit" and "luajit-2.1" or LUA
  local version = LUA:match "5%.[2-9]$"
  os.execute(("mkdir -p %s && cc -O2 -shared -fPIC -I/usr/include/%s "
    .. "-I/usr/local/include/%s -o %s/reach.so spec/lab/mutants/reach.c")
    :format(KEPT, headers, headers, KEPT))
  command.write(KEPT .. "/files", table.concat(FILES, "\n") .. "\n")
  os.execute(("cd %s; [ -e lua ] && [ -z \"$(find ../../lua -newer lua)\" ] "
    .. "|| { rm -f *.marks; touch lua; }"):format(KEPT))
  local load = ("LUA_INIT%s=\"package.loadlib('%s/reach.so', "
    .. "'luaopen_reach')()\" REACH_FILES=%s/files REACH_OUT="):format(
    version and "_" .. version:gsub("%.", "_") or "", KEPT, KEPT)
  for _, spec in ipairs(lines_of "ls spec/*_spec.lua") do
    local name = spec:match "([^/]+)_spec%.lua$"
    local kept = KEPT .. "/" .. name
    if not has_any(name, SLOW) and name ~= "c_pacer" then
      if not runs(("[ %s.marks -nt $OLDPWD/%s ]"):format(kept, spec)) then
        os.remove(kept .. ".marks")
        local _, seconds = runs(load .. kept .. ".marks "
          .. runs_spec(LUA, spec))
        command.write(kept .. ".took", tostring(seconds))
      end
      local file = io.open(kept .. ".marks")
      reached[spec] = file and command.read(kept .. ".marks")
      took[spec] = tonumber(command.read(kept .. ".took"))
      if file then file:close() end
    end
  end
end

-- The specs that execute a line or, where it is part of a statement, the line
-- before it that is; then those that measure time, if they are about the file,
-- or no other executes it.
local function specs_of_lua(path, line)
  local at
  for i, file in ipairs(FILES) do
    if file == path then at = (i - 1) * LINES + 1 end
  end
  local module = path:gsub("^lua/", ""):gsub("/init%.lua$", "")
    :gsub("%.lua$", ""):gsub("/", ".")
  local stem, quiet, timed, own = module:match "[^.]+$", {}, {}, {}
  for back = 0, math.min(8, line - 1) do
    for spec, marks in pairs(reached) do
      if marks:byte(at + line - back) == 1 then
        local is_timed = has_any(spec, TIMED)
        local is_own = is_timed and (spec:find(stem, 1, true)
          or command.read(spec):find('"' .. module .. '"', 1, true))
        local list = is_own and own or is_timed and timed or quiet
        list[#list + 1] = spec
      end
    end
    if #quiet + #timed + #own > 0 then break end
  end
  return quiet, own, (#quiet + #own == 0 or path:find "cli/") and timed or {}
end

-- Those named like the file first, then by the time that they took before.
local function in_order(specs, stem)
  table.sort(specs, function(a, b)
    local ka = a:find(stem, 1, true) and 0 or 1
    local kb = b:find(stem, 1, true) and 0 or 1
    if ka ~= kb then return ka < kb end
    local ta, tb = took[a] or 0, took[b] or 0
    if ta ~= tb then return ta < tb end
    return a < b
  end)
  return specs
end

-- Whether all pass, until their time is over; which doesn't, or a remark; and
-- the seconds that are left.
local function passes(lua, specs, left_s)
  for _, spec in ipairs(specs) do
    local line = runs_spec(lua, spec)
    if left_s < 0 then return true, "not all specs ran", left_s end
    local ok, seconds = runs(("ulimit -t %d; "):format(TIMEOUT_S) .. line)
    left_s = left_s - seconds
    local is_late = not ok and seconds >= TIMEOUT_S
    if is_late then
      ok = not took[spec] or seconds < HANGS * took[spec]
    elseif not ok and has_any(spec, TIMED) then
      ok = runs(line)
    end
    if not ok then return false, spec, left_s end
    if not is_late then took[spec] = seconds end
  end
  return true, nil, left_s
end

local is_changed = false -- the core, since it was built

local function build()
  is_changed = false
  return (runs("make -s build LUA=" .. LUA))
end

-- The code that is made of a file, without its lines; nil where that fails.
local function code_of(path)
  local text
  if path:find "^csrc" then
    if is_changed and not build() then return nil end
    local object = path == "csrc/fixed_seed.c" and "tare/fixed_seed.so"
      or "obj/" .. path:gsub("^csrc/", ""):gsub("%.c$", ".o")
    text = command.read(("%s/build/%s/%s"):format(folder, LUA, object))
  else
    local chunk = loadfile(folder .. "/" .. path)
    text = chunk and string.dump(chunk, true)
  end
  return text
end

-- Who notices; nil and perhaps a remark where nobody does.
local function noticed(path, line)
  local left_s, remark = MUTANT_S, nil
  local stem = path:match "([^/]+)%.%w+$"
  local lua = has_any(path, OF_LUAJIT) and "luajit" or LUA
  local lists = { specs_of_c(path) }
  if path:find "^lua" then
    lists = lua == LUA and { specs_of_lua(path, line) }
      or { lines_of("ls spec/traces_spec.lua spec/worker_jitwatch_spec.lua "
        .. "spec/profile_spec.lua") }
  end
  for _, specs in ipairs(lists) do
    local ok, spec
    ok, spec, left_s = passes(lua, in_order(specs, stem), left_s)
    if not ok then return spec end
    remark = remark or spec
  end
  return nil, remark
end

local survivors, tried, same, known = 0, 0, 0, 0
local sound_code = {}
build()
for _, mutant in ipairs(all) do
  if mutant.path:find "^lua" then look_what_is_reached() break end
end
while tried < N and #all > 0 do
  local mutant = table.remove(all, draw(#all))
  local path = mutant.path
  local place, number = folder .. "/" .. path, 0
  local sound, is_c = command.read(path), path:find "^csrc" ~= nil
  if is_changed and not is_c then build() end
  sound_code[path] = sound_code[path] or code_of(path)
  command.write(place, ((sound .. "\n"):gsub("(.-)\n", function()
    number = number + 1
    return number == mutant.line and mutant.new .. "\n" or nil
  end):sub(1, -2)))
  is_changed = is_changed or is_c
  local code = code_of(path)
  if code == sound_code[path] then
    same = same + 1
  elseif is_judged_same(mutant) then
    known = known + 1
  else
    tried = tried + 1
    local who, remark
    if tried < FIRST then
      who = "(not tried)"
    elseif not code then
      who = "compiler"
    else
      who, remark = noticed(path, mutant.line)
    end
    if not who then survivors = survivors + 1 end
    print(("%3d %s %s:%d\n    -%s\n    +%s"):format(tried, who or "SURVIVED"
      .. (remark and " (" .. remark .. ")" or ""), path, mutant.line,
      mutant.old, mutant.new))
    io.stdout:flush()
  end
  command.write(place, sound)
  is_changed = is_changed or is_c -- built again with what comes next
end
os.execute("rm -rf " .. home)
print(("seed %d: %d mutants, %d survived; %d more were the same code, %d are "
  .. "known to do the same, %d places are left"):format(SEED, tried, survivors,
  same, known, #all))
