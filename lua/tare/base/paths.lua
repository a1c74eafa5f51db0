-- Paths as tare writes them: with slashes, which Windows takes as well as its
-- own backslashes.
local paths = {}

-- A host may have no 'package', and raise where a global is read that it lacks.
local package = rawget(_G, "package")

--- Whether this is Windows.
paths.is_windows = type(package) == "table"
  and tostring(package.config):sub(1, 1) == "\\"

--- A path with slashes. Elsewhere than on Windows a backslash is a character
--- like others, and stays.
---@param path string
---@return string
function paths.forward(path)
  return paths.is_windows and (path:gsub("\\", "/")) or path
end

return paths
