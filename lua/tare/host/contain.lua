-- Keeps what a bench does to its process from harming the run, for programs
-- that own the process (a host's session leaves its process alone): os.exit is
-- an error, what is printed goes to stderr, and what was broken is mended when
-- a step fails and at the end: the standard library, loaded modules, hooks,
-- the collector, the working folder. The library is sound whenever tare's own
-- code runs.
local core = require "tare.core"
local Sound = require "tare.host.sound"

local Contain = {}
Contain.__index = Contain

-- Benches may take these away from _G; what mends has its own.
local debug, error, next, pcall, rawset, setmetatable, tostring, type =
  debug, error, next, pcall, rawset, setmetatable, tostring, type
local getmetatable, rawget, collectgarbage =
  debug.getmetatable, rawget, collectgarbage
local setrawmetatable, gethook, sethook =
  debug.setmetatable, debug.gethook, debug.sethook

local LIBRARIES = { "string", "table", "math", "io", "os", "debug",
  "coroutine", "utf8", "bit", "bit32", "jit", "package" }

local function copy_of(original)
  local copy = {}
  for key, value in next, original do copy[key] = value end
  return copy
end

local function uv_if_there()
  local ok, uv = pcall(require, "luv")
  return ok and uv or nil
end

-- Tables as they are now: {table = copy}.
local function pictures()
  local kept = { [_G] = copy_of(_G), [package.loaded] = copy_of(package.loaded),
    [getmetatable("")] = copy_of(getmetatable("")) }
  for i = 1, #LIBRARIES do
    local library = rawget(_G, LIBRARIES[i])
    if type(library) == "table" then kept[library] = copy_of(library) end
  end
  return kept
end

local function leave(code)
  error("it called os.exit(" .. (code == nil and "" or tostring(code)) .. ")",
    2)
end

--- Begins, for what a runner will run; close() ends it.
---@param context table of Runner.context()
---@return table containment
function Contain.new(context)
  local uv = uv_if_there()
  local self = setmetatable({ kept = pictures(), uv = uv, exit = os.exit,
    output = io.output(), folder = uv and uv.cwd(), globals = getmetatable(_G),
    hook = { gethook() }, strings = getmetatable(""),
    saved = core.divert_stdout() }, Contain)
  os.exit = leave -- luacheck: ignore 122
  self.kept[os].exit = leave
  context.sound = Sound.new()
  return self
end

local function mend_tables(kept)
  for place, copy in next, kept do
    for key, value in next, copy do
      if rawget(place, key) ~= value then rawset(place, key, value) end
    end
  end
end

local function has_stopped()
  local known, running = pcall(collectgarbage, "isrunning")
  return known and not running
end

--- Puts back what was broken; what was added stays.
function Contain:mend()
  local hook = self.hook
  sethook(hook[1], hook[2], hook[3])
  setrawmetatable(_G, self.globals)
  setrawmetatable("", self.strings)
  mend_tables(self.kept)
  if has_stopped() then collectgarbage("restart") end
  if self.uv and self.folder then self.uv.chdir(self.folder) end
end

--- Does one step of a runner. A step that fails through what a bench did to
--- the process is that bench's error, and the run goes on.
---@param runner table
---@return boolean done
function Contain:step(runner)
  local ok, done = pcall(runner.step, runner)
  if ok then return done end
  self:mend()
  if not runner:blame(tostring(done)) then error(done, 0) end
  return false
end

--- All is as it was.
function Contain:close()
  self.kept[os].exit = self.exit
  self:mend()
  io.output(self.output)
  if self.saved then core.restore_stdout(self.saved) end
  self.saved = nil
end

return Contain
