-- Where reports go: what is refused before anything is measured.
local command = require "spec.support.command"
local output = require "tare.cli.output"
local stdout = require "tare.cli.stdout"

local function contents(path)
  local file = io.open(path, "rb")
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end

describe("places of reports", function()
  local folder
  before_each(function()
    folder = io.popen("mktemp -d"):read("*l")
    for _, name in ipairs { "in.json", "base.json", "x_bench.lua" } do
      local file = assert(io.open(folder .. "/" .. name, "w"))
      file:write("kept")
      file:close()
    end
  end)
  after_each(function() os.execute("rm -rf " .. folder) end)

  local function refusal(given)
    local outputs, message = output.asked_for(given)
    assert.is_nil(outputs)
    return message
  end

  local function to(...)
    local list = {}
    for i, name in ipairs { ... } do list[i] = { file = folder .. name } end
    return list
  end

  it("are files with a format, and stdout", function()
    local outputs = assert(output.asked_for {
      outputs = to("/a.html", "/b.md") })
    assert.same({ "html", "markdown", "text" }, { outputs[1].format,
      outputs[2].format, outputs[3].format })
    assert.is_nil(outputs[3].file)
    assert.equal(0, #assert(output.asked_for { quiet = true, save = folder
      .. "/s.json" }))
    assert.matches("its ending says no format; give %-%-format as well",
      refusal { outputs = to("/a.what") })
    assert.matches("^%-%-format: no format 'htlm'; did you mean 'html'%?",
      refusal { outputs = { { format = "htlm" } } })
  end)

  it("are not what is read, however that is written", function()
    os.execute(("ln -s %s/in.json %s/link.json"):format(folder, folder))
    for _, path in ipairs { "/in.json", "/./in.json", "/link.json" } do
      assert.matches("^%-o .*: this file is read, and would be overwritten$",
        refusal { file = folder .. "/in.json", outputs = to(path) })
    end
    assert.matches("this file is the baseline", refusal {
      baseline = folder .. "/base.json", outputs = to("/base.json") })
    assert.matches("^%-%-save .*: this file is the baseline", refusal {
      baseline = folder .. "/base.json", save = folder .. "/base.json" })
    assert.matches("this file is read", refusal {
      files = { folder .. "/x_bench.lua" },
      outputs = { { format = "text", file = folder .. "/x_bench.lua" } } })
    assert.equal("kept", contents(folder .. "/x_bench.lua"))
  end)

  it("are no other files that --save would lose, and no Lua code", function()
    local code = { format = "text", file = folder .. "/lib.lua" }
    for name, text in pairs { ["lib.lua"] = "return {}", ["p.json"] =
      '{"name":"x"}', ["notes"] = "mine" } do
      command.write(folder .. "/" .. name, text)
      assert.matches("^%-%-save .*: this file is no stored report, and would "
        .. "be overwritten$", refusal { save = folder .. "/" .. name })
    end
    assert.equal("-o " .. code.file .. ": this file is Lua code, and would be "
      .. "overwritten", refusal { outputs = { code } })
    assert.is_table(output.asked_for { outputs = to("/in.json") })
    for _, text in ipairs { "", '{"env":{},"results":["' .. ("x"):rep(1e5)
      .. '"],"schema":"tare/1"}', '{"schema":"tare/1","env":{},"results":[\n',
      '{\n  "results": [],\n  "schema": "tare/1"\n}\n' } do
      command.write(folder .. "/p.json", text)
      assert.is_table(output.asked_for { save = folder .. "/p.json" })
    end
    command.write(code.file, "")
    assert.is_table(output.asked_for { outputs = { code } })
  end)

  it("are not given twice", function()
    assert.matches("%-o writes to this file already",
      refusal { outputs = to("/a.html", "/./a.html") })
    assert.matches("^%-%-save .*: %-o writes to this file already", refusal {
      save = folder .. "/a.json", outputs = to("/a.json") })
    assert.is_table(output.asked_for { outputs = { { format = "json",
      file = "/dev/null" }, { format = "html", file = "/dev/null" } } })
  end)

  it("can be written to", function()
    assert.is_string(refusal { outputs = to("/none/a.html") })
    assert.is_nil(contents(folder .. "/none/a.html"))
  end)

  it("come with columns and an order that there are", function()
    assert.equal("--columns: no column 'tme'; did you mean 'time'?",
      refusal { columns = "tme" })
    assert.equal("--sort: can't sort by 'tme'; did you mean 'time'?",
      refusal { sort = "-tme" })
  end)

  -- What goes to stdout of a report, for some outputs and what is stored.
  local function shown(outputs, stored)
    local write, texts = stdout.write, {}
    stdout.write = function(text)
      texts[#texts + 1] = text
      return true
    end
    local made = { schema = "tare/1", env = {}, options = {}, results = {},
      comparisons = {} }
    local ok, message = pcall(output.write, outputs, made, {}, function() end,
      nil, stored)
    stdout.write = write
    assert(ok, message)
    return texts
  end

  it("get what could not be stored on stdout, and only once", function()
    assert.equal(1, #shown({ { format = "text" } }, true))
    assert.equal(1, #shown({ { format = "text" } }, false))
    assert.equal(1, #shown({}, false))
    assert.equal(0, #shown({}, true))
    assert.equal(1, #shown({ { format = "csv", file = folder .. "/none/a" } },
      true))
  end)

  it("say whether failures are shown there", function()
    assert.equal("terminal", output.shows_failures({ { format = "text" } }, 80))
    assert.is_nil((output.shows_failures({ { format = "json" },
      { format = "text", file = "x" } }, 80)))
    assert.equal("elsewhere", output.shows_failures { { format = "text" } })
  end)
end)
