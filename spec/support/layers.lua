-- Holds the layers: each file includes or requires only lower ranks, or, inside
-- its own rank, only what is named here. Prints each breach; exits 1 on any.
-- (The build adds one more proof: pure and platform compile without Lua's
-- include path.)

-- Folders of csrc and their ranks. A folder that is not here is an error.
local C_RANK = { pure = 0, platform = 1, state = 2, bind = 3, embed = 4 }

-- Folders and single files below lua/tare. Files of one folder may require each
-- other, but not in a circle.
local LUA_RANK = {
  lite = 0, base = 0, sweep = 0,
  bench = 1, analysis = 1, env = 1, judge = 1, store = 1, report = 1,
  worker = 2,
  conductor = 3, session = 3, frames = 3,
  instrument = 4,
  cli = 4, claims = 4, embed = 4,
  init = 5, assert = 5, meta = 5,
}

-- Inside one rank: which folder may require which.
local LUA_WITHIN = {
  judge = { env = true },
  session = { conductor = true },
  sweep = { base = true },
}

local breaches = {}
local function breach(file, ...)
  breaches[#breaches + 1] = file .. ": " .. string.format(...)
end

local function files(folder, ending)
  local list = {}
  for name in io.popen(("find %s -mindepth 2 -name '*.%s' | sort")
    :format(folder, ending)):lines() do
    list[#list + 1] = name
  end
  return list
end

local function contents(file)
  local handle = assert(io.open(file))
  local text = handle:read("*a")
  handle:close()
  return text
end

local function exists(path)
  local handle = io.open(path)
  if handle then handle:close() end
  return handle ~= nil
end

local function check_c(file)
  local folder = file:match("^csrc/([%w_]+)/")
  if not C_RANK[folder] then
    return breach(file, "csrc/%s has no rank; give it one here", folder)
  end
  local text = contents(file)
  for included in text:gmatch('#include "([%w_]+)/[%w_]+%.h"') do
    if not C_RANK[included] or C_RANK[included] > C_RANK[folder] then
      breach(file, "%s must not include %s", folder, included)
    end
  end
  if C_RANK[folder] < 3 and text:find("luaL_Reg", 1, true) then
    breach(file, "only the bindings use luaL_Reg")
  end
  if C_RANK[folder] < 3 and text:find("luaL_check%w+%(") then
    breach(file, "only the bindings check arguments")
  end
  if file ~= "csrc/compat.h" and text:find("LUA_VERSION_NUM", 1, true)
    and not file:find("^csrc/state/") then
    breach(file, "versions are told apart in compat.h and csrc/state alone")
  end
end

-- 'report.svg' and 'report/svg' live in the folder 'report'; so does 'report',
-- its init.lua.
local function folder_of(name) return name:match("^([%w_]+)") end

local function lua_rank(name)
  return LUA_RANK[name] or LUA_RANK[folder_of(name)]
end

local function may_require(name, other)
  local mine, theirs = folder_of(name), folder_of(other)
  return mine == theirs or lua_rank(other) < lua_rank(name)
    or (LUA_WITHIN[mine] or {})[theirs]
end

local graph = {} -- module -> list of the modules that it requires

local function check_lua(file)
  local name = file:match("^lua/tare/(.*)%.lua$"):gsub("/init$", "")
    :gsub("/", ".")
  graph[name] = {}
  if not lua_rank(name) then
    return breach(file, "has no rank; give it one here")
  end
  local code = contents(file):gsub("%-%-[^\n]*", "")
  for required in code:gmatch('require%s*%(?%s*"tare%.?([%w_.]*)"') do
    local other = required == "" and "init" or required
    local path = "lua/tare/" .. other:gsub("%.", "/")
    if other ~= "core" and not other:find "%.$"
      and not exists(path .. ".lua") and not exists(path .. "/init.lua") then
      breach(file, "requires tare.%s, which does not exist", other)
    end
    if other ~= "core" and not lua_rank(other) then
      breach(file, "requires tare.%s, which has no rank", other)
    elseif other ~= "core" then
      table.insert(graph[name], other)
      if not may_require(name, other) then
        breach(file, "rank %d requires tare.%s of rank %d", lua_rank(name),
          other, lua_rank(other))
      end
    end
  end
end

local state = {} -- of the search for circles: nil, "open" or "closed"
local function check_circles(name, path)
  if state[name] == "closed" then return end
  if state[name] == "open" then
    return breach(path, "requires itself in a circle: %s", name)
  end
  state[name] = "open"
  for _, other in ipairs(graph[name] or {}) do
    check_circles(other, path .. " -> " .. other)
  end
  state[name] = "closed"
end

for _, file in ipairs(files("csrc", "[ch]")) do check_c(file) end
for _, file in ipairs(files("lua", "lua")) do check_lua(file) end
for name in pairs(graph) do check_circles(name, name) end
for _, message in ipairs(breaches) do io.stderr:write(message, "\n") end
os.exit(#breaches == 0 and 0 or 1)
