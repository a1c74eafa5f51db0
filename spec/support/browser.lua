-- Opens pages in Debian's chromium, without a window.
local write = require("spec.support.command").write

local browser = {}

local NAMES = { "chromium", "chromium-browser", "google-chrome" }

local function output_of(command)
  local pipe = assert(io.popen(command))
  local text = pipe:read("*a")
  pipe:close()
  return text
end

--- The command of a browser; nil where there is none.
---@return string?
function browser.find()
  for _, name in ipairs(NAMES) do
    if output_of("command -v " .. name .. " 2>/dev/null") ~= "" then
      return name
    end
  end
end

--- The document that a page has become once it is at rest.
---@param command string of the browser
---@param files table<string, string> written beside each other
---@param first string name of the file to open
---@return string dom
function browser.dom(command, files, first)
  local folder = output_of("mktemp -d"):gsub("%s+$", "")
  for name, text in pairs(files) do write(folder .. "/" .. name, text) end
  -- a sanitizer that is preloaded for the specs is not for the browser
  local dom = output_of(("timeout 120 env -u LD_PRELOAD %s --headless "
    .. "--no-sandbox --disable-gpu --disable-dev-shm-usage "
    .. "--user-data-dir=%s/profile "
    .. "--window-size=1800,1200 --virtual-time-budget=20000 "
    .. "--dump-dom file://%s/%s 2>/dev/null"):format(command, folder, folder,
      first))
  os.execute("rm -rf " .. folder)
  return dom
end

return browser
