-- Reading a whole file. A host may have no 'io'.
local files = {}

--- The contents of a file.
---@param path string
---@return string? text nil where there is none, and for a folder
---@return string? message why it can't be opened
function files.read(path)
  if type(io) ~= "table" or not io.open then return nil end
  local file, message = io.open(path, "rb")
  if not file then return nil, message end
  local text = file:read("*a")
  file:close()
  return text
end

return files
