local pivot = require "tare.report.pivot"

local SWEEP = { axis = "n", series = {
  { label = "a", points = { { x = 10, value = 500 }, { x = 2000,
    value = 9000 } } },
  { label = "b", points = { { x = 2000, value = 1500 }, { x = 1,
    value = 250 } } } } }

describe("the table of a sweep", function()
  it("has a row each value of the axis, a column a series", function()
    assert.same({ { x = 1, nil, 250 }, { x = 10, 500 },
      { x = 2000, 9000, 1500 } }, pivot.rows(SWEEP))
  end)

  it("shares one unit, and marks the least of each row", function()
    local columns = pivot.columns(SWEEP)
    assert.same({ "1", "10", "2,000" }, columns[1].cells)
    assert.same({ "-", { "500.0 ns*", "good" }, "9000 ns" },
      columns[2].cells)
    assert.same({ { "250.0 ns*", "good" }, "-", { "1500 ns*", "good" } },
      columns[3].cells)
    assert.same({ "n", "a", "b" }, { columns[1].title, columns[2].title,
      columns[3].title })
  end)

  it("marks nothing where there is one series", function()
    local columns = pivot.columns { axis = "n", series = { SWEEP.series[1] } }
    assert.same({ "500.0 ns", "9000 ns" }, columns[2].cells)
  end)

  it("passes over what is no number", function()
    local nan = 0 / 0
    assert.same({ { x = 1 } }, pivot.rows { series = { { points = {
      { x = nan, value = 1 }, { value = 2 }, { x = 1, value = nan } } } } })
  end)
end)
