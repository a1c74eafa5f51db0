-- What specs compare whole with a text that someone has read: the files of
-- spec/golden. A spec whose text differs names the first lines that do, and
-- leaves what it is now in build/golden, and in NAME.all all that was compared,
-- the lines of which only a sum is in the file included. Where the change is
-- meant, and after reading it, the file is renewed by hand:
--   diff -r spec/golden build/golden; cp build/golden/NAME spec/golden/NAME
local core = require "tare.core"

local golden = {}

local FOLDER, NEW = "spec/golden/", "build/golden/"
local SHOWN = 6 -- lines that a failure names

local function lines_of(text)
  local list = {}
  for line in text:gmatch "([^\n]*)\n" do list[#list + 1] = line end
  return list
end

local function write(name, text)
  os.execute("mkdir -p " .. NEW)
  local file = io.open(NEW .. name, "wb")
  if file then
    file:write(text)
    file:close()
  end
end

--- Fails where a text is not that of a file.
---@param name string of the file
---@param text string ends with a line's end
function golden.check(name, text)
  local file = io.open(FOLDER .. name, "rb")
  local wanted = file and file:read("*a"):gsub("\r\n", "\n") or ""
  if file then file:close() end
  if text == wanted then return end
  write(name, text)
  local old, now, said = lines_of(wanted), lines_of(text), {}
  for i = 1, math.max(#old, #now) do
    if old[i] ~= now[i] and #said < SHOWN then
      said[#said + 1] = ("%d: %s\n   instead of: %s"):format(i,
        now[i] or "(nothing)", old[i] or "(nothing)")
    end
  end
  error(("%s%s differs; the whole is in %s%s\n%s"):format(FOLDER, name, NEW,
    name, table.concat(said, "\n")), 0)
end

local function number(x)
  if x ~= x then return "nan" end
  if x == 0 then return "0" end -- of either sign
  if math.abs(x) == math.huge then return x > 0 and "inf" or "-inf" end
  local is_whole = x % 1 == 0 and math.abs(x) < 1e15 -- has no ties to round
  return ((is_whole and "%.0f" or "%.7g"):format(x)
    :gsub("e([+-])0*(%d)", "e%1%2"))
end

local FEW = 6 -- numbers of a list that are shown one by one

-- A list of numbers, in short: how many, the ends, and two sums that tell one
-- list from another, in which nothing cancels.
local function summary(list)
  local parts, sum, squares = {}, 0, 0
  for i, x in ipairs(list) do
    parts[i], sum = number(x), sum + math.abs(x)
    squares = squares + i * (x + 0.0) * x
  end
  if #list > FEW then
    parts = { ("%d from %s to %s: %s, %s"):format(#list, parts[1],
      parts[#list], number(sum), number(math.sqrt(squares))) }
  end
  return "[" .. table.concat(parts, " ") .. "]"
end

local function is_numbers(t)
  for _, x in ipairs(t) do
    if type(x) ~= "number" then return false end
  end
  return t[1] ~= nil
end

local function by_name(a, b)
  if type(a) == type(b) then return a < b end
  return type(a) == "number"
end

local DEEPEST = 6 -- level of tables

--- A value in one line, its fields sorted: the same on every Lua.
---@param value any
---@param level integer?
---@return string
function golden.flat(value, level)
  level = level or 0
  if type(value) == "number" then return number(value) end
  if type(value) == "string" then
    return (value:gsub("%c", function(c) return ("\\%d"):format(c:byte()) end)
      :gsub("/tmp/lua_%w+", "TMP"):gsub("[%w/._-]*/tmp%.%w+", "TMP")
      :gsub("%-nan", "nan"))
  elseif type(value) ~= "table" then
    return (value == nil or type(value) == "boolean") and tostring(value)
      or type(value)
  elseif (getmetatable(value) or {}).__index then
    return "object" -- what it does is seen in what its methods return
  elseif level >= DEEPEST then
    return "{...}"
  elseif is_numbers(value) then
    return summary(value)
  end
  local keys, parts = {}, {}
  for key in pairs(value) do
    if type(key) == "string" or type(key) == "number" then
      keys[#keys + 1] = key
    end
  end
  table.sort(keys, by_name)
  for i, key in ipairs(keys) do
    local text = golden.flat(value[key], level + 1)
    parts[i] = type(key) == "number" and text or ("%s=%s"):format(key, text)
  end
  return "{" .. table.concat(parts, " ") .. "}"
end

--- A table as lines, one for each field, its tables likewise to some depth.
---@param value table
---@param depth integer? 1: no table of it
---@param indent string?
---@return string
function golden.fields(value, depth, indent)
  indent, depth = indent or "", depth or 8
  local keys, lines = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, by_name)
  for _, key in ipairs(keys) do
    local one = value[key]
    local is_long = depth > 1 and type(one) == "table" and not is_numbers(one)
      and #golden.flat(one) > 72
    lines[#lines + 1] = ("%s%s%s\n"):format(indent, tostring(key), is_long
      and "\n" .. golden.fields(one, depth - 1, indent .. "  "):sub(1, -2)
      or " = " .. golden.flat(one))
  end
  return table.concat(lines)
end

--- A result of the analysis as lines, its figures first.
---@param result table
---@return string
function golden.result(result)
  local first, rest = {}, {}
  for key, value in pairs(result) do
    local is_figure = type(value) == "table" and type(value.value) == "number"
    local to = (is_figure or key == "warnings") and first or rest
    if key ~= "samples" and key ~= "passes" then to[key] = value end
  end
  return golden.fields(first, 1) .. golden.fields(rest, 1)
end

--- A page with a line for each element, without its style and script.
---@param page string
---@return string
function golden.by_tag(page)
  return (page:gsub("<style>.-</style>", ""):gsub("<script>.-</script>", "")
    :gsub("</[^>]*>", ""):gsub("\n", " "):gsub("<", "\n<"):gsub(" +", " ")
    :gsub(" \n", "\n"):sub(2) .. "\n")
end

local MOST = 60 -- new lines of a test that are shown
local LONGEST = 480 -- that a line is shown

local CALLS = 100 -- of a test, after which none is recorded

local Record = {}
Record.__index = Record

--- A record of what a spec's functions return, test by test. To be compared at
--- the end of the spec: record:check().
---@param name string of the file of spec/golden
---@param rest table<string, string>? names of more files, by the test with
---  which each begins
---@param most integer? new lines of a test that are shown
---@return table
function golden.record(name, rest, most)
  local self = setmetatable({ files = { { name = name } }, seen = {},
    most = most or MOST, watched = {}, texts = {}, whole = {}, calls = 0 },
    Record)
  require "busted".subscribe({ "test", "start" }, function(element)
    self.test = element.name
    local next_name = rest and rest[self.test]
    if next_name then table.insert(self.files, { name = next_name }) end
    return nil, true
  end)
  return self
end

-- The lines of the test that ends. Its texts are sorted, for tests that go
-- through a table have them in any order.
function Record:_flush()
  local file, shown, rest = self.file, 0, {}
  table.sort(self.texts)
  for _, text in ipairs(self.texts) do
    local fresh, all = 0, lines_of(text)
    self.whole[#self.whole + 1] = text
    for _, line in ipairs(all) do
      local is_new = not self.seen[line]
      self.seen[line] = true
      fresh = fresh + (is_new and 1 or 0)
      if is_new and shown < self.most then
        shown = shown + 1
        file[#file + 1] = (#line <= LONGEST and line or ("%s ... %s"):format(
          line:sub(1, LONGEST), core.hash(line))) .. "\n"
      elseif is_new then
        rest[#rest + 1] = line
      end
    end
    if fresh < #all and #all > 1 and not rest[1] then
      file[#file + 1] = ("-- %d lines, %d new, sum %s\n"):format(#all, fresh,
        core.hash(text):sub(1, 6))
    elseif #all > 1 and rest[1] then
      rest[#rest + 1] = core.hash(text)
    end
  end
  if rest[1] then
    file[#file + 1] = ("-- and %d lines more: %s\n"):format(#rest,
      core.hash(table.concat(rest, "\n")))
  end
  self.texts = {}
end

--- Adds lines: those that no test had before are written below the name of the
--- test, with how many there are in all and a sum of them; of a test with very
--- many the first, and a sum of the rest.
---@param text string
function Record:add(text)
  local test = self.test or "of no test"
  if test ~= self.last then
    self:_flush()
    self.file = self.files[#self.files]
    self.file[#self.file + 1] = ("== %s\n"):format(test)
    self.last = test
  end
  self.texts[#self.texts + 1] = (text:gsub("\r\n", "\n"):gsub("\n?$", "\n", 1))
end

--- Records what a function of a module returns from here on.
---@param module table
---@param field string
---@param show fun(...): string? what it returns, as text; nil for nothing
function Record:watch(module, field, show)
  local original = module[field]
  self.watched[#self.watched + 1] = { module, field, original }
  module[field] = function(...)
    self.calls = self.test == self.last and self.calls + 1 or 1
    if self.calls > CALLS then return original(...) end
    local given = { n = select("#", ...), ... }
    local function pass(...)
      local text = show(given, ...)
      if text then self:add(text) end
      return ...
    end
    return pass(original(...))
  end
end

-- The arguments of a call in short: of tables only that they are some.
local function arguments(given, n)
  local list = {}
  for i = 1, n do
    local text = type(given[i]) == "table" and not is_numbers(given[i])
      and "{}" or golden.flat(given[i])
    list[i] = #text > 60 and text:sub(1, 60) .. "..." or text
  end
  return table.concat(list, ", ")
end

--- Records what all functions of a module return from here on, a line for each
--- call.
---@param module table
---@param name string
---@param except table<string, boolean>? functions that are not recorded
function Record:watch_all(module, name, except)
  local fields = {}
  for field, value in pairs(module) do
    if type(value) == "function" and not (except or {})[field] then
      fields[#fields + 1] = field
    end
  end
  for _, field in ipairs(fields) do
    self:watch(module, field, function(given, ...)
      local results = {}
      for i = 1, select("#", ...) do
        results[i] = golden.flat((select(i, ...)))
      end
      return ("%s.%s(%s) = %s"):format(name, field, arguments(given, given.n),
        table.concat(results, ", "))
    end)
  end
end

--- Compares all with the file, and watches no longer.
function Record:check()
  for _, one in ipairs(self.watched) do one[1][one[2]] = one[3] end
  self:_flush()
  local wrong
  for _, file in ipairs(self.files) do
    local ok, message = pcall(golden.check, file.name, table.concat(file))
    wrong = wrong or not ok and message
  end
  if wrong then
    write(self.files[1].name .. ".all", table.concat(self.whole))
    error(wrong, 0)
  end
end

return golden
