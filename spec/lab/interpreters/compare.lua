-- Ratios of interpreters: measured in lockstep, and of runs of their own.
--   compare.lua FOLDER LUA,LUA...
local store = require "tare.store"

local folder, luas = arg[1], {}
for lua in arg[2]:gmatch "[^,]+" do luas[#luas + 1] = lua:match "[^/]+$" end

local function read(name)
  return assert(store.read(("%s/%s.json"):format(folder, name)))
end

local alone = {}
for _, lua in ipairs(luas) do
  alone[lua] = {}
  for _, result in ipairs(read(lua).results) do
    alone[lua][result.name] = result.time
  end
end

local function has_interval(figure)
  return figure and figure.value and figure.low and figure.high
end

-- The ratio of two independent figures.
local function ratio_of(a, b)
  local function part(figure)
    return (figure.high - figure.low) / 2 / figure.value
  end
  local value = a.value / b.value
  local half = value * math.sqrt(part(a) ^ 2 + part(b) ^ 2)
  return { value = value, low = value - half, high = value + half }
end

local compared, overlap, refused = 0, 0, 0
for _, one in ipairs(read("together").comparisons) do
  local name, lua = one.a:match "/(.-){lua=(.-)}$"
  local a, b = alone[lua][name], alone[luas[1]][name]
  if has_interval(one.ratio) and has_interval(a) and has_interval(b) then
    local other, ratio = ratio_of(a, b), one.ratio
    local agree = other.low <= ratio.high and other.high >= ratio.low
    compared, overlap = compared + 1, overlap + (agree and 1 or 0)
    print(("%-12s %-8s together %.4f (%.4f to %.4f), alone %.4f (%.4f to "
      .. "%.4f)%s"):format(name, lua, ratio.value, ratio.low, ratio.high,
      other.value, other.low, other.high, agree and "" or ", apart"))
  else
    refused = refused + 1
  end
end
print(("%d ratios have intervals both ways, %d of them overlap; %d have none")
  :format(compared, overlap, refused))
