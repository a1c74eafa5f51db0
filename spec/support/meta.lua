-- Reads the public API as it is documented: the meta files (LuaCATS) and the C
-- header. What it reads is data that a spec and the reference share.
local meta = {}

local FOLDER = "lua/tare/meta/"
meta.FILES = { "tare", "assert", "lite", "core", "objects", "stats", "types" }

local function lines_of(path)
  local list = {}
  for line in io.lines(path) do list[#list + 1] = line end
  return list
end

-- The type at the front of a text, brackets balanced; and what follows it.
local function split_type(text)
  local depth, i = 0, 1
  while i <= #text do
    local c = text:sub(i, i)
    if c:find "[(<{]" then depth = depth + 1 end
    if c:find "[)>}]" then depth = depth - 1 end
    local is_colon = text:sub(i - 1, i) == ": "
    if c == " " and depth == 0 and not is_colon then break end
    i = i + 1
  end
  return text:sub(1, i - 1), text:sub(i + 1)
end

local function add(entry, kind, text)
  if kind == "param" or kind == "field" then
    local name, rest = text:match "^(%S+)%s+(.*)$"
    local type, description = split_type(rest)
    table.insert(entry[kind .. "s"], { name = name, type = type,
      text = description })
  elseif kind == "return" then
    local type, rest = split_type(text)
    table.insert(entry.returns, { type = type, name = rest:match "^%S+",
      text = rest:match "^%S+%s+(.*)$" or "" })
  elseif kind == "class" then
    entry.class = text:match "^[%w_.]+"
  end
end

local function new_entry()
  return { text = {}, params = {}, fields = {}, returns = {} }
end

-- A comment's lines: the description, what it raises, and tags; lines without a
-- tag after one belong to it.
local function read_comment(comment)
  local entry, last = new_entry(), nil
  for _, line in ipairs(comment) do
    local kind, text = line:match "^@(%l+)%s*(.*)$"
    if kind then
      last = { kind, text }
      entry[#entry + 1] = last
    elseif last then
      last[2] = last[2] .. " " .. line
    else
      entry.text[#entry.text + 1] = line
    end
  end
  for _, tag in ipairs(entry) do add(entry, tag[1], tag[2]) end
  local text = table.concat(entry.text, " ")
  entry.description, entry.raises = text:match "^(.-)%s*(Raises .*)$"
  entry.description = entry.description or text
  return entry
end

local function close_function(entry, line)
  local name, arguments = line:match "^function ([%w_.:]+)%((.-)%) end$"
  if not name then return nil end
  entry.name, entry.arguments = name, {}
  for argument in arguments:gmatch "[^, ]+" do
    table.insert(entry.arguments, argument)
  end
  return entry
end

local function describe_file(name)
  local file = { name = name, functions = {}, classes = {}, head = {} }
  local comment, owners = {}, {}
  for _, line in ipairs(lines_of(FOLDER .. name .. ".lua")) do
    local text = line:match "^%-%-%-(.*)$"
    if text then
      comment[#comment + 1] = text
    else
      local head = line:match "^%-%- (.*)$"
      if head then table.insert(file.head, head) end
      local entry = read_comment(comment)
      local variable = line:match "^local (%w+) = {}$"
      if entry.class then
        table.insert(file.classes, entry)
        if variable then owners[variable] = entry.class end
      end
      local found = close_function(entry, line)
      if found then
        local owner, sign, own = found.name:match "^(%w+)([.:])([%w_.]+)$"
        found.class, found.sign, found.own = owners[owner], sign, own
        table.insert(file.functions, found)
      end
      comment = {}
    end
  end
  return file
end

--- The meta files, in order.
---@return table[] files name, head (lines), classes, functions
function meta.files()
  local files = {}
  for i, name in ipairs(meta.FILES) do files[i] = describe_file(name) end
  return files
end

-- A parameter's unit is told in the description of the whole.
local function c_arguments(text, description)
  local names, params = {}, {}
  for argument in (text .. ","):gmatch "%s*(.-)," do
    local type, name = argument:match "^(.-)([%w_]+)$"
    names[#names + 1] = name
    params[#params + 1] = { name = name, type = (type:gsub("%s+$", "")),
      text = "", context = description }
  end
  return names, params
end

-- All but the loader of the module return a status.
local C_RAISES = "Raises nothing: returns TARE_FAILED, with the error value on "
  .. "top of the stack."

--- The functions of the C header: what it says above each prototype.
---@return table[] functions as those of meta.files()
function meta.header()
  local file = assert(io.open "csrc/tare.h")
  local text = file:read "*a"
  file:close()
  local list = {}
  for before, prototype in text:gmatch "(.-)TARE_API (%l.-;)" do
    local comment = before:match ".*/%*(.-)%*/%s*$" or ""
    local name, arguments = prototype:match "([%w_]+)%((.*)%);"
    local description = comment:gsub("%s*%*%*%s*", " "):gsub("%s+", " ")
      :match "^%s*(.-)%s*$"
    local names, params = c_arguments(arguments, description)
    list[#list + 1] = { name = name, arguments = names, params = params,
      returns = {}, description = description,
      raises = name:find "^tare_" and C_RAISES or "Raises what Lua raises." }
  end
  return list
end

--- What the header says first, of all functions.
---@return string[] lines
function meta.header_head()
  local list = {}
  for line in io.lines "csrc/tare.h" do
    if line == "*/" then break end
    list[#list + 1] = line:match "^%*%*%s?(.*)$"
  end
  return list
end

return meta
