-- Reads quantities as people write them. Inside tare a time is nanoseconds, a
-- share is a fraction, a size is bytes. 'tare.base.units' offers all of this.
local quantity = {}

-- Ascending; 'factor' in the base unit of the kind. The first name is the one
-- that is printed.
local TIME = {
  { factor = 1e-3, "ps" }, { factor = 1, "ns" },
  { factor = 1e3, "us", "\194\181s", "\206\188s" }, { factor = 1e6, "ms" },
  { factor = 1e9, "s" }, { factor = 60e9, "min", "m" },
  { factor = 3600e9, "h" },
}
local BYTES = {
  { factor = 1, "B" }, { factor = 2^10, "KiB", "K" },
  { factor = 2^20, "MiB", "M" }, { factor = 2^30, "GiB", "G" },
}
local DECIMAL_BYTES = {
  { factor = 1e3, "kB", "KB" }, { factor = 1e6, "MB" }, { factor = 1e9, "GB" },
}

local function is_finite(x) return x == x and x ~= 1/0 and x ~= -1/0 end

local function find_factor(steps, name)
  for _, step in ipairs(steps) do
    for _, known in ipairs(step) do
      if known == name then return step.factor end
    end
  end
end

-- Splits "1.5e3ms" into 1500 and "ms"; nil where no plain number leads.
-- (Not tonumber alone: it takes hexadecimal, and in places "inf" and "nan".)
local function split(text)
  local mantissa, rest = text:match("^%s*(%d*%.?%d*)(.-)%s*$")
  if not mantissa:find("%d") then return nil end
  local exponent, suffix = rest:match("^([eE][-+]?%d+)(.*)$")
  local number = tonumber(mantissa .. (exponent or ""))
  if not number or not is_finite(number) then return nil end
  return number, (suffix or rest):match("^%s*(.*)$")
end

-- Reads a quantity. A plain number (or one without a suffix) counts in
-- 'default' base quantity.
local function parse(value, steps, default)
  if type(value) == "number" then
    if value >= 0 and is_finite(value) then return value * default end
    return nil
  end
  if type(value) ~= "string" then return nil end
  local number, suffix = split(value)
  if not number then return nil end
  if suffix == "" then return number * default end
  local factor = find_factor(steps, suffix)
  return factor and number * factor
end

local function refusal(value, what)
  return nil, ("'%s' is not %s"):format(tostring(value), what)
end

--- Reads a duration: "500ms", "2s", "1.5 min", or plain seconds.
---@param value string|number
---@return number? ns
---@return string? message why it was refused
function quantity.parse_duration(value)
  local ns = parse(value, TIME, 1e9)
  if ns and is_finite(ns) then return ns end
  return refusal(value, "a duration (like 2s or 500ms)")
end

--- Reads a number of calls: "1e6x", "100", or a plain number; whole and >= 1.
---@param value string|number
---@return number? calls
---@return string? message
function quantity.parse_calls(value)
  local calls = parse(value, { { factor = 1, "x" } }, 1)
  if calls and calls >= 1 and calls % 1 == 0 then return calls end
  return refusal(value, "a number of calls (like 1000 or 1e6x)")
end

--- Reads a quota: a duration, or calls with their "x" ("1e6x"). A plain number
--- is seconds.
---@param value string|number
---@return { ns: number }|{ calls: number }|nil quota
---@return string? message
function quantity.parse_quota(value)
  local is_calls = type(value) == "string" and value:find("x%s*$")
  local parse_amount = is_calls and quantity.parse_calls
    or quantity.parse_duration
  local amount = parse_amount(value)
  if amount and amount > 0 then
    return is_calls and { calls = amount } or { ns = amount }
  end
  return refusal(value,
    "a duration (like 2s or 500ms) or a number of calls (like 1e6x)")
end

--- Reads what may be none: a quota, or 0.
---@param value string|number
---@return { ns: number }|{ calls: number }|nil quota
---@return string? message
function quantity.parse_warmup(value)
  if quantity.parse_duration(value) == 0 then return { ns = 0 } end
  return quantity.parse_quota(value)
end

--- Reads a size: "64MiB", "10 kB", or plain bytes. K, M and G are binary.
---@param value string|number
---@return number? bytes
---@return string? message
function quantity.parse_bytes(value)
  local bytes = parse(value, BYTES, 1) or parse(value, DECIMAL_BYTES, 1)
  if bytes and is_finite(bytes) then return bytes end
  return refusal(value, "a size (like 64MiB or 10kB)")
end

--- Reads a share: "1%" or the fraction 0.01.
---@param value string|number
---@return number? fraction
---@return string? message
function quantity.parse_percent(value)
  local fraction = parse(value, { { factor = 0.01, "%" } }, 1)
  if fraction then return fraction end
  return refusal(value, "a percentage (like 1% or 0.01)")
end

quantity.TIME = TIME
quantity.BYTES = BYTES

return quantity
