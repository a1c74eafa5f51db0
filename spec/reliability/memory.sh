#!/bin/sh
# Every allocation refused in turn, in every scenario of
# spec/support/hosts/memory.lua: what was tried, and the sums.
#   memory.sh LUA [DENSITY]      BUILD_PREFIX= picks the build
set -u
lua=$1 density=${2:-}
build=${BUILD_PREFIX:-build/}$lua
export LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH="$build/?.so;;"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
try() { timeout 1200 "$build/hosts/host" spec/support/hosts/memory.lua "$@"; }
for scenario in $(try); do
  try "$scenario" $density >>"$log" 2>&1 ||
    { failed=$((failed + 1)); echo "$lua: $scenario failed"; tail -3 "$log"; }
done
sed "s/^/$lua /" "$log"
awk -v lua="$lua" -v failed="$failed" '{ a += $2; r += $4; e += $7; d += $9; n++ }
  END { printf "%s: %d scenarios, %d attempts, %d requests refused, " \
    "%d errors, %d finalizers dropped by Lua; %d scenarios failed\n", \
    lua, n, a, r, e, d, failed }' "$log"
[ "$failed" = 0 ]
