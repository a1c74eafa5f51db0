#!/bin/sh
# How often tare.assert is right, in busted runs beside a busy loop (10 minutes).
#   assert.sh [RUNS = 50]: of each case on each interpreter. 'none' claims what is true and must never fail; the others
# claim what is not (one more table a call, 10 % more time) and must fail.
set -u
runs=${1:-50}
busted=$(command -v busted)
while :; do :; done &
busy=$!
trap 'kill $busy 2>/dev/null' EXIT INT TERM

for lua in ${LUAS:-lua5.4 luajit}; do
  for case in none allocations bytes instructions time growth; do
    i=0 failed=0
    began=$(date +%s)
    while [ $i -lt "$runs" ]; do
      i=$((i + 1))
      TARE_CASE=$case LUA_PATH="lua/?.lua;lua/?/init.lua;;" \
        LUA_CPATH="build/$lua/?.so;;" timeout 60 $lua "$busted" --ignore-lua \
        spec/lab/assert/cases.lua >build/assert.log 2>&1 ||
        failed=$((failed + 1))
      # whatever fails must have failed as an assertion does
      grep -q '0 errors' build/assert.log || { cat build/assert.log; exit 1; }
    done
    printf '%-7s %-13s failed %2d of %d (%d s)\n' "$lua" $case $failed "$runs" \
      $(($(date +%s) - began))
  done
done
