#!/bin/sh
# What a host pays: memory of an idle session and of batches, the library's size.
set -eu
${MAKE:-make} -s --no-print-directory amalgam >/dev/null
for pair in lua5.4:lua5.4 luajit-2.1:luajit-5.1; do
  echo "== ${pair%:*}"
  ${CC:-cc} -std=c99 -O2 -DNDEBUG -ffp-contract=off \
    -I"/usr/include/${pair%:*}" -Ibuild/amalgam -o build/amalgam/checks \
    spec/support/embed_checks.c build/amalgam/tare.c -l"${pair#*:}" -lm -ldl \
    -lpthread
  build/amalgam/checks idle
  lua=${pair%%-*}
  lua=${lua%:*}
  printf 'require "tare", kB of Lua heap: '
  LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' LUA_CPATH="build/$lua/?.so;;" \
    "$lua" -e 'load = loadstring or load
      load(require("spec.support.footprint").REQUIRED)()'
  build/amalgam/checks batch
done
sh .ci/amalgam.sh build/amalgam
