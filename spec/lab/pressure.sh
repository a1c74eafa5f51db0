#!/bin/sh
# Runs in a loop, with too little memory and a disk that is full now and then
# (minutes). Whether each stored file is sound and keeps every result, what
# could not be is told in sentences, and no process or temporary file is left.
#   pressure.sh [SECONDS = 900]       LUA= picks the interpreter
# The disk is a small tmpfs in a namespace of its own, for which root is needed.
# Runs resume one file until it is complete, write a page beside it, and every
# fifth writes to /dev/full. Where luv finds no memory it aborts or ends the
# process: that is counted, and what was stored has to be there all the same.
set -u
seconds=${1:-900}
if [ -z "${TARE_PRESSURE:-}" ]; then
  TARE_PRESSURE=$$ exec unshare -m sh "$0" "$seconds"
fi
lua=${LUA:-lua5.4}
export LUA_PATH="lua/?.lua;lua/?/init.lua;;" LUA_CPATH="build/$lua/?.so;;"
export TARE_PRESSURE
dir=$(mktemp -d)
trap 'rm -rf "$dir/tide"; sleep 1; umount "$dir/disk"; rm -rf "$dir"' EXIT
mkdir "$dir/disk" "$dir/tmp"
mount -t tmpfs -o size=1m tmpfs "$dir/disk" || exit 1
cat >"$dir/s_bench.lua" <<'END'
local tare = require "tare"
local suite = tare.suite "s"
suite:bench("fill", { params = { n = tare.range(1, 24) },
  run = function(p) local t = {} for i = 1, p.n do t[i] = i end return t end })
return suite
END
cat >"$dir/check.lua" <<'END'
-- check.lua NEW OLD: NEW is sound, and has each result of OLD unchanged; prints
-- how many it has
local store = require "tare.store"
local function read(path)
  local file = io.open(path)
  if not file then return {} end
  local is_empty = file:read(1) == nil
  file:close()
  return is_empty and {} or assert(store.read(path)).results
end
local seen, count = {}, 0
for _, result in ipairs(read(arg[1])) do
  assert(not seen[result.id], result.id .. " is there twice")
  seen[result.id], count = result, count + 1
end
for _, result in ipairs(read(arg[2])) do
  local now = assert(seen[result.id], result.id .. " was lost")
  assert(table.concat(now.samples.wall_ns, " ")
    == table.concat(result.samples.wall_ns, " "), result.id .. " has changed")
end
print(count)
END

random() { # BELOW: a number
  shuf -n 1 -i 0-$(($1 - 1))
}

# Fills the disk, and empties it again.
tide() {
  while [ -d "$dir/tide" ]; do
    sleep "$(random 4).$(random 10)"
    cat /dev/zero >"$dir/disk/fill" 2>/dev/null
    sleep "0.$(random 8)"
    rm -f "$dir/disk/fill"
  done
}
mkdir "$dir/tide"
tide &

processes() { # of runs that have ended
  grep -lzx "TARE_PRESSURE=$TARE_PRESSURE" /proc/[0-9]*/environ 2>/dev/null |
    while read -r at; do
      tr '\0' ' ' 2>/dev/null <"${at%environ}cmdline" |
        grep 'tare/\(worker\|cli\)/'
    done
}

# The least address space in which it loads, in kB: some more is too little for a
# run, or is enough.
least=4000
until (ulimit -v $least
  exec "$lua" lua/tare/cli/bin.lua list "$dir/s_bench.lua") >/dev/null 2>&1; do
  least=$((least + 250))
done

# What no reader should see.
rough='traceback|attempt to|\.lua:[0-9]+: |internal error|Segmentation'
until=$(($(date +%s) + seconds)) runs=0 whole=0 refused=0 sweeps=0 aborted=0 faults=0
fault() {
  faults=$((faults + 1))
  echo "run $runs ($what): $*"
}
while [ "$(date +%s)" -lt $until ]; do
  runs=$((runs + 1)) what="disk" limit=unlimited place=$dir/disk/r.json
  case $((runs % 5)) in
  1 | 3) limit=$((least + $(random 3500))) what="$limit kB" ;;
  4) place=/dev/full what=/dev/full ;;
  esac
  cp "$dir/disk/r.json" "$dir/old.json" 2>/dev/null || : >"$dir/old.json"
  option=--resume
  [ "$place" != /dev/full ] || option=--save
  (ulimit -v $limit 2>/dev/null
    TMPDIR=$dir/tmp exec "$lua" lua/tare/cli/bin.lua run "$dir/s_bench.lua" \
      --quota 10ms --launches 1 --quiet $option "$place" --format text \
      --format html -o "$dir/disk/page.html") >"$dir/out" 2>"$dir/said"
  code=$?
  case $code in
  0) whole=$((whole + 1)) ;;
  1 | 2) refused=$((refused + 1)) ;;
  134 | 255) if grep -Eq "luv_alloc_cb: Assertion|^System Error: not enough" \
    "$dir/said"; then
    aborted=$((aborted + 1))
  else
    fault "$(head -c 300 "$dir/said")"
  fi ;;
  *) fault "exit code $code: $(head -c 300 "$dir/said")" ;;
  esac
  if grep -Eq "$rough" "$dir/said"; then fault "$(head -c 300 "$dir/said")"; fi
  sed "s|$dir|DIR|g" "$dir/said" >>"$dir/all_said"
  [ $code = 0 ] || [ -s "$dir/said" ] || [ $code = 2 ] || fault "says nothing"
  if count=$("$lua" "$dir/check.lua" "$dir/disk/r.json" "$dir/old.json" \
    2>"$dir/wrong"); then
    # A run that was well has stored all, where its place can hold it.
    [ $code != 0 ] || [ "$place" = /dev/full ] || [ "$count" = 24 ] ||
      fault "exit code 0, and $count of 24 stored"
  else
    fault "$(head -1 "$dir/wrong")"
    count=24
  fi
  [ "$place" != /dev/full ] || [ $code = 1 ] || fault "exit code $code"
  if [ "$count" = 24 ]; then
    sweeps=$((sweeps + 1))
    rm -f "$dir/disk/r.json"
  fi
  left=$(find "$dir/tmp" "$dir/disk" -type f ! -name r.json ! -name page.html \
    ! -name fill)
  [ -z "$left" ] || { fault "left $left"; echo "$left" | xargs rm -f; }
  rm -f "$dir/disk/page.html"
done
sleep 1
left=$(processes)
[ -z "$left" ] || fault "left running: $left"
sort "$dir/all_said" | uniq -c | sort -rn | head -20
echo "$lua: $runs runs in $seconds s, $whole well, $refused refused, $aborted" \
  "aborted by luv;" \
  "$sweeps sweeps completed; $faults faults"
[ $faults = 0 ]
