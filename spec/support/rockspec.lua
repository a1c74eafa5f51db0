-- Keeps the rockspec's list of modules equal to the files: prints what
-- differs and exits 1; with --write, writes the list anew.
local PATH = "rockspec/tare-scm-1.rockspec"
local BEGIN, END = "    -- modules, kept by 'make rockspec'", "    -- end"

local function listed(pattern)
  local list = {}
  for name in io.popen("find " .. pattern .. " | LC_ALL=C sort"):lines() do
    list[#list + 1] = name
  end
  return list
end

local function module_lines()
  local lines = { '    ["tare.core"] = {', "      sources = {" }
  for _, file in ipairs(listed "csrc -name '*.c'") do
    lines[#lines + 1] = ("        %q,"):format(file)
  end
  lines[#lines + 1] = "      },"
  lines[#lines + 1] = '      incdirs = { "csrc" },'
  lines[#lines + 1] = '      libraries = { "m" },'
  lines[#lines + 1] = "    },"
  for _, file in ipairs(listed "lua/tare -name '*.lua'") do
    local module = file:gsub("^lua/", ""):gsub("%.lua$", "")
      :gsub("/init$", ""):gsub("/", ".")
    lines[#lines + 1] = ("    [%q] = %q,"):format(module, file)
  end
  return table.concat(lines, "\n")
end

local file = assert(io.open(PATH))
local text = file:read("*a")
file:close()
local from, first = text:find(BEGIN .. "\n", 1, true)
local last = text:find("\n" .. END, 1, true)
assert(from and last, PATH .. ": no list of modules")
local wanted = text:sub(1, first) .. module_lines() .. text:sub(last)

if arg[1] == "--write" then
  file = assert(io.open(PATH, "w"))
  file:write(wanted)
  file:close()
elseif wanted ~= text then
  io.stderr:write(PATH, ": is not what the files are; run 'make rockspec'\n")
  os.exit(1)
end
