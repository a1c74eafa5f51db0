-- Call stacks as a tree: what each function does with all that it calls, in a
-- profile or between two. A node is { name, value, old, children }; 'old'
-- is the value in the other profile. Children are in the order of their names.
local profiles = require "tare.report.profiles"

local flame = {}

local function child_of(node, key, name)
  local child = node.by_key[key]
  if not child then
    child = { name = name, value = 0, old = 0, children = {}, by_key = {} }
    node.by_key[key] = child
    node.children[#node.children + 1] = child
  end
  return child
end

-- What identifies a function in two profiles: its name and, for the line of its
-- definition may have moved, that line's text.
local function keys_of(profile)
  local text_of, keys = profiles.text_of(profile), {}
  for i, frame in ipairs(profile.frames or {}) do
    local line = frame.source and tonumber(frame.name:match(":(%d+)%)$"))
    local text = line and text_of(frame.source, line)
    keys[i] = text and frame.name:gsub(":%d+%)$", ":") .. text or frame.name
  end
  return keys
end

local function add(root, profile, weight, field)
  local keys = keys_of(profile)
  for _, stack in ipairs(profile.stacks or {}) do
    local amount = stack[weight] or 0
    if amount > 0 then
      local node = root
      node[field] = node[field] + amount
      for _, number in ipairs(stack.frames) do
        local frame = profile.frames[number]
        node = child_of(node, keys[number] or "?", frame and frame.name
          or "?")
        node[field] = node[field] + amount
      end
    end
  end
end

local function sorted(node)
  table.sort(node.children, function(a, b) return a.name < b.name end)
  for _, child in ipairs(node.children) do sorted(child) end
end

--- The tree of a profile's stacks.
---@param weight string instructions, allocs, bytes or time
---@param old table? another profile of the same bench
---@return table root 'value' is what all stacks have, 'name' is "all"
function flame.tree(profile, weight, old)
  local root = { name = "all", value = 0, old = 0, children = {}, by_key = {} }
  add(root, profile, weight, "value")
  if old then add(root, old, weight, "old") end
  sorted(root)
  return root
end

--- Stacks of functions with the line that is executed as the last frame, each
--- once, as the tools of others want them; sorted.
---@param weight string instructions, allocs, bytes or freed_bytes
---@return { frames: table[], value: number }[] stacks each frame { name,
---  source?, line? } 'line': of the last one only
function flame.stacks(profile, weight)
  local list, by_key, keys = {}, {}, {}
  for _, stack in ipairs(profile.stacks) do
    if stack[weight] > 0 then
      local frames, names, last = {}, {}, nil
      for i, number in ipairs(stack.frames) do
        last = profile.frames[number]
        frames[i] = { name = last.name, source = last.source }
      end
      if last and last.line then
        frames[#frames + 1] = { source = last.source, line = last.line,
          name = ("%s:%d"):format(profiles.file(last.source), last.line) }
      elseif not last then
        frames[1] = { name = "(outside)" }
      end
      for i, frame in ipairs(frames) do names[i] = frame.name end
      local key = table.concat(names, "\0")
      if not by_key[key] then
        by_key[key], keys[#keys + 1] = { frames = frames, value = 0 }, key
      end
      by_key[key].value = by_key[key].value + stack[weight]
    end
  end
  table.sort(keys)
  for i, key in ipairs(keys) do list[i] = by_key[key] end
  return list
end

return flame
