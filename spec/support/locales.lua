-- Locales of the specs' own, whether the machine has any or not.
local command = require "spec.support.command"

local locales = {}

-- By name: a source that comes with the C library, and a set of characters.
local SOURCES = {
  comma = "de_DE UTF-8", -- "0,5"
  bytes = "ps_AF UTF-8", -- a decimal point of two bytes
  -- Bytes of UTF-8 are control characters there, and "I" is no upper "i".
  latin = "tr_TR ISO-8859-9",
}

--- What to put in front of a shell's command so that the programs in it find
--- these locales (and the folder to remove); nil where they can't be made.
---@return string? variable
---@return string folder
function locales.made()
  local folder = command.path()
  os.execute("mkdir " .. folder)
  for name, source in pairs(SOURCES) do
    -- With -c for what it warns of; it returns 1 then.
    if command.shell(("localedef --no-archive -c -i %s -f %s %s/%s"):format(
      source:match "%S+", source:match "%S+$", folder, name)) > 1 then
      os.execute("rm -rf " .. folder)
      return nil, folder
    end
  end
  return "LOCPATH=" .. folder .. " ", folder
end

--- Names of the locales, sorted.
locales.NAMES = { "bytes", "comma", "latin" }

return locales
