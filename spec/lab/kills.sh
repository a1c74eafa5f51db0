#!/bin/sh
# A sweep that is killed 30 times at random moments and resumed (minutes); while
# it runs, launches and workers of its are killed, too. Whether the stored file
# is sound each time, no finished cell is lost or measured twice, and no process
# or temporary file is left.
#   kills.sh [KILLS = 30] [MOST = 9] [LEAST = 1] [OPTION... = --quota 100ms]
# LUA= picks the interpreter. A run lives for LEAST to LEAST + MOST seconds, and
# is not counted where it ended before; with --launches 1 most kills come soon
# after a new result. Processes are known by a mark in their environment, so
# others that run tare meanwhile are left alone. A sweep that is complete begins
# anew.
set -u
kills=${1:-30} most=${2:-9} least=${3:-1}
if [ $# -gt 3 ]; then shift 3; else set -- --quota 100ms; fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/sweep_bench.lua" <<'EOF'
local tare = require "tare"
local suite = tare.suite "s"
-- Two benches that are compared: their workers have one launch.
suite:bench("fill", { params = { n = tare.range(1, 60) },
  run = function(p) local t = {} for i = 1, p.n do t[i] = i end return t end })
suite:bench("text", { params = { n = tare.range(1, 60) },
  run = function(p) return ("x"):rep(p.n) end })
return suite
EOF
cat >"$dir/check.lua" <<'EOF'
-- check.lua NEW OLD: NEW is sound, has each result of OLD unchanged, none twice
local store = require "tare.store"
-- The results in a stored report, as every reader of tare's takes them.
local function read(path)
  local file = io.open(path)
  if not file then return {} end
  local is_empty = file:read(1) == nil -- killed before the first result
  file:close()
  return is_empty and {} or assert(store.read(path)).results
end
local old, seen, count = {}, {}, 0
for _, result in ipairs(read(arg[2])) do old[result.id] = result end
for _, result in ipairs(read(arg[1])) do
  assert(not seen[result.id], result.id .. " is there twice")
  seen[result.id], count = true, count + 1
  local before = old[result.id]
  if before then
    assert(before.sitting == result.sitting, result.id .. " was measured again")
    assert(table.concat(before.samples.wall_ns, " ")
      == table.concat(result.samples.wall_ns, " "), result.id .. " has changed")
  end
end
for id in pairs(old) do assert(seen[id], id .. " was lost") end
print(count)
EOF
lua=${LUA:-lua5.4}
export LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="build/$lua/?.so;;"
mark=TARE_KILLS=$$
export "${mark?}" TMPDIR="$dir/tmp"
mkdir "$TMPDIR"

# The processes of a run but its conductor; all of them without an argument.
marked() { # [CONDUCTOR]
  grep -lzx "$mark" /proc/[0-9]*/environ 2>/dev/null | while read -r at; do
    number=${at#/proc/} number=${number%/environ}
    [ "$number" != "${1:-}" ] &&
      grep -qz 'tare/\(worker\|cli\)/' "/proc/$number/cmdline" &&
      echo "$number"
  done 2>/dev/null
}

# One of the run to kill: of those that there are a worker, but in each fourth
# run whichever comes.
victim_of() { # CONDUCTOR
  first=
  for number in $(marked "$1" | shuf); do
    first=${first:-$number}
    [ $((runs % 4)) != 0 ] || break
    [ "$(ps -o ppid= -p "$number" | tr -d ' ')" = "$1" ] || {
      echo "$number"
      return
    }
  done
  echo "$first"
}

# Those that are left of a run a second after its end.
left_of_run() {
  for _ in 1 2 3 4 5; do
    sleep 0.2
    [ -n "$(marked)" ] || { echo 0; return; }
  done
  marked | wc -l
}

sound=0 i=0 before=0 launches=0 workers=0 left=0 sweeps=1 after_new=0
runs=0
while [ $i -lt "$kills" ]; do
  runs=$((runs + 1))
  ./tare run "$dir/sweep_bench.lua" "$@" --quiet --resume \
    "$dir/r.json" >"$dir/table" 2>"$dir/said" &
  pid=$!
  until=$(awk -v s="$runs$$" -v m="$most" -v l="$least" \
    -v now="$(date +%s.%N)" \
    'BEGIN { srand(s); printf "%.3f", now + l + m * rand() }')
  while awk -v now="$(date +%s.%N)" -v u="$until" 'BEGIN { exit !(now < u) }' &&
    kill -0 $pid 2>/dev/null; do
    sleep "$(awk -v s="$(date +%N)" -v m="$most" \
      'BEGIN { srand(s); print 0.02 + (m < 1 ? m : 1) * rand() / 3 }')"
    victim=$(victim_of $pid)
    [ -n "$victim" ] || continue
    parent=$(ps -o ppid= -p "$victim" | tr -d ' ')
    kill -KILL "$victim" 2>/dev/null || continue
    if [ "$parent" = $pid ]; then
      launches=$((launches + 1))
    else
      workers=$((workers + 1))
    fi
  done
  kill -KILL $pid 2>/dev/null
  wait $pid 2>/dev/null
  [ $? = 137 ] && hit=1 || hit=0 # it had ended before
  i=$((i + hit))
  cat "$dir/said"
  left=$((left + $(left_of_run)))
  if count=$("$lua" "$dir/check.lua" "$dir/r.json" "$dir/old.json"); then
    sound=$((sound + hit))
    echo "kill $i: $count cells stored, $((count - before)) of them new"
    [ "$count" = "$before" ] || [ $hit = 0 ] ||
      after_new=$((after_new + 1))
    before=$count
    if [ "$count" = 120 ] && [ $i -lt "$kills" ]; then
      sweeps=$((sweeps + 1)) before=0
      rm "$dir/r.json"
    fi
  fi
  rm -f "$dir/old.json"
  [ ! -f "$dir/r.json" ] || cp "$dir/r.json" "$dir/old.json"
done
./tare run "$dir/sweep_bench.lua" "$@" --quiet --resume \
  "$dir/r.json" >"$dir/table"
count=$("$lua" "$dir/check.lua" "$dir/r.json" "$dir/old.json")
files=$(find "$TMPDIR" "$dir" -name '.*' -type f | wc -l)
files=$((files + $(find "$TMPDIR" -type f | wc -l)))
echo "$lua: after $sound of $kills kills of the conductor ($after_new of them" \
  "after a new result), $launches of launches and $workers of workers in" \
  "$sweeps sweeps, the file was sound, with every finished cell in it once;" \
  "$left processes and $files temporary files were left; resumed to the" \
  "end it has $count of 120 cells"
[ "$sound" = "$kills" ] && [ "$count" = 120 ] && [ "$left$files" = 00 ]
