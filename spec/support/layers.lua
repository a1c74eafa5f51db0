-- Holds the layers: each file includes or requires only lower ranks, or, inside
-- its own rank, only what is named here. Prints each breach; exits 1 on any.
-- (The build adds one more proof: pure and platform compile without Lua's
-- include path.)

local C_RANK = { pure = 0, platform = 1, state = 2, bind = 3, embed = 4 }

-- Rank of every folder below lua/tare. Files of one folder may require each
-- other, but not in a circle.
local LUA_RANK = {
  base = 0, sweep = 0,
  bench = 1, analysis = 1, noise = 1, env = 1, judge = 1, store = 1,
  report = 1,
  run = 2,
  host = 3,
  cli = 4,
  init = 5, assert = 5, meta = 5,
}

-- Inside one rank: which folder may require which.
local LUA_WITHIN = {
  analysis = { noise = true },
  judge = { env = true },
  report = { store = true },
}

local breaches = {}
local function breach(file, ...)
  breaches[#breaches + 1] = file .. ": " .. string.format(...)
end

local function files(pattern)
  local list = {}
  for name in io.popen("ls " .. pattern .. " 2>/dev/null"):lines() do
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

local function check_c(file)
  local folder = file:match("^csrc/(%w+)/")
  local text = contents(file)
  for included in text:gmatch('#include "(%w+)/[%w_]+%.h"') do
    if C_RANK[included] > C_RANK[folder] then
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

for _, file in ipairs(files("csrc/*/*.c csrc/*/*.h")) do check_c(file) end
for _, file in ipairs(files("lua/tare/*.lua lua/tare/*/*.lua "
  .. "lua/tare/*/*/*.lua")) do
  check_lua(file)
end
for name in pairs(graph) do check_circles(name, name) end
for _, message in ipairs(breaches) do io.stderr:write(message, "\n") end
os.exit(#breaches == 0 and 0 or 1)
