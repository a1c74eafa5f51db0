local rates = require "tare.report.rates"

local TIME = { value = 100, low = 50, high = 200 }

describe("throughput", function()
  it("is the amount a second, with the interval turned round", function()
    assert.same({ value = 1e10, low = 5e9, high = 2e10 },
      rates.of({ time = TIME, throughput = { bytes = 1000 } }, "bytes"))
  end)

  it("is none where the bench does not say, or has no time", function()
    assert.is_nil(rates.of({ time = TIME }, "bytes"))
    assert.is_nil(rates.of({ time = TIME, throughput = { items = 1 } },
      "bytes"))
    assert.is_nil(rates.of({ throughput = { bytes = 1 } }, "bytes"))
    assert.is_nil(rates.of({ time = { value = 0 },
      throughput = { bytes = 1 } }, "bytes"))
  end)

  it("has no interval where the time has none above zero", function()
    assert.same({ value = 2e7 }, rates.of({ time = { value = 50, low = -1,
      high = 99 }, throughput = { items = 1 } }, "items"))
  end)
end)
