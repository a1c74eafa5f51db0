-- A sweep of known growth: its laws, crossings and time (minutes).
-- 4 functions x 12 sizes x 2 collector modes: whether it stays within its
-- quota, finds their growth, and where they overtake each other.
--   sweep.lua [QUOTA_S = 1] [SAVE]
local store = require "tare.store"
local uv = require "luv"

local quota_s = tonumber(arg[1]) or 1
local path = arg[2] or os.tmpname()
local LUA = os.getenv("TARE_LUA") or "lua5.4"

local LAWS = { constant = "1", linear = "n", sorting = "n log n",
  square = "n^2" }

-- n at which the first, the cheaper one below, is overtaken: equal turns.
local CROSSINGS = {
  { a = "linear", b = "constant", n = 500 },
  { a = "square", b = "constant", n = math.sqrt(500 * 64) },
  { a = "square", b = "linear", n = 64 },
}

local function measured()
  local began = uv.hrtime()
  local code = os.execute(("%s lua/tare/cli/bin.lua run "
    .. "spec/lab/sweep/laws_bench.lua --quota %gs --save %s "
    .. "--format text -o /dev/null -q"):format(LUA, quota_s, path))
  assert(code == 0 or code == true, "the run failed")
  return (uv.hrtime() - began) / 1e9
end

local function split(label) return label:match("impl=(%w+),(.*)$") end

local function count(list, is_right)
  local right = 0
  for _, item in ipairs(list) do
    local ok, text = is_right(item)
    if ok then right = right + 1 else print("  not found: " .. text) end
  end
  return ("%d of %d"):format(right, #list)
end

local function has_law(series)
  local name = split(series.label)
  local law = series.law or { name = "none", exponent = {} }
  return law.name == LAWS[name], ("%s is called %s (also %s), exponent %s")
    :format(series.label, law.name, table.concat(law.also or {}, ", "),
      tostring(law.exponent and law.exponent.value))
end

-- The known crossings in each mode.
local function expected(sweep)
  local list, modes = {}, {}
  for _, series in ipairs(sweep.series) do
    local _, mode = split(series.label)
    if not modes[mode] then
      modes[mode] = true
      for _, known in ipairs(CROSSINGS) do
        list[#list + 1] = { mode = mode, a = known.a, b = known.b, n = known.n }
      end
    end
  end
  return list
end

local function finder(sweep)
  return function(known)
    local text = ("%s overtakes %s at %.0f in %s"):format(known.b, known.a,
      known.n, known.mode)
    for _, one in ipairs(sweep.crossovers) do
      local a, mode = split(one.a)
      local b, other = split(one.b)
      if a == known.a and b == known.b and mode == known.mode
        and other == mode then
        print(("  %s overtakes %s (%s): n = %.1f, %.1f to %.1f; known: %.1f")
          :format(b, a, mode, one.x, one.low, one.high, known.n))
        return one.low <= known.n and known.n <= one.high, text
      end
    end
    return false, text
  end
end

local spent_s = measured()
local report = assert(store.read(path))
local sweep = report.sweeps[1]
local total_s = quota_s * #report.results
print(("%s: %d cells of %g s took %.1f s: %.1f %% of their quota"):format(LUA,
  #report.results, quota_s, spent_s, 100 * spent_s / total_s))
print("laws: " .. count(sweep.series, has_law))
print("crossings within their interval: "
  .. count(expected(sweep), finder(sweep)))
