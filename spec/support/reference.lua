-- Turns the meta files (LuaCATS) and the C header into what LDoc reads, in a
-- folder: a file a module. Exits 1, and says why, where a public function lacks
-- its description, types, units or errors.
--   lua spec/support/reference.lua FOLDER
local faults_of = require "spec.support.doc_faults"
local meta = require "spec.support.meta"

local folder = arg[1]

local function escaped(text)
  return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;")
    :gsub("@", "&#64;"):gsub("`(.-)`", "<code>%1</code>"))
end

local MODULE = { tare = "tare", assert = "tare.assert", lite = "tare.lite",
  core = "tare.core", objects = "tare.core.objects", stats = "tare.stats",
  types = "tare.types" }

-- Where each class is described.
local PLACE = {}
for _, file in ipairs(meta.files()) do
  for _, class in ipairs(file.classes) do
    PLACE[class.class] = ("%s.html#%s"):format(MODULE[file.name],
      class.fields[1] and class.class
      or "Class_" .. class.class:gsub("%.", "_"))
  end
end

local function linked(name)
  local place = PLACE[name]
  return place and ('<a href="%s">%s</a>'):format(place, name)
end

local function typed(type, text)
  return ("<code>%s</code> %s"):format(escaped(type):gsub("tare%.%a+", linked),
    escaped(text or ""))
end

local function comment(lines)
  return "---" .. table.concat(lines, "\n-- ") .. "\n\n"
end

local function of_function(entry)
  local lines = { " " .. escaped(entry.description), "@function "
    .. (entry.own or entry.name) }
  for _, param in ipairs(entry.params) do
    lines[#lines + 1] = ("@param %s %s"):format(param.name,
      typed(param.type, param.text))
  end
  for _, value in ipairs(entry.returns or {}) do
    lines[#lines + 1] = "@return " .. typed(value.type,
      (value.name or "") .. " " .. value.text)
  end
  if entry.raises then
    lines[#lines + 1] = "@raise " .. escaped(entry.raises:match "Raises (.*)")
  end
  return comment(lines)
end

local function of_class(class)
  if #class.fields == 0 then
    return comment { " " .. escaped(class.description), "@type "
      .. class.class }
  end
  local lines = { " " .. escaped(class.description), "@table " .. class.class }
  for _, field in ipairs(class.fields) do
    lines[#lines + 1] = ("@field %s %s"):format(field.name:gsub("%?$", ""),
      typed(field.type, field.text))
  end
  return comment(lines)
end

local function head(name, lines)
  return comment { " " .. escaped(table.concat(lines, " ")),
    "@module " .. name }
end

local function of_file(file)
  local out = { head(MODULE[file.name], file.head) }
  local own = MODULE[file.name]
  local function functions_of(name)
    for _, entry in ipairs(file.functions) do
      local class = entry.class
      if class == "luassert" then class = own end
      if class == name then out[#out + 1] = of_function(entry) end
    end
  end
  functions_of(own)
  for _, class in ipairs(file.classes) do
    if class.class ~= own and class.class ~= "luassert" then
      out[#out + 1] = of_class(class)
      functions_of(class.class)
    end
  end
  return table.concat(out)
end

local function write(name, text)
  local path = ("%s/%s.lua"):format(folder, name)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local failed = false
local function check(file)
  for _, entry in ipairs(file.functions) do
    for _, fault in ipairs(faults_of(entry)) do
      io.stderr:write(("lua/tare/meta/%s.lua: %s: %s\n"):format(file.name,
        entry.name, fault))
      failed = true
    end
  end
end

for _, file in ipairs(meta.files()) do
  check(file)
  write(file.name, of_file(file))
end

local header = { head("tare.h", meta.header_head()) }
for _, entry in ipairs(meta.header()) do
  for _, fault in ipairs(faults_of(entry)) do
    io.stderr:write("csrc/tare.h: ", entry.name, ": ", fault, "\n")
    failed = true
  end
  header[#header + 1] = of_function(entry)
end
write("header", table.concat(header))
os.exit(failed and 1 or 0)
