-- Are equal functions called different by tare.compare? (a quarter of an hour)
-- Twelve functions against equal ones, in fresh processes, RUNS times each: how
-- often called different, surely beyond 1 %, and the furthest. Prints; judges
-- nothing.
--   make lab NAME=one_process [ARGS="RUNS QUOTA"]     30 and 1s
local tare = require "tare"

local RUNS, QUOTA = tonumber(arg[1]) or 30, arg[2] or "1s"

if arg[3] then -- in a process of its own: a line for each function
  local twelve = assert(loadfile "spec/lab/twins/twelve_functions.lua")
  local first, second = twelve(), twelve()
  for i, entry in ipairs(first) do
    local found = tare.compare({ a = entry.run, b = second[i].run },
      { quota = QUOTA }).comparisons[1]
    local r = found.ratio
    print(("%s\t%s\t%.6f\t%.6f\t%.6f"):format(entry.name, found.verdict,
      r.value, r.low or 0, r.high or 0))
  end
  return
end

local names, by_name = {}, {}
for _ = 1, RUNS do
  local pipe = assert(io.popen(("%s spec/lab/one_process.lua %d %s child")
    :format(os.getenv "TARE_LUA" or "lua5.4", RUNS, QUOTA)))
  for line in pipe:lines() do
    local name, verdict, value, low, high =
      line:match "^(.-)\t(%S+)\t(%S+)\t(%S+)\t(%S+)$"
    local all = by_name[name]
    if not all then
      all = { of = 0, refused = 0, different = 0, beyond = 0, furthest = 1 }
      names[#names + 1], by_name[name] = name, all
    end
    value, low, high = tonumber(value), tonumber(low), tonumber(high)
    all.of = all.of + 1
    if high == 0 then
      all.refused = all.refused + 1
    else
      if verdict == "faster" or verdict == "slower" then
        all.different = all.different + 1
      end
      if low > 1.01 or high < 1 / 1.01 then all.beyond = all.beyond + 1 end
      if math.abs(math.log(value)) > math.abs(math.log(all.furthest)) then
        all.furthest = value
      end
    end
  end
  pipe:close()
end

local total, different, beyond = 0, 0, 0
for _, name in ipairs(names) do
  local all = by_name[name]
  print(("%-18s %3d runs, %2d refused, %2d different, %2d beyond 1 %%, "
    .. "furthest %.3f"):format(name, all.of, all.refused, all.different,
    all.beyond, all.furthest))
  total = total + all.of - all.refused
  different, beyond = different + all.different, beyond + all.beyond
end
print(("of %d with an interval: %d called different, %d beyond 1 %%"):format(
  total, different, beyond))
