local rows = require "tare.noise.rows"

describe("rows against what their number of calls lets expect", function()
  it("are 1 where all is quiet, whatever a batch costs by itself", function()
    local s = { iters = {}, wall_ns = {} }
    for i = 1, 50 do
      s.iters[i] = 10 + (i * 37) % 90
      s.wall_ns[i] = 500 + 100 * s.iters[i]
    end
    for _, relative in ipairs(rows.relative(s)) do
      assert.near(1, relative, 0.005)
    end
  end)

  it("stand in the order of launch and time", function()
    local s = { iters = { 1, 1, 1, 1 }, wall_ns = { 4, 1, 3, 2 },
      start_ns = { 9, 1, 2, 8 }, launch = { 2, 1, 2, 1 } }
    local _, order = rows.relative(s)
    assert.same({ 2, 4, 3, 1 }, order)
  end)

  it("leave out what has no time", function()
    local s = { iters = { 1, 1, 0, 1 }, wall_ns = { 5, 0, 5, 0 / 0 } }
    local relative, order = rows.relative(s)
    assert.same({ { 1 }, { 1 } }, { relative, order })
    assert.same({}, (rows.relative { iters = {}, wall_ns = {} }))
  end)

  it("have a median for each launch", function()
    assert.same({ 2, [7] = 5 }, rows.launch_medians({ 1, 2, 5, 3 },
      { 1, 2, 3, 4 }, { 1, 1, 7, 1 }))
  end)
end)

describe("crowded rows", function()
  it("are those where the core got less done at once", function()
    local crowded, share = rows.crowded { width = { 3.9, 3.85, 2.4, 3.9 } }
    assert.same({ false, false, true, false }, crowded)
    assert.equal(0.25, share)
  end)

  it("are not known where no width was read", function()
    assert.is_nil(rows.crowded {})
    assert.is_nil(rows.crowded { width = { 0 / 0, 0 / 0 } })
    assert.same({ false, false, true },
      (rows.crowded { width = { 3.9, 0 / 0, 2 } }))
  end)
end)
