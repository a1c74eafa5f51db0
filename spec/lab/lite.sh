#!/bin/sh
# tare.lite beside tare run: ten functions in alternating runs (minutes).
# Prints for each the median over the runs of the processor's time per call,
# both ways. Both measure in workers of tare run, each function alone in a
# process and beside the same heap, and one function after the other: what is
# compared is how they measure, and not what they measure beside.
#   lite.sh [RUNS = 15] [QUOTA in seconds = 0.2] [ORDER = sequential]
# With the order 'interleaved', tare's benches take turns, as they do by
# default, and lite's don't.
set -eu
runs=${1:-15} quota=${2:-0.2} order=${3:-sequential}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
benches=spec/lab/interpreters/ten_bench.lua
export LITE_FILE=$benches LITE_QUOTA=$quota LITE_FOLDER=$folder
for lua in $LUAS; do
  echo "== $lua, $runs runs of $quota s each"
  for run in $(seq "$runs"); do
    LUA=$lua ./tare run $benches --quota "${quota}s" --launches 1 -q \
      -X "order=$order" --format json -o "$folder/tare-$run.json"
    LUA=$lua ./tare run spec/lab/lite/lite_bench.lua --iters 1 -q
    for i in 1 2 3 4 5 6 7 8 9 10; do
      LUA=$lua ./tare report "$folder/$i.json" --format json \
        -o "$folder/lite-$run-$i.json"
    done
  done
  LUA_CPATH='build/lua5.4/?.so;;' lua5.4 spec/lab/lite/compare.lua "$folder" \
    "$runs"
done
