-- Power: functions against those that do 1 % more, where that can be had
-- exactly. BENCH=power_bench makes twins.sh take these: "called different" is
-- then what is wanted.
local tare = require "tare"

local object = setmetatable({ n = 0 }, { __index = { add = function(self)
  self.n = self.n + 1
  return self.n
end } })

-- Each makes a function that does its work 'n' times.
local MAKE = {
  ["additions"] = function(n)
    return function()
      local sum = 0
      for i = 1, n do sum = sum + i * i end
      return sum
    end
  end,
  ["method calls"] = function(n)
    return function()
      for _ = 1, n do object:add() end
      return object.n
    end
  end,
  ["concatenation"] = function(n)
    local list = {}
    for i = 1, n do list[i] = "piece" end
    return function() return table.concat(list, ";") end
  end,
  ["two tables"] = function(n)
    return function()
      local last
      for _ = 1, n do last = { {} } end
      return last
    end
  end,
}

local suite = tare.suite "power"
for _, name in ipairs { "additions", "method calls", "concatenation",
  "two tables" } do
  suite:group(name, function(group)
    group:bench("one", { run = MAKE[name](200), baseline = true })
    group:bench("other", { run = MAKE[name](202) })
  end)
end
return tare.main(suite, ...)
