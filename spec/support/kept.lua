-- Files that a test makes, and that go away after it:
--   local keep = kept.keep   after_each(kept.remove)
local kept = {}

local paths = {}

--- Remembers a path to remove; returns it.
function kept.keep(path)
  paths[#paths + 1] = path
  return path
end

--- Removes what was kept.
function kept.remove()
  for _, path in ipairs(paths) do os.remove(path) end
  paths = {}
end

return kept
