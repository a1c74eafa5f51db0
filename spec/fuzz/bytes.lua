-- Reads what a fuzzer makes up: choices, numbers and values from its bytes.
local Bytes = {}
Bytes.__index = Bytes

local NUMBERS = { 0, -0.0, 1, -1, 2, 3, 0.5, 1e-300, 5e-324, 1e300, 1e308,
  -1e308, 1e150, 1e151, 2^53, 2^53 + 2, 2^63, -2^63, 2^31, 1/0, -1/0, 0/0,
  1 - 2^-53, 2^-53, 1e-9, 100, 1000, 1e6, 0.95, 0.999999999, 1e15, 1e16 }
local TEXTS = { "", "a", "<fuzz>", "=cmd|' /C calc'!A0", "@user", "-1+1",
  "\27[31m", "a\nb", "a\tb", "\r\n", "\0", ("x"):rep(300), "\255\254",
  "\226\128\174", "|", "`", "]]>", "&amp;", '"', "'", "%s", "%", "s/a",
  "time", "n", "ns", "iters", "gc_minor", "same", "faster", "2s", "1e6x",
  "10%", "natural", "paced", "nan", "inf", "0x10", "${x}", "::error::" }

--- A reader of a string.
function Bytes.new(data) return setmetatable({ data = data, at = 1 }, Bytes) end

--- The next byte, 0 after the last.
function Bytes:byte()
  local value = self.data:byte(self.at) or 0
  self.at = self.at + 1
  return value
end

--- Whether any is left.
function Bytes:more() return self.at <= #self.data end

--- One of a list.
function Bytes:pick(list) return list[self:byte() % #list + 1] end

--- A number: one that is known for trouble, or any eight bytes.
function Bytes:number()
  local kind = self:byte()
  if kind < 128 then return NUMBERS[kind % #NUMBERS + 1] end
  if kind < 192 then return kind - 128 + self:byte() end
  if self.at + 7 > #self.data then return 7 end
  self.at = self.at + 8
  return (string.unpack("<d", self.data, self.at - 8))
end

--- A list of at most so many numbers.
function Bytes:numbers(most)
  local list = {}
  for i = 1, self:byte() % (most + 1) do list[i] = self:number() end
  return list
end

--- A text.
function Bytes:text() return self:pick(TEXTS) end

--- A value of any kind, tables in tables up to a depth.
function Bytes:value(depth)
  local kind = self:byte() % 8
  if kind < 2 then return self:number() end
  if kind < 4 then return self:text() end
  if kind == 4 then return self:byte() % 2 == 0 end
  if kind == 5 or (depth or 0) < 1 then return nil end
  local value = {}
  for i = 1, self:byte() % 5 do
    value[kind == 6 and i or self:text()] = self:value(depth - 1)
  end
  return value
end

return Bytes
