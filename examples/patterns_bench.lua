-- Lua's patterns or LPeg? Three questions to the same log: where a word stands,
-- which words there are, and what the fields are.
local tare = require "tare"
local lpeg = require "lpeg"
local P, R, C, Ct = lpeg.P, lpeg.R, lpeg.C, lpeg.Ct

-- 200 lines; the word to find is in the last one.
local lines = {}
for i = 1, 200 do
  lines[i] = ("2024-%02d-%02d level=%s user=u%d took=%dms\n"):format(
    i % 12 + 1, i % 28 + 1, i == 200 and "error" or "info", i * 7919 % 1000,
    i * 31 % 97)
end
local log = table.concat(lines)

local find, words, fields = {}, {}, {}

function find.plain(text) return (text:find("error", 1, true)) end
function find.pattern(text) return (text:find("er+or")) end

local anywhere = P { lpeg.Cp() * "error" + 1 * lpeg.V(1) }
function find.lpeg(text) return anywhere:match(text) end

function words.pattern(text)
  local list = {}
  for word in text:gmatch("%a+") do list[#list + 1] = word end
  return list
end

local letters, digits = R("az", "AZ")^1, R "09"^1
local all_words = Ct((C(letters) + 1)^0)
function words.lpeg(text) return all_words:match(text) end

function fields.pattern(text)
  local rows = {}
  for level, user, ms in text:gmatch("level=(%a+) user=(%w+) took=(%d+)") do
    rows[#rows + 1] = { level, user, ms }
  end
  return rows
end

local row = Ct("level=" * C(letters) * " user=" * C(R("az", "09")^1)
  * " took=" * C(digits))
local all_rows = Ct((row + 1)^0)
function fields.lpeg(text) return all_rows:match(text) end

local suite = tare.suite "patterns"

local function ask(name, ways)
  suite:bench(name, {
    params = { impl = ways }, baseline = "pattern",
    args = function(p) return p.impl, log end,
    run = function(answer, text) return answer(text) end,
    throughput = { bytes = #log },
  })
end

ask("find", find)
ask("words", words)
ask("fields", fields)

return tare.main(suite, ...)
