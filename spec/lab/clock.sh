#!/bin/sh
# Does time follow the core's clock? (a minute a run; the clock must change)
# Runs four functions, from the core's work alone to a walk through memory, again
# and again, and says how their time goes with the length of a cycle.
#   clock.sh [RUNS = 10] [QUOTA = 2s] [PAUSE = 20 s between runs]
set -u
runs=${1:-10} quota=${2:-2s} pause=${3:-20}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for run in $(seq "$runs"); do
  for lua in $LUAS; do
    LUA=$lua ./tare run spec/lab/clock/clock_bench.lua --quota "$quota" \
      --quiet --save "$dir/$lua-$run.json" >/dev/null
  done
  sleep "$pause"
done
for lua in $LUAS; do
  echo "== $lua"
  LUA_CPATH="build/$lua/?.so;;" "$lua" spec/lab/clock/exponents.lua \
    "$dir/$lua"-*.json
done
