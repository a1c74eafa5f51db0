-- Copies modules of busted's and their like to be run by Lua 5.5, in which the
-- variables of a for loop are constants: where a file assigns to one, it gets a
-- local of that name. Run by lua5.5.
--   for_5_5.lua TO FROM...
local to = assert(arg[1])

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- The loop before a line whose variable this is, with a local after its 'do'.
local function with_local(text, line, name)
  local lines = {}
  for each in (text .. "\n"):gmatch "(.-)\n" do lines[#lines + 1] = each end
  for i = line, 1, -1 do
    local head, rest = lines[i]:match "^(%s*for%s.-%sdo)%f[%W](.*)$"
    if head and head:find("%f[%w_]" .. name .. "%f[^%w_]") then
      lines[i] = ("%s local %s = %s %s"):format(head, name, name, rest)
      return table.concat(lines, "\n")
    end
  end
end

for i = 2, #arg do
  local from = arg[i]
  local folder = from:match "([^/]+)$"
  for path in io.popen(("find %s -name '*.lua'"):format(from)):lines() do
    local text = read(path)
    for _ = 1, 20 do
      local _, why = load(text, "=x")
      local line, name = (why or "")
        :match "x:(%d+): .*const variable '([%w_]+)'"
      text = line and with_local(text, tonumber(line), name) or text
    end
    local out = to .. "/" .. folder .. path:sub(#from + 1)
    if from:find "%.lua$" then out = to .. "/" .. folder end
    os.execute(("mkdir -p '%s'"):format(out:match "^(.*)/"))
    local file = assert(io.open(out, "wb"))
    file:write(text)
    file:close()
  end
end
