-- Numbers as text with a decimal point, whatever the locale: a host may have
-- called os.setlocale, and then string.format("%.1f", 0.5) is "0,5".
local numerals = {}

--- string.format for one number; the decimal separator is a point.
---@param form string one conversion, like "%.3f", and nothing else
---@param x number
---@return string
function numerals.format(form, x)
  local text = form:format(x)
  -- By bytes: what %w and %d are depends on the locale, too.
  return (text:gsub("[^0-9A-Za-z+. -]+", "."))
end

--- The number that a text with a decimal point is; tonumber alone takes none in
--- some locales.
---@param text string
---@return number?
function numerals.read(text)
  return tonumber(text) or tonumber((text:gsub("%.", ("%.1f"):format(0.5)
    :match "[^0-9]+")))
end

--- A number with so many digits after the point.
---@param x number
---@param decimals integer
---@return string
function numerals.fixed(x, decimals)
  return numerals.format("%." .. decimals .. "f", x)
end

--- The decimal exponent of x, as "%e" writes it with so many digits: 4 for
--- 9999.6 with four of them, 3 with five.
---@param x number finite, not 0
---@param digits integer
---@return integer
function numerals.exponent(x, digits)
  return math.floor(tonumber((("%." .. digits - 1 .. "e"):format(x)
    :match("e(.+)$"))))
end

--- x rounded to so many significant digits.
---@param x number finite
---@param digits integer
---@return number
function numerals.rounded(x, digits)
  if x == 0 then return 0 end
  local step = 10 ^ (numerals.exponent(x, digits) - digits + 1)
  if step == 0 or step == 1/0 then return x end
  return math.floor(x / step + 0.5) * step
end

--- The text of a number, the same on every Lua and in every locale: 100 for 1e2
--- and 100.0 too.
---@param x number
---@return string
function numerals.plain(x)
  if x == 0 then return "0" end
  if x % 1 == 0 and math.abs(x) < 1e15 then return ("%.0f"):format(x) end
  local text = ("%.14g"):format(x)
  if tonumber(text) ~= x then text = ("%.17g"):format(x) end
  return (text:gsub("[^0-9a-z+-]+", "."))
end

return numerals
