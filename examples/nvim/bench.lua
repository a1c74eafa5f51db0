-- A plugin's function measured inside of Neovim, in steps of the event loop,
-- so that the editor stays responsive:
--
--   LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='build/luajit/?.so;;' \
--     nvim --headless -u NONE -i NONE -c "luafile examples/nvim/bench.lua"
--
-- In a plugin the same is a user command; then the report goes to a buffer.
local tare = require "tare"

local STEP_MS, PAUSE_MS, LONGEST_MS = 4, 1, 60000

local lines = {}
for i = 1, 200 do lines[i] = ("  local v%d = %d -- note"):format(i, i) end

local suite = tare.suite "trim"
suite:bench("vim.trim", {
  baseline = true,
  run = function() return vim.trim(lines[17]) end,
})
suite:bench("pattern", function() return (lines[17]:match("^%s*(.-)%s*$")) end)
suite:bench("vim.split", function() return vim.split(lines[17], " ") end)

local session = tare.session(suite, { quota = "200ms" })
local done = false

local function go_on()
  done = session:step(STEP_MS)
  if not done then vim.defer_fn(go_on, PAUSE_MS) end
end

vim.schedule(go_on)
vim.wait(LONGEST_MS, function() return done end, 20)

local text = tare.render(session:report(), "text", { width = 100 })
session:close()

local buffer = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
  io.stdout:write(line, "\n")
end
vim.cmd(done and "qall!" or "cquit 1")
