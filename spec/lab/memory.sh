#!/bin/sh
# Every allocation refused in turn, in every scenario (minutes).
# The scenarios are those of spec/support/hosts/memory.lua; all k on the plain
# build, then every DENSITY-th on one with the address sanitizer.
#   memory.sh [DENSITY = 20]
set -eu

refuse() { # LUA BUILD [DENSITY]: what was tried, and the sums
  lua=$1 build=$2 density=${3:-}
  export LUA_CPATH="$build/?.so;;"
  log=$(mktemp)
  failed=0
  try() {
    timeout 1200 "$build/hosts/host" spec/support/hosts/memory.lua "$@"
  }
  for scenario in $(try); do
    # shellcheck disable=SC2086 # absent, or a number
    try "$scenario" $density >>"$log" 2>&1 ||
      { failed=$((failed + 1)); echo "$lua: $scenario failed"; tail -3 "$log"; }
  done
  sed "s/^/$lua /" "$log"
  awk -v lua="$lua" -v failed="$failed" '{ a += $2; r += $4; e += $7
      d += $9; n++ }
    END { printf "%s: %d scenarios, %d attempts, %d requests refused, " \
      "%d errors, %d finalizers dropped by Lua; %d scenarios failed\n", \
      lua, n, a, r, e, d, failed }' "$log"
  rm -f "$log"
  [ "$failed" = 0 ]
}

make=${MAKE:-make}
for lua in $LUAS; do
  $make -s --no-print-directory LUA="$lua" hosts
  refuse "$lua" "build/$lua"
  $make -s --no-print-directory LUA="$lua" asan-build
  ASAN_OPTIONS=detect_leaks=0 refuse "$lua" "build/asan-$lua" "${1:-20}"
done
