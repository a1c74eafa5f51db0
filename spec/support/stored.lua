-- Stored reports with made-up figures, as files for the real command.
local command = require "spec.support.command"
local store = require "tare.store"

local stored = {}

--- Samples of a bench that takes so long a call: a straight line, and a little
--- noise that is the same every time.
function stored.samples(call_ns, rows)
  local samples = { iters = {}, wall_ns = {}, round = {} }
  for i = 1, rows or 40 do
    samples.iters[i], samples.round[i] = 10 * i, i
    samples.wall_ns[i] = 1000 + call_ns * 10 * i * (1 + 0.002 * (i * 7 % 5 - 2))
  end
  return samples
end

local function estimate(value)
  return { value = value, low = value * 0.99, high = value * 1.01,
    unit = "ns" }
end

--- A result of the suite 's'; 'more' adds fields, or takes them away (false).
function stored.result(name, call_ns, more)
  local result = { id = "s/" .. name, suite = "s", name = name, params = {},
    loop = "inline", gc = "natural", launches = 1, time = estimate(call_ns),
    allocs = { value = 1 }, warnings = {}, compared = "s",
    samples = stored.samples(call_ns) }
  for key, value in pairs(more or {}) do result[key] = value or nil end
  return result
end

--- A report of results.
function stored.report(results, more)
  local report = { schema = "tare/1", env = { cpu = "a", lua = "Lua 5.4.4" },
    options = { confidence = 0.95, resamples = 200, seed = 1,
      tolerance = 0.01 }, results = results, comparisons = {} }
  for key, value in pairs(more or {}) do report[key] = value end
  return report
end

--- The path of a file with such a report.
function stored.file(results, more)
  return command.file(store.encode(stored.report(results, more)), ".json")
end

--- A text of lines, as a list.
function stored.lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  return list
end

--- Texts that are no sound report, each by what is wrong with it.
stored.BROKEN = {
  empty = "",
  blank = " \n",
  truncated = store.encode(stored.report { stored.result("a", 100) })
    :sub(1, 60),
  ["of another schema"] = '{"schema":"other/1","results":[]}',
  ["of a newer schema"] = '{"schema":"tare/9","results":[]}',
  ["a list"] = "[1,2,3]",
  ["a number"] = "12",
  ["no JSON"] = "\27[31mred\0\r\n",
  ["nested without end"] = ("["):rep(100000),
  ["with an object where a list should be"] =
    '{"schema":"tare/1","results":{"a":1}}',
  ["with text for numbers"] = '{"schema":"tare/1","results":[{"id":"x",'
    .. '"samples":{"iters":["a"],"wall_ns":["b"]}}]}',
  ["with columns of unequal length"] = '{"schema":"tare/1","results":[{'
    .. '"id":"x","samples":{"iters":[1,2],"wall_ns":[1]}}]}',
  ["with a result that has no id"] = '{"schema":"tare/1","results":[{}]}',
}

return stored
