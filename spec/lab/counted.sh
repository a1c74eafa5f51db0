#!/bin/sh
# What tare reports of the collector, against a Lua 5.4 or 5.5 that counts (LUA_SRC),
# or a LuaJIT (LUAJIT_SRC: apt-get source luajit). Builds that interpreter from its
# source, with counters in its collector, in OUT (build/counted). RUNS, QUOTA,
# LIVES, MODES, WORKLOADS: see spec/lab/counted/compare.lua.
set -eu
source=${LUA_SRC:-../shared/lua/lua-5.4.8} out=${OUT:-build/counted}
[ -n "${LUAJIT_SRC:-}" ] || [ -f "$source/lgc.c" ] || [ -f "$source/src/lgc.c" ] ||
  { echo "no source of Lua 5.4 or 5.5 in '$source': LUA_SRC=FOLDER" >&2; exit 1; }
LUA_PATH="./?.lua;lua/?.lua;lua/?/init.lua;;"
export LUA_PATH
if [ -n "${LUAJIT_SRC:-}" ]; then
  rm -rf $out/luajit
  mkdir -p $out/luajit
  lua5.4 spec/lab/counted/counting_lua.lua "$LUAJIT_SRC" $out/luajit
  ${MAKE:-make} -s -C $out/luajit/src BUILDMODE=static >$out/build.log
  for lua in lua5.4 luajit; do
    ${MAKE:-make} -s --no-print-directory LUA=$lua build >>$out/build.log
  done
  LUA_CPATH="build/lua5.4/?.so;;" lua5.4 spec/lab/counted/compare.lua \
    $out/luajit/src/luajit "${LOG:-$out/log}" luajit
  exit
fi
rm -rf $out/src
mkdir -p $out/src
lua5.4 spec/lab/counted/counting_lua.lua "$source" $out/src
${CC:-cc} -std=gnu99 -O2 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E \
  -o $out/${out##*/} $out/src/*.c -lm -ldl
${MAKE:-make} -s --no-print-directory LUA=lua5.4 BUILD=$out \
  LUA_INCDIR=$out/src build >$out/build.log
${MAKE:-make} -s --no-print-directory LUA=lua5.4 build >>$out/build.log
LUA_CPATH="build/lua5.4/?.so;;" lua5.4 spec/lab/counted/compare.lua \
  $out/${out##*/} "${LOG:-$out/log}"
