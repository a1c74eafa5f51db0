-- tare inside a host program of its own (spec/support/hosts), which checks and
-- counts what is allocated, and closes its state where it likes.
local build = os.getenv "TARE_BUILD" or "build/lua5.4"
local program = build .. "/hosts/host"

-- What the program prints, and whether it found all well.
local function host(script, argument)
  local command = ("ulimit -t 60; %s spec/support/hosts/%s.lua %s 2>&1; "
    .. "echo \"=$?\"")
    :format(program, script, argument or "")
  local pipe = assert(io.popen(command))
  local output, code = pipe:read("*a"):match("^(.*)=(%d+)%s*$")
  pipe:close()
  return output, code == "0"
end

local handle = io.open(program)
if not handle then
  return describe("in a host of its own", function()
    it("was not tried", function()
      pending("no host: 'make hosts' builds one where Lua can be linked with")
    end)
  end)
end
handle:close()

describe("in a host of its own", function()
  for moment in host("close"):gmatch "%S+" do
    it("the state may be closed: " .. moment:gsub("_", " "), function()
      local output, is_well = host("close", moment)
      assert.equal("", output)
      assert.is_true(is_well)
    end)
  end

  it("there are moments to close the state at", function()
    assert.is_true(#host("close") > 100)
  end)

  it("the allocator is put back on every path", function()
    local output, is_well = host("restore")
    assert.equal("", output)
    assert.is_true(is_well)
  end)

  it("the library stays when a state that had loaded it is closed", function()
    local output, is_well = host("resident")
    assert.equal("", output)
    assert.is_true(is_well)
  end)

  it("a census equals what the allocator sees, to the byte", function()
    local output, is_well = host("census")
    assert.is_true(is_well, output)
    local functions = 0
    for name, counted, seen in output:gmatch "([^:\n]+):([^:]+):([^\n]+)" do
      functions = functions + 1
      assert.equal(name .. ": " .. seen, name .. ": " .. counted)
    end
    assert.equal(18, functions)
  end)

  -- All of them, and every allocation: 'make memory'.
  local EVERY = { again = true, rearmed = true, profile_of_coroutines = true }
  for _, scenario in ipairs { "open", "again", "samples", "rearmed",
    "frames_paced", "batch", "paced", "census", "profile",
    "profile_of_coroutines", "instructions", "collector", "bootstrap",
    "measure", "measure_stopped", "session", "render", "stream" } do
    it("any memory may be refused: " .. scenario, function()
      local output, is_well = host("memory",
        scenario .. (EVERY[scenario] and "" or " 3"))
      assert.is_true(is_well, output)
      assert.matches("requests refused", output)
    end)
  end
end)
