#!/bin/sh
# How well --machine-instructions repeats, and what a gate of 0.5 % on it does.
#   machine.sh [RUNS [GATED]]   20 runs of ten benches; 50 runs of a gate each way
# Each run has an environment of another length.
set -eu
runs=${1:-20} gated=${2:-50}
bench=spec/lab/machine/ten_bench.lua
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { # NUMBER OPTION...
  number=$1; shift
  MADE_LONGER=$(printf "%$((number * 37))s" x) ./tare run "$bench" -q \
    --quota 5ms --launches 1 --no-split --progress never --machine-instructions "$@"
}

for LUA in ${LUAS:-lua5.4 luajit}; do
  export LUA
  echo "== $LUA: $runs runs, instructions per call: least, most, spread"
  i=0
  while [ $i -lt "$runs" ]; do
    i=$((i + 1))
    run $i --save "$folder/$i.json"
    ./tare report "$folder/$i.json" -f csv >"$folder/$i.csv"
  done
  awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++)
      if ($i == "machine_instructions_instructions") at = i; next }
    { v = $at; if (!($1 in least)) { order[++n] = $1; least[$1] = most[$1] = v }
      if (v < least[$1]) least[$1] = v; if (v > most[$1]) most[$1] = v }
    END { for (i = 1; i <= n; i++) { id = order[i]; printf "%-14s %12.2f %12.2f %8.4f %%\n",
      id, least[id], most[id], 100 * (most[id] / least[id] - 1) } }' "$folder"/*.csv

  WORK=1000 run 0 --filter ten/sum --save "$folder/base.json"
  for work in 1000 1010; do
    i=0 failed=0
    while [ $i -lt "$gated" ]; do
      i=$((i + 1)) code=0
      WORK=$work run $i --filter ten/sum \
        --baseline "$folder/base.json" --fail-on 'machine_instructions>0.5%' \
        >/dev/null 2>&1 || code=$?
      [ $code != 3 ] || failed=$((failed + 1))
      [ $code = 0 ] || [ $code = 3 ] || echo "exit code $code"
    done
    echo "$LUA: work of $work for 1000: the gate failed in $failed of $gated runs"
  done
  rm -f "$folder"/*
done
