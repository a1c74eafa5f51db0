-- tare init: the first files of a project that measures. Never overwrites.
local EXIT = require "tare.cli.exit"
local files = require "tare.base.files"

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
          sudo apt-get install -y lua5.4 liblua5.4-dev luarocks build-essential
          sudo luarocks --lua-version 5.4 install tare
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

-- The steps that install tare of a git repository, in the place of those that
-- take it from LuaRocks.
local FROM_GIT = [=[
          sudo apt-get update
          sudo apt-get install -y lua5.4 liblua5.4-dev lua-argparse lua-cjson \
            lua-luv build-essential
          git clone --depth 1 '%s' "$RUNNER_TEMP/tare"
          sudo make -C "$RUNNER_TEMP/tare" LUA=lua5.4 install
]=]

local FILES = {
  { path = "bench/first_bench.lua", text = BENCH },
  { path = ".github/workflows/bench.yml", text = WORKFLOW, only = "ci" },
}

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
  local text = files.read ".gitignore" or ""
  if ("\n" .. text):find("\n" .. IGNORED, 1, true) then return false end
  if text ~= "" and text:sub(-1) ~= "\n" then text = "\n" else text = "" end
  return write(".gitignore", text .. IGNORED .. "\n", "ab")
end

-- The files that are asked for and not there yet; nil and the name of the last
-- one where all are there.
local function chosen(given)
  local lacking, last = {}, nil
  for _, file in ipairs(FILES) do
    if not file.only or given[file.only] then
      last = file.path
      if not require("luv").fs_lstat(file.path) then
        lacking[#lacking + 1] = file
      end
    end
  end
  if lacking[1] then return lacking end
  return nil, last
end

local function text_of(file, given)
  if not given.from then return file.text end
  local from, to = file.text:find(" +sudo apt%-get update\n.- install tare\n")
  if not from then return file.text end
  return file.text:sub(1, from - 1) .. FROM_GIT:format(given.from)
    .. file.text:sub(to + 1)
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
  local lacking, there = chosen(given)
  if not lacking then
    return nil, there .. ": is there already; nothing was written"
  end
  for _, file in ipairs(lacking) do
    local ok, message = write(file.path, text_of(file, given), "wb")
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
