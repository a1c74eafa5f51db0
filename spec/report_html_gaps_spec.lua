-- Whatever a Report lacks or holds, the page renders, and shows no nonsense.
local fixtures = require "spec.support.fixtures"
local html = require "tare.report.html"

local function copy(t)
  if type(t) ~= "table" then return t end
  local c = {}
  for key, value in pairs(t) do c[key] = copy(value) end
  return c
end

-- Every path to a value that is no element of a list of numbers.
local function paths(t, prefix, list)
  for key, value in pairs(t) do
    local path = { leaf = type(value) }
    for i, step in ipairs(prefix) do path[i] = step end
    path[#path + 1] = key
    list[#list + 1] = path
    if type(value) == "table" and type(value[1]) ~= "number" then
      paths(value, path, list)
    end
  end
  return list
end

local function with(report, path, value)
  local changed = copy(report)
  local t = changed
  for i = 1, #path - 1 do t = t[path[i]] end
  t[path[#path]] = value
  return changed
end

describe("a Report with gaps", function()
  local report = fixtures.report()
  report.results = { report.results[5] }
  for _, column in pairs(report.results[1].samples) do
    for i = #column, 17, -1 do column[i] = nil end
  end
  report.comparisons = { report.comparisons[1] }
  for _, series in ipairs(report.sweeps[1].series) do
    for i = #series.points, 3, -1 do series.points[i] = nil end
  end

  -- The fields without which it is no Report are not left out.
  local function check(value)
    for _, path in ipairs(paths(report, {}, {})) do
      local whole = path[1] == "results" and not path[2]
      if not whole and (value == nil or path.leaf == "number") then
        local page = html.render(with(report, path, value))
        local body = page:sub(page:find("<body>", 1, true),
          page:find("<script>", 1, true))
        local name = table.concat(path, ".")
        assert.is_nil(body:find("nan", 1, true), name)
        assert.is_nil(body:find("inf", 1, true), name)
      end
    end
  end

  it("renders without any one field", function() check(nil) end)
  it("renders with any number unknown", function() check(0/0) end)
  it("renders with any number zero", function() check(0) end)
  it("renders with any number below zero", function() check(-1) end)
  it("renders with any number absurd", function() check(1e308) end)
end)
