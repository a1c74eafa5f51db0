#!/bin/sh
# Do runs repeat, and are twins called the same? (a minute a run and interpreter)
# Runs twelve functions, each twice, again and again, and says how many of the
# intervals hold the median of all runs, and how many of the twins are called
# different, and what gates on time say of one run against another. BUSY=n puts as
# many busy loops beside; BENCH=power_bench takes functions of which one of each
# pair does 1 % more.
#   twins.sh [RUNS = 10] [QUOTA = 1s] [LUAS = 'lua5.4 luajit']
set -u
runs=${1:-10} quota=${2:-1s} luas=${3:-lua5.4 luajit}
dir=$(mktemp -d)
loops=
finish() {
  for loop in $loops; do kill "$loop"; done
  rm -rf "$dir"
}
trap finish EXIT
for _ in $(seq "${BUSY:-0}"); do
  sh -c 'while :; do :; done' &
  loops="$loops $!"
done
for lua in $luas; do
  make -s --no-print-directory LUA="$lua" build >/dev/null || exit 1
  for run in $(seq "$runs"); do
    LUA=$lua ./tare run "spec/lab/twins/${BENCH:-pairs_bench}.lua" --quota "$quota" --quiet \
      --save "$dir/$lua-$run.json" >/dev/null
  done
done
for lua in $luas; do
  echo "== $lua"
  LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
    LUA_CPATH="build/$lua/?.so;;"
  export LUA_PATH LUA_CPATH
  "$lua" spec/lab/twins/pairs.lua "$dir/$lua"-*.json
  TWINS=1 "$lua" spec/lab/twins/repeats.lua "$dir/$lua"-*.json
  "$lua" spec/lab/twins/gates.lua 500 "$dir/$lua"-*.json
done
