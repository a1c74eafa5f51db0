#!/bin/sh
# The vector of the examples: time per element, with the collector and without.
# Three runs of examples/vector_bench.lua, and a table of the three.
set -eu
export LUA_CPATH='build/lua5.4/?.so;;'
for i in 1 2 3; do
  LUA=lua5.4 ./tare run examples/vector_bench.lua --gc-mode generational \
    --quota "${1:-2s}" --format json -o build/story$i.json \
    >build/story.log 2>&1 || { cat build/story.log; exit 1; }
done
lua5.4 spec/lab/story/rows.lua build/story[123].json
