-- tare init: the first files of a project that measures. Never overwrites.
local EXIT = require "tare.cli.exit"
local lists = require "tare.base.lists"
local read_file = require("tare.base.files").read

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

-- Allocations and instructions are the same on any machine: what gates a merge
-- best. Times do where both sides are measured in turn, with room for noise.
local WORKFLOW = [=[
# Compares the benches of a change with those of its base, both measured in
# this job, in turns of some milliseconds: the sharpest gate that a shared
# machine allows. The merge is stopped by what is exact (allocations, bytes and
# instructions per call) and by times more than 10 % longer, if surely longer at
# all.
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
INSTALL
      - name: Compare with the base
        env:
          BASE: origin/${{ github.base_ref }}
        run: >-
          tare compare --ref "$BASE" bench
          --quota 1s --instructions
          --fail-on 'allocs>0,bytes>0,instructions>0.5%,time>10%'
          --format text --format html -o bench.html
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: bench
          path: bench.html
]=]

-- The steps that install tare.
local FROM_LUAROCKS = [=[
          sudo apt-get install -y lua5.4 liblua5.4-dev luarocks build-essential
          sudo luarocks --lua-version 5.4 install tare
]=]
local FROM_GIT = [=[
          sudo apt-get install -y lua5.4 liblua5.4-dev lua-argparse lua-cjson \
            lua-luv build-essential
          git clone --depth 1 '%s' "$RUNNER_TEMP/tare"
          sudo make -C "$RUNNER_TEMP/tare" LUA=lua5.4 install
]=]

local function write(path, text, mode)
  for at in path:gmatch "()/" do -- 0755; there already does no harm
    require("luv").fs_mkdir(path:sub(1, at - 1), 493)
  end
  local file, message = io.open(path, mode)
  if not file then return nil, message end
  local ok, why = file:write(text)
  local closed, late = file:close()
  if ok and closed then return true end
  return nil, path .. ": " .. tostring(why or late)
end

-- The line of .gitignore, unless it is there: whether it was written.
local function ignore()
  local text = read_file ".gitignore" or ""
  if ("\n" .. text):find("\n" .. IGNORED, 1, true) then return false end
  if text ~= "" and text:sub(-1) ~= "\n" then text = "\n" else text = "" end
  return write(".gitignore", text .. IGNORED .. "\n", "ab")
end

-- The files that are asked for.
local function wanted_of(given)
  local files = { { path = "bench/first_bench.lua", text = BENCH } }
  if given.ci then
    local steps = given.from and FROM_GIT:format(given.from) or FROM_LUAROCKS
    files[2] = { path = ".github/workflows/bench.yml",
      text = WORKFLOW:gsub("INSTALL\n", function() return steps end) }
  end
  return files
end

--- Runs the command; what it returns is read in tare.cli.
function starting.run(given)
  if given.from and not given.ci then
    return nil,
      "--from: needs --ci, the workflow that installs tare from there"
  elseif given.from and not given.from:find "^[%w+@:/._~%-]+$" then
    return nil, ("--from: '%s' is not the address of a git repository"):format(
      given.from)
  end
  local wanted = wanted_of(given)
  local lacking = lists.those(wanted, function(file)
    return not require("luv").fs_lstat(file.path)
  end)
  if #lacking == 0 then
    return nil, wanted[#wanted].path
      .. ": is there already; nothing was written"
  end
  for _, file in ipairs(lacking) do
    local ok, message = write(file.path, file.text, "wb")
    if not ok then return nil, message end
    io.stdout:write("wrote ", file.path, "\n")
  end
  local is_new, message = ignore()
  if is_new == nil then return nil, message end
  io.stdout:write(is_new and "wrote .gitignore\n" or "",
    "now: tare run bench\n")
  return EXIT.done
end

return starting
