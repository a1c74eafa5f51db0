-- Looks for phrases that plain English replaces, and for names that are no
-- standard term, in the texts that users and contributors read.
--   words.lua report    counts per file in build/words.log, and one line
--   words.lua fail      prints each with its place and what to write instead;
--                       exits 1 if there is any
-- 'a b' in a pattern is also found where the line ends between the two words.

local FOLDERS = "README.md lua csrc docs examples"

-- %< and %> are the ends of a word. The sample has to be found: a pattern that
-- finds nothing would let everything pass.
local PHRASES = {
  { "was met%>", "the gate failed", "a gate was met" },
  { "%<are met%>", "... fail", "where gates are met" },
  { "%d%l* an? call%>", "per call", "12 a call" },
  { "%<[mun]s an? %l+", "per ...", "1.08 us a call" },
  { "%d s an? %l+", "per ...", "1 s a bench" },
  { "%<MiB an? %l+", "per ...", "3 MiB a bench" },
  { "%<bytes a call", "bytes per call", "73 bytes a call" },
  { "%<cycles a call", "cycles per call", "590 cycles a call" },
  { "%<times? a call", "per call", "time a call" },
  { "%<tables? a call", "per call", "one more table a call" },
  { "%<%l+tions a call", "... per call", "allocations a call" },
  { "%<h[eo]ld%l* against%>", "is compared with", "is held against it" },
  { "%<holds? [%l%d.'_/]+ against%>", "compares ... with",
    "holds frames against a budget" },
  { "%<held [%l%d.'_/]+ against%>", "compared with", "held each against it" },
  { "%<sa[yi]%l* so%>", "has a warning, reports", "the result says so" },
  { "%<told%>", "reported", "it is told" },
  { "%<tells%>", "reports", "the result tells" },
  { "%<stands? %l*[io]n%>", "is in, is on", "stands in the file" },
  { "%<stands? there%>", "is there", "what stands there" },
  { "%<stands? here%>", "is here", "what stands here" },
  { "can't see of itself%>", "variation between processes",
    "what one process can't see of itself" },
  { "%<others than%>", "different work, others", "are others than earlier" },
  { "%<knows? of%>", "account for", "they know of drift" },
  { "%<crowd%l* the core%>", "noisy neighbours", "crowd the core" },
  { "%dx faster", "times as fast as", "2.74x faster than in main" },
  { "%dx slower", "times as slow as", "2x slower" },
  { "%<bears? it%>", "tolerates it", "the time bears it" },
}

-- Names of files and folders that no reader can guess the meaning of.
local NAMES = { "settle", "within", "looks", "uneven", "arm", "lane", "lanes",
  "leftovers", "misc", "utils" }

local function lua_pattern(pattern)
  return (pattern:gsub("%%<", "%%f[%%w_]"):gsub("%%>", "%%f[^%%w_]")
    :gsub(" ", "%%s+"))
end

for _, phrase in ipairs(PHRASES) do
  phrase.pattern = lua_pattern(phrase[1])
  assert((phrase[3] .. " "):find(phrase.pattern), phrase[3])
end

local function files()
  local list = {}
  for path in io.popen("find " .. FOLDERS .. " -type f | sort"):lines() do
    if path:find "%.lua$" or path:find "%.[ch]$" or path:find "%.md$" then
      list[#list + 1] = path
    end
  end
  return list
end

-- The text of a file without marks of comments, and where its lines begin.
local function read(path)
  local text, starts = {}, {}
  local at = 1
  for line in io.lines(path) do
    starts[#starts + 1] = at
    text[#text + 1] = line:gsub("^%s*[-*/]+%s", " ") .. " "
    at = at + #text[#text]
  end
  return table.concat(text), starts
end

local function line_of(starts, at)
  local line = 1
  while starts[line + 1] and starts[line + 1] <= at do line = line + 1 end
  return line
end

local function faults_in(path)
  local faults = {}
  local function add(at, what, instead)
    faults[#faults + 1] = { at = at, text = ("%s:%d: '%s' (instead: %s)")
      :format(path, at, what, instead) }
  end
  for _, name in ipairs(NAMES) do
    if path:match "([^/]+)%.%w+$" == name then
      add(0, name, "a standard term as the file's name")
    end
  end
  local text, starts = read(path)
  for _, phrase in ipairs(PHRASES) do
    local from, to = text:find(phrase.pattern)
    while from do
      add(line_of(starts, from), text:sub(from, to):gsub("%s+", " "), phrase[2])
      from, to = text:find(phrase.pattern, to + 1)
    end
  end
  table.sort(faults, function(a, b) return a.at < b.at end)
  return faults
end

local mode = arg[1] or "fail"
local count, lines, counts = 0, {}, {}
for _, path in ipairs(files()) do
  local faults = faults_in(path)
  count = count + #faults
  if #faults > 0 then
    counts[#counts + 1] = ("%4d %s"):format(#faults, path)
  end
  for _, fault in ipairs(faults) do lines[#lines + 1] = fault.text end
end

if mode == "report" then
  table.sort(counts, function(a, b) return a > b end)
  os.execute "mkdir -p build"
  local log = assert(io.open("build/words.log", "w"))
  log:write(table.concat(counts, "\n"), "\n\n", table.concat(lines, "\n"), "\n")
  log:close()
  if count > 0 then
    print(("%d phrases to replace in %d files: build/words.log"):format(count,
      #counts))
  end
elseif count > 0 then
  io.stderr:write(table.concat(lines, "\n"), "\n")
  os.exit(1)
end
