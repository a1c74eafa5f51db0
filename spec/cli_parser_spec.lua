-- What the command line reads, and what it refuses in which words: all of it
-- compared with what someone has read.
local golden = require "spec.support.golden"
local data = require "spec.support.mistakes"
local parser = require "tare.cli.parser"

-- The words of a line as a shell reads them.
local function words_of(line)
  local words = {}
  for word in line:gsub("'([^']*)'", function(text)
    return (text:gsub(" ", "\1"))
  end):gmatch "%S+" do
    words[#words + 1] = (word:gsub("\1", " "))
  end
  return words
end

-- Lines that are read, each with some options.
local READ = { "run a_bench.lua", "a_bench.lua", "-e 'return {}'",
  "-s 'local x' -e 'x = 1'", "list a_bench.lua --filter x", "compare a b",
  "report r.json -f html -o x.html", "merge a.json b.json -o c.json",
  "env --json", "init x_bench.lua", "completion bash", "frames a.json b.json",
  "run a.lua --quota 2s --launches 3 --seed 7 -q",
  "run a.lua --sort -time --columns time,gc --explain --width 60 --ascii",
  "run a.lua --gc paced --gc-set pause=150,stepmul=300 -X unroll=4",
  "run a.lua --filter a --filter b --match plain --where n=10",
  "run a.lua --fail-on 'time>5%' --confirm 3 --baseline b.json",
  "run a.lua --save s.json -f csv -o a.csv -f text --raw",
  "run a.lua --shard 2/4 --resume r.json", "run a.lua --lua lua5.4,luajit",
  "compare --ref main a_bench.lua", "run a.lua --profile --by bytes",
  "run a.lua --iters 5", "run a.lua --seed 1 --seed 2",
  "run a.lua --seed=1 --seed=2", "run a.lua --seed=1 --quota=2s --seed 3",
  "run a.lua --dry-run", "run a.lua --no-split" }

describe("the command line", function()
  it("reads options to settings", function()
    local record = golden.record "cli_read.txt"
    for _, line in ipairs(READ) do
      local given, message = parser.parse(words_of(line))
      record:add(line .. "\n  " .. (given and golden.flat(given) or message)
        .. "\n")
    end
    record:check()
  end)

  it("says of mistakes what was wrong and what would be right", function()
    local record = golden.record("cli_refused.txt", nil, 400)
    for _, mistake in ipairs(data.mistakes) do
      if not mistake.line:find "[&|$<>]" and not mistake.line:find "help" then
        local given, message = parser.parse(words_of(mistake.line))
        if not given then
          record:add(mistake.line .. "\n  " .. message .. "\n")
        end
      end
    end
    record:check()
  end)

  it("gives the words of the command to argparse in its own way", function()
    local parts = {}
    for _, line in ipairs { "", "help", "help run", "-", "-e x", "-s x -e y",
      "--expression x", "--setup x", "a.lua --sort -time", "--confirm -3",
      "run a --quota -1s", "run a --gc -1", "run a --sort -5", "-x" } do
      parts[#parts + 1] = ("%s: %s\n"):format(line,
        table.concat(parser.words(words_of(line)), " | "))
    end
    golden.check("cli_words.txt", table.concat(parts))
  end)
end)
