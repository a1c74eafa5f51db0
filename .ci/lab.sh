#!/bin/sh
# Experiments: minutes to hours, figures for the docs, some with a limit of their
# own. Each is spec/lab/NAME.sh or .lua; what only it needs is in spec/lab/NAME/.
#   lab.sh                  lists them by their first comment
#   lab.sh NAME [ARG...]    builds and runs one
# A .sh runs once; a .lua runs on each interpreter of LUAS, which finds this
# checkout's modules (LUA_PATH, LUA_CPATH) and its own name (TARE_LUA).
set -eu
luas=${LUAS:-lua5.4 luajit}

if [ $# = 0 ]; then
  echo "make lab NAME=... [ARGS='...'] [LUAS='$luas']"
  for file in spec/lab/*.sh spec/lab/*.lua; do
    name=${file##*/}
    case $name in *_bench.lua) continue ;; esac # what experiments measure
    printf '  %-16s %s\n' "${name%.*}" "$(sed -n '
      /^#!/d
      s/^\(#\|--\) //
      p
      q' "$file")"
  done
  exit
fi

name=$1
shift
for lua in $luas; do
  ${MAKE:-make} -s --no-print-directory LUA="$lua" build
done
export LUAS="$luas" LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;'
if [ -f "spec/lab/$name.sh" ]; then
  exec sh "spec/lab/$name.sh" "$@"
elif [ -f "spec/lab/$name.lua" ]; then
  for lua in $luas; do
    echo "== $lua"
    LUA="$lua" TARE_LUA="$lua" LUA_CPATH="build/$lua/?.so;;" \
      "$lua" "spec/lab/$name.lua" "$@"
  done
else
  echo "there is no experiment '$name'; 'make lab' lists them" >&2
  exit 1
fi
