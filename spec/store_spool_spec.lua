local fixtures = require "spec.support.fixtures"
local Spool = require "tare.store.spool"
local store = require "tare.store"
local command = require "spec.support.command"

local function head(results)
  return { schema = "tare/1", env = { cpu = '"results":[]' },
    options = { seed = 1 }, results = results or {}, comparisons = {} }
end

describe("a spool", function()
  local path, results
  before_each(function()
    path, results = command.path ".json", fixtures.report().results
  end)
  after_each(function() os.remove(path) end)

  it("writes nothing before there is a result", function()
    Spool.new(path, head())
    assert.is_nil(io.open(path))
  end)

  it("is a sound report after each addition", function()
    local spool, expected = Spool.new(path, head()), {}
    for i, result in ipairs(results) do
      assert.is_true(spool:add { result })
      expected[i] = result
      assert.same(head(expected), assert(store.read(path)))
    end
  end)

  it("tells what was added though the file has gone", function()
    local spool = Spool.new(path, head { results[1] })
    assert.is_true(spool:add { results[2] })
    assert.is_true(spool:add { results[3] })
    os.remove(path)
    assert.is_nil(spool:add { results[4] })
    assert.same({ results[1], results[2], results[3] }, spool:read().results)
    assert.same(spool:read(), spool:read())
  end)

  it("keeps what it has not taken in yet in a journal, and reads both",
    function()
      local text = store.encode(head { results[1] })
      local spool, expected = Spool.new(path, head(), 10), {}
      for turn = 1, 12 do
        local copy = {}
        for key, value in pairs(results[1]) do copy[key] = value end
        copy.id = "s/" .. turn
        expected[turn] = copy
        assert.is_true(spool:add { copy })
        assert.same(head(expected), assert(store.read(path)))
        assert.same(head(expected), spool:read())
        if turn == 2 then assert.is_true(#command.read(path) < #text + 99) end
      end
      assert.is_true(#command.read(path) < 12 * #text / 1.3)
      assert.is_truthy(io.open(path .. ".journal"))
      spool:finish()
      assert.is_nil(io.open(path .. ".journal"))
    end)

  it("is read without a journal of another run, or its torn end", function()
    local spool = Spool.new(path, head(), 10)
    spool:add { results[1] }
    spool:add { results[2] }
    local text = command.read(path .. ".journal")
    local function read_with(journal)
      local file = io.open(path .. ".journal", "wb")
      file:write(journal)
      file:close()
      return assert(store.read(path)).results
    end
    assert.same({ results[1], results[2] }, read_with(text))
    assert.same({ results[1] }, read_with(text:sub(1, -2)))
    assert.same({ results[1] }, read_with(text:sub(1, -40)))
    assert.same({ results[1] }, read_with(text:gsub('{"journal":"', "%0x")))
    assert.same({ results[1] }, read_with "")
    assert.same({ results[1] }, read_with "{")
    local twice = text .. text:match "\n(.*)$"
    assert.equal(2, #read_with(twice))
    spool:finish()
  end)

  it("starts with what is stored already", function()
    local spool = Spool.new(path, head { results[1], results[2] })
    assert.is_true(spool:add { results[3] })
    assert.is_true(spool:add {})
    assert.same({ results[1], results[2], results[3] },
      store.read(path).results)
  end)

  it("does not extend a file that someone else has changed", function()
    local spool = Spool.new(path, head())
    assert.is_true(spool:add { results[1] })
    assert(store.write_text(path, "mine"))
    local ok, message = spool:add { results[2] }
    assert.is_nil(ok)
    assert.equal(path .. ": was changed by someone else during the run",
      message)
    assert.equal("mine", command.read(path))
  end)

  it("takes no journal away that another run has in its place", function()
    local journal = path .. ".journal"
    local theirs = '{"journal":"b"}\n'
    for _, small in ipairs { 10, 2^20 } do -- with a journal of its own, without
      local spool = Spool.new(path, head(), small)
      spool:add { results[1] }
      spool:add { results[2] }
      assert(store.write_text(journal, theirs)) -- replaces what is there
      assert(store.write_text(path, "theirs"))
      assert.is_nil(spool:add { results[3] })
      spool:finish()
      assert.equal(theirs, command.read(journal))
      os.remove(journal)
    end
  end)

  it("leaves its journal where the report can't be written", function()
    local spool = Spool.new(path, head(), 10)
    spool:add { results[1] }
    spool:add { results[2] }
    local left = spool:leave()
    assert.truthy(command.read(left):find '^{"journal":')
    os.remove(left)
  end)

  it("says why it can't write, and leaves nothing behind", function()
    local ok, message = Spool.new("no/such/folder.json", head())
      :add { results[1] }
    assert.is_nil(ok)
    assert.equal("no/such/folder.json: cannot write: no such file or "
      .. "directory", message)
  end)
end)
