local random = require "tare.base.random"

describe("a generator of random numbers", function()
  it("has the same numbers for a seed, and others for the next", function()
    local a, b = random.generator(7), random.generator(7)
    local c = random.generator(8)
    local differ = 0
    for _ = 1, 100 do
      local x = a()
      assert.equal(x, b())
      if x ~= c() then differ = differ + 1 end
    end
    assert.equal(100, differ)
  end)

  -- As the formula of Park and Miller gives them, in whole numbers of any size.
  it("takes any seed, beyond its modulus, too", function()
    for _, one in ipairs { { 0, 383502078 }, { 1, 767004155 }, { 7, 68016620 },
      { 2^31 - 3, 616497923 }, { 2^31 - 2, 383502078 },
      { 2^31 - 1, 767004155 }, { 2^31, 150506233 }, { 2^53, 978750133 } } do
      assert.equal(one[2], random.generator(one[1])(1e9), one[1])
    end
  end)

  -- How often each whole number came in so many draws.
  local function counts(draws, ...)
    local draw, found = random.generator(3), {}
    for _ = 1, draws do
      local n = draw(...)
      found[n] = (found[n] or 0) + 1
    end
    return found
  end

  it("draws every whole number of a range about as often, and no other",
    function()
      for first, arguments in pairs { [1] = { 5 }, [3] = { 3, 7 },
        [-2] = { -2, 2 } } do
        local found = counts(5000, arguments[1], arguments[2])
        for n, count in pairs(found) do
          assert.is_true(n >= first and n <= first + 4, n)
          assert.is_true(count > 850 and count < 1150, count)
        end
        for n = first, first + 4 do assert.truthy(found[n]) end
      end
      assert.same({ [4] = 10 }, counts(10, 4, 4))
    end)

  it("draws shares of one without arguments", function()
    local draw, sum = random.generator(1), 0
    for _ = 1, 5000 do
      local share = draw()
      assert.is_true(share >= 0 and share < 1)
      sum = sum + share / 5000
    end
    assert.near(0.5, sum, 0.02)
  end)
end)
