local command = require "spec.support.command"
local stored = require "spec.support.stored"

-- Debian's package; moreutils has another program of that name.
local function has_gnu_parallel()
  local _, stdout = command.shell "parallel --version"
  return stdout:find("GNU parallel", 1, true) ~= nil
end

describe("a sweep under GNU parallel", function()
  it("has the same results as one process, each once", function()
    if not has_gnu_parallel() then return pending "there is no GNU parallel" end
    local lua = os.getenv("TARE_LUA") or "lua5.4"
    local suite = command.file([[
      local suite = require "tare".suite "s"
      suite:bench("fill", { params = { impl = { "x", "y" },
        n = { 1, 2, 3, 4, 5, 6, 7 } }, run = function() return {} end })
      return suite]], "_bench.lua")
    local tare = lua .. " lua/tare/cli/bin.lua "
    local script = [[
      parallel -j2 TARE run SUITE --quota 5ms --quiet --shard {}/4 \
        --save SUITE.{}.json ::: 1 2 3 4 &&
      TARE merge SUITE.1.json SUITE.2.json SUITE.3.json SUITE.4.json \
        -o SUITE.all.json]]
    local code, _, stderr = command.shell((script:gsub("%u%u+",
      { TARE = tare, SUITE = suite })))
    assert.equal("", stderr)
    assert.equal(0, code)
    local ids = {}
    local cjson = require "cjson"
    for i, result in ipairs(cjson.decode(command.read(suite .. ".all.json"))
      .results) do
      ids[i] = result.id
    end
    local _, listed = command.tare("list", suite)
    local expected = stored.lines(listed)
    table.sort(ids)
    table.sort(expected)
    assert.same(expected, ids)
    command.shell("rm -f " .. suite .. "*")
  end)
end)
