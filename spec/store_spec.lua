local fixtures = require "spec.support.fixtures"
local store = require "tare.store"
local uv = require "luv"

local folder
local function path(name) return folder .. "/" .. name end

local function read(name)
  local file = assert(io.open(path(name), "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function entries()
  local names, scan = {}, uv.fs_scandir(folder)
  for name in function() return (uv.fs_scandir_next(scan)) end do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

before_each(function()
  folder = assert(uv.fs_mkdtemp(uv.os_tmpdir() .. "/tare-XXXXXX"))
end)
after_each(function()
  for _, name in ipairs(entries()) do os.remove(path(name)) end
  uv.fs_rmdir(folder)
end)

describe("stored reports", function()
  it("come back as they were", function()
    local report = fixtures.report()
    assert.is_true(store.write(path("r.json"), report))
    assert.same(report, assert(store.read(path("r.json"))))
  end)

  it("keep absent samples as NaN, and lose absent figures", function()
    local report = assert(store.decode(
      [[{"schema":"tare/1","results":[{"id":"a/b","r2":null,"time":
      {"value":1,"low":1e999},"samples":{"x":[1,null,1e999]}}]}]]))
    local result = report.results[1]
    assert.is_nil(result.r2)
    assert.is_nil(result.time.low)
    local x = result.samples.x
    assert.same({ 1, true, true }, { x[1], x[2] ~= x[2], x[3] ~= x[3] })
  end)

  it("of an older tare/1 are completed", function()
    local report = assert(store.decode(
      '{"schema":"tare/1","results":[{"id":"strings/concat"}]}'))
    assert.same({ schema = "tare/1", env = {}, options = {}, comparisons = {},
      results = { { id = "strings/concat", suite = "strings", name = "concat",
        params = {}, warnings = {} } } }, report)
  end)

  it("read whole parameters back as whole numbers", function()
    local report = assert(store.decode('{"schema":"tare/1","results":'
      .. '[{"id":"a","params":{"n":10,"x":0.5}}]}'))
    local params = report.results[1].params
    assert.equal("10 0.5", params.n .. " " .. params.x)
  end)

  it("that are broken are refused in one line", function()
    local whole = store.encode(fixtures.report())
    for _, text in ipairs { "", " \n", "{", "nonsense", "[]", "5", "null",
      "[NaN]", "{\"schema\":\"tare/1\",\"results\":0x10}", "\255\254{\0",
      ("["):rep(1e5), ('{"a":'):rep(1e5), "{}", '{"schema":"tare/9"}',
      '{"schema":"tare/1","results":[{"id":"\\ud800"}]}',
      whole:sub(1, 5000), whole:sub(2) } do
      local report, message = store.decode(text)
      assert.is_nil(report)
      assert.matches("^[^%c]+$", message)
      assert.is_true(#message < 200)
    end
  end)

  it("at every place they are cut, are refused or whole", function()
    local whole = store.encode {
      schema = "tare/1", results = { { id = "a/b", time = { value = 1.5 } } } }
    for length = 0, #whole - 2 do
      assert.is_nil((store.decode(whole:sub(1, length))))
    end
    assert.is_table(store.decode(whole))
  end)

  it("bear journals that are torn at any place, or hostile", function()
    local text = '{"schema":"tare/1","unfinished":"a","results":[{"id":"x"}]}'
    local whole = '{"journal":"a"}\n{"id":"y"}\n{"id":"x"}\n'
    for length = 0, #whole do
      local report = assert(store.decode(text, whole:sub(1, length)))
      local lines = length > 26 and 2 or 1 -- as soon as the line is ended
      assert.equal(lines, #report.results, "cut after " .. length)
      assert.is_nil(report.unfinished)
    end
    for _, line in ipairs { "7", "[]", "null", '{"id":7}', '{"id":[]}', "{" } do
      local report, message = store.decode(text, '{"journal":"a"}\n' .. line
        .. "\n")
      assert.is_true(report ~= nil or message:find "%.id must be" ~= nil)
    end
  end)

  it("name the file that can't be read", function()
    local report, message = store.read(path("absent.json"))
    assert.is_nil(report)
    assert.matches("absent%.json: No such file", message)
    assert.matches("directory", select(2, store.read(folder)))
    store.write_text(path("bad.json"), "{")
    assert.matches("bad%.json: not JSON",
      select(2, store.read(path("bad.json"))))
  end)
end)

describe("writing a file", function()
  it("replaces what was there and leaves nothing beside it", function()
    store.write_text(path("x.csv"), ("long"):rep(1e5))
    assert.is_true(store.write_text(path("x.csv"), "short"))
    assert.equal("short", read("x.csv"))
    assert.same({ "x.csv" }, entries())
  end)

  it("keeps the file's permissions and follows its link", function()
    store.write_text(path("real"), "a")
    uv.fs_chmod(path("real"), 384) -- 0600
    uv.fs_symlink(path("real"), path("link"))
    assert.is_true(store.write_text(path("link"), "b"))
    assert.equal("b", read("real"))
    assert.equal("link", uv.fs_lstat(path("link")).type)
    assert.equal(384, uv.fs_stat(path("real")).mode % 512)
  end)

  it("leaves the old file alone where it fails", function()
    local ok, message = store.write_text(path("no/such/place"), "x")
    assert.is_nil(ok)
    assert.matches("place: cannot write: no such file or directory$", message)
    assert.matches("is a directory$", select(2, store.write_text(folder, "x")))
  end)

  it("writes through to a device instead of replacing it", function()
    assert.is_true(store.write_text("/dev/null", "x"))
    assert.equal("char", uv.fs_stat("/dev/null").type)
  end)
end)
