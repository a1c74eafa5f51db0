-- Another state that had loaded the library is closed, and this one has none:
-- it is there all the same, since finalizers may still have to run.
local host = rawget(_G, "host")

local function is_there()
  for line in io.lines "/proc/self/maps" do
    if line:find("tare/core.so", 1, true) then return true end
  end
  return false
end

local maps = io.open "/proc/self/maps" -- elsewhere nothing shows it
if maps then
  maps:close()
  assert(not is_there(), "it is there before")
  assert(host.fresh("briefly", 0, "spec/support/hosts/opening.lua") == nil)
  assert(is_there(), "it is gone")
end
