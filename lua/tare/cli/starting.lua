-- tare init: the first files of a project that measures. Never overwrites.
local starting = {}

local BENCH = ([=[
-- A first bench. Measure it with:
--   tare run bench
local tare = require "%s"

local words = {}
for i = 1, 30 do words[i] = "word" .. i end

local suite = tare.suite "join"

-- What the others are compared with.
suite:bench("concat", { baseline = true, run = function()
  return table.concat(words, ";")
end })

suite:bench("loop", function()
  local text = ""
  for _, word in ipairs(words) do text = text .. word .. ";" end
  return text -- a result that is returned can't be optimised away
end)

return tare.main(suite, ...)
]=]):format "tare"

local IGNORED = "/bench/*.json" -- stored reports

-- Allocations and instructions are the same on any machine: what may gate a
-- merge. Times are reported, and gate nothing.
local WORKFLOW = [=[
# Holds the benches of a change against those of its base. The merge is stopped
# by what is exact: allocations, bytes and instructions a call. Times are
# reported, but a shared machine is no place to judge them.
name: bench
on: pull_request
jobs:
  bench:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - name: Install Lua and tare
        run: |
          sudo apt-get update
          sudo apt-get install -y lua5.4 liblua5.4-dev luarocks build-essential
          sudo luarocks --lua-version 5.4 install tare
      - name: Compare with the base
        env:
          BASE: origin/${{ github.base_ref }}
        run: >-
          tare compare --ref "$BASE" bench
          --quota 500ms --launches 6 --instructions
          --fail-on 'allocs>0,bytes>0,instructions>0.5%'
          --format text --format html -o bench.html
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: bench
          path: bench.html
]=]

local FILES = {
  { path = "bench/first_bench.lua", text = BENCH },
  { path = ".github/workflows/bench.yml", text = WORKFLOW, only = "ci" },
}

local function exists(path)
  return require("luv").fs_lstat(path) ~= nil
end

local function make_folders(path)
  local uv, at = require "luv", 0
  while true do
    at = path:find("/", at + 1, true)
    if not at then return end
    uv.fs_mkdir(path:sub(1, at - 1), 493) -- 0755; there already does no harm
  end
end

local function write(path, text, mode)
  make_folders(path)
  local file, message = io.open(path, mode)
  if not file then return nil, message end
  local ok, why = file:write(text)
  local closed, late = file:close()
  if ok and closed then return true end
  return nil, path .. ": " .. tostring(why or late)
end

-- The line of .gitignore, unless it is there.
local function ignore()
  local file = io.open(".gitignore", "rb")
  local text = file and file:read "*a" or ""
  if file then file:close() end
  if ("\n" .. text):find("\n" .. IGNORED, 1, true) then return true end
  if text ~= "" and text:sub(-1) ~= "\n" then text = "\n" else text = "" end
  return write(".gitignore", text .. IGNORED .. "\n", "ab")
end

local function chosen(given)
  local files = {}
  for _, file in ipairs(FILES) do
    if not file.only or given[file.only] then files[#files + 1] = file end
  end
  return files
end

--- Runs the command: all files, or none.
---@return integer exit code
function starting.run(given, complain)
  local files = chosen(given)
  for _, file in ipairs(files) do
    if exists(file.path) then
      complain(file.path .. ": is there already; nothing was written")
      return 1
    end
  end
  for _, file in ipairs(files) do
    local ok, message = write(file.path, file.text, "wb")
    if not ok then
      complain(message)
      return 1
    end
    io.stdout:write("wrote ", file.path, "\n")
  end
  local ok, message = ignore()
  if not ok then
    complain(message)
    return 1
  end
  io.stdout:write("wrote .gitignore\nnow: tare run bench\n")
  return 0
end

return starting
