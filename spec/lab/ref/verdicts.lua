-- What comparisons found, bench by bench. Usage: verdicts.lua REPORT.json...
local json = require "cjson"

local ids, by_id = {}, {}
for _, path in ipairs(arg) do
  local file = assert(io.open(path))
  local report = json.decode(file:read "*a")
  file:close()
  for _, one in ipairs(report.comparisons) do
    local found = by_id[one.a]
    if not found then
      found = { runs = 0, refused = 0, faster = 0, slower = 0, halves = {} }
      ids[#ids + 1], by_id[one.a] = one.a, found
    end
    local ratio = one.ratio
    found.runs = found.runs + 1
    if not ratio.low then
      found.refused = found.refused + 1
    else
      table.insert(found.halves, (ratio.high - ratio.low) / 2 / ratio.value)
      if ratio.low > 1 then found.slower = found.slower + 1 end
      if ratio.high < 1 then found.faster = found.faster + 1 end
    end
  end
end
for _, id in ipairs(ids) do
  local found = by_id[id]
  table.sort(found.halves)
  local half = found.halves[math.ceil(#found.halves / 2)]
  print(("%-44s %3d runs, %2d refused, %2d faster, %2d slower, half-width %s")
    :format(id, found.runs, found.refused, found.faster, found.slower,
      half and ("%.2f %%"):format(100 * half) or "-"))
end
