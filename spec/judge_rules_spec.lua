local gate = require "tare.judge.gate"

describe("rules of gates", function()
  it("are shares or amounts of metrics", function()
    assert.same({
      { metric = "time", share = 0.05, text = "time>5%" },
      { metric = "allocs", amount = 0, text = "allocs>0" },
      { metric = "bytes", amount = 1024, text = "bytes>1KiB" },
      { metric = "instructions", share = 0.005, text = "instructions>0.5%" },
      { metric = "net", amount = 100, text = "net>100ns" },
    }, gate.parse("time>5%, allocs>0,bytes > 1 KiB,instructions>0.5%,"
      .. "net>100ns"))
  end)

  it("that can't be read are refused in one line", function()
    local cases = {
      [""] = "no rule is given",
      [","] = "no rule is given",
      ["time"] = "'time' is not a rule",
      ["time<5%"] = "'time<5%%' is not a rule",
      ["speed>5%"] = "no metric 'speed'; there are time, bytes, allocs,",
      ["time>5"] = "'5' needs a unit",
      ["time>banana"] = "'banana' is not a duration",
      ["allocs>banana"] = "'banana' is not a number",
      ["allocs>-1"] = "'%-1' is not a number",
      ["time>5% allocs>0"] = "is not a rule",
      ["time>x%"] = "'x%%' is not a percentage",
      ["\27[31m>5%"] = "'\\x1b%[31m>5%%' is not a rule",
    }
    for text, expected in pairs(cases) do
      local list, message = gate.parse(text)
      assert.is_nil(list)
      assert.matches(expected, message)
      assert.is_nil(message:find("%c"))
    end
  end)
end)
