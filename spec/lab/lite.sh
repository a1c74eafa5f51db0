#!/bin/sh
# tare.lite beside tare run: ten functions in alternating runs (minutes).
# Prints for each the median over the runs of the wall time per call, both ways.
# Both heaps are as large.
#   lite.sh [RUNS = 5] [QUOTA in seconds = 0.5]
set -eu
runs=${1:-5} quota=${2:-0.5}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
benches=spec/lab/interpreters/ten_bench.lua
for lua in $LUAS; do
  echo "== $lua, $runs runs of $quota s each"
  for run in $(seq "$runs"); do
    LUA=$lua ./tare run $benches --quota "${quota}s" --launches 1 -q \
      --format json -o "$folder/tare-$run.json"
    LUA_CPATH="build/$lua/?.so;;" "$lua" spec/lab/lite/run.lua $benches \
      "$quota" "$folder/made.json" "$folder/tare-$run.json"
    LUA=$lua ./tare report "$folder/made.json" --format json \
      -o "$folder/lite-$run.json"
  done
  LUA_CPATH='build/lua5.4/?.so;;' lua5.4 spec/lab/lite/compare.lua "$folder" \
    "$runs"
done
