#!/bin/sh
# Ten benches on several interpreters in lockstep, and each by itself (minutes).
# Prints the table of the lockstep run and, for each bench, its ratio to the first
# interpreter both ways: do the intervals overlap?
#   interpreters.sh [LUA,LUA... = lua5.1,lua5.3,lua5.4,lua5.5,luajit] [QUOTA = 1s]
set -eu
luas=${1:-lua5.1,lua5.3,lua5.4,lua5.5,luajit} quota=${2:-1s}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PATH=$PWD/build/lua-5.5/bin:$PATH # of 'make versions'
benches=spec/lab/interpreters/ten_bench.lua
./tare run $benches --lua "$luas" --quota "$quota" \
  --format text --format json -o "$folder/together.json" || [ $? = 2 ]
for lua in $(echo "$luas" | tr , ' '); do
  ./tare run $benches --lua "$lua" --quota "$quota" -q --format json \
    -o "$folder/$(basename "$lua").json"
done
LUA_CPATH='build/lua5.4/?.so;;' lua5.4 spec/lab/interpreters/compare.lua \
  "$folder" "$luas"
