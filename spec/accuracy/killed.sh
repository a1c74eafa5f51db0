#!/bin/sh
# A sweep that is killed at random moments and resumed: whether the stored file
# is sound each time, and no finished cell is lost or measured twice.
#   killed.sh [KILLS = 30]                  LUA= picks the interpreter
set -u
kills=${1:-30}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/sweep_bench.lua" <<'EOF'
local tare = require "tare"
local suite = tare.suite "s"
suite:bench("fill", { params = { n = tare.range(1, 400) },
  run = function(p) local t = {} for i = 1, p.n do t[i] = i end return t end })
return suite
EOF
cat >"$dir/check.lua" <<'EOF'
-- check.lua NEW OLD: NEW is sound, has each result of OLD unchanged, none twice
local cjson = require "cjson"
local function contents(path)
  local file = io.open(path)
  local text = file and file:read("*a")
  if file then file:close() end
  return text
end
-- The results in a file, and in the journal that belongs to it: whole lines,
-- of what the file has not taken in.
local function read(path)
  local text = contents(path)
  if not text then return {} end
  local report, seen = assert(cjson.decode(text)), {}
  for _, result in ipairs(report.results) do seen[result.id] = true end
  local journal, own = contents(path .. ".journal") or "", false
  for line in journal:gmatch "([^\n]*)\n" do
    local item = cjson.decode(line)
    own = own or item.journal ~= nil and item.journal == report.unfinished
    if own and item.id and not seen[item.id] then
      table.insert(report.results, item)
    end
  end
  return report.results
end
local old, seen, count = {}, {}, 0
for _, result in ipairs(read(arg[2])) do old[result.id] = result end
for _, result in ipairs(read(arg[1])) do
  assert(not seen[result.id], result.id .. " stands twice")
  seen[result.id], count = true, count + 1
  local before = old[result.id]
  if before then
    assert(before.sitting == result.sitting, result.id .. " was measured anew")
    assert(table.concat(before.samples.wall_ns, " ")
      == table.concat(result.samples.wall_ns, " "), result.id .. " has changed")
  end
end
for id in pairs(old) do assert(seen[id], id .. " was lost") end
print(count)
EOF
lua=${LUA:-lua5.4}
sound=0 i=0 before=0
while [ $i -lt "$kills" ]; do
  i=$((i + 1))
  ./tare run "$dir/sweep_bench.lua" --quota 40ms --quiet --resume \
    "$dir/r.json" 2>"$dir/said" &
  pid=$!
  sleep "$(awk -v s="$i$$" 'BEGIN { srand(s); print 0.2 + 2.6 * rand() }')"
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  cat "$dir/said"
  if count=$("$lua" "$dir/check.lua" "$dir/r.json" "$dir/old.json"); then
    sound=$((sound + 1))
    echo "kill $i: $count cells stored, $((count - before)) of them new"
    before=$count
  fi
  for name in json json.journal; do
    rm -f "$dir/old.$name"
    [ ! -f "$dir/r.$name" ] || cp "$dir/r.$name" "$dir/old.$name"
  done
done
./tare run "$dir/sweep_bench.lua" --quota 40ms --quiet --resume "$dir/r.json"
count=$("$lua" "$dir/check.lua" "$dir/r.json" "$dir/old.json")
echo "$lua: after $sound of $kills kills the file was sound, with every" \
  "finished cell in it once; resumed to the end it has $count of 400 cells"
[ "$sound" = "$kills" ] && [ "$count" = 400 ] && [ ! -e "$dir/r.json.journal" ]
