#!/bin/sh
# The amalgamation as hosts would compile it: with every Lua whose headers are
# here, gcc and clang, as C99 and C++17, warnings as errors; what it needs from
# outside, and what it exports; and its size, linked, stripped and without
# padding of pages. Prints a line for each compiler and Lua, and fails where one
# of these does not hold.
# Without one of the compilers it fails too: 'make amalgam-check' installs both.
# usage: amalgam.sh FOLDER (with tare.c and tare.h) [SOURCE-OF-5.5]
set -u
folder=$1
most_bytes=600000
# Calls that no host expects of a library.
unwanted='exit|_exit|_Exit|abort|v?f?printf|puts|fputs|fopen|fwrite|fflush'
unwanted="$unwanted|stdout|stderr|signal|sigaction|malloc|calloc|free|fork"

# Writable data of an object: bytes in .data and .bss.
writable() {
  size -A "$1" | awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ { n += $2 }
    END { print n + 0 }'
}

check() { # compiler, headers: their folder, in /usr/include or whole
  case $2 in /*) headers=$2 ;; *) headers=/usr/include/$2 ;; esac
  name=$folder/$1-$(echo "$2" | tr / -)
  object=$name.o library=$name.so
  rm -f "$object" "$library"
  for as in "c++ -std=c++17" "c -std=c99"; do
    # shellcheck disable=SC2086 # two words
    "$1" -x $as -Wall -Wextra -Wshadow -pedantic -Werror -O2 -fPIC \
      -ffp-contract=off -DNDEBUG -I"$headers" -c -o "$object" \
      "$folder/tare.c" ||
      { echo "$2, $1: does not compile with -x $as"; return 1; }
  done
  if nm -u "$object" | grep -wE "$unwanted"; then
    echo "$2, $1: calls what no host expects"
    return 1
  fi
  writable_bytes=$(writable "$object")
  [ "$writable_bytes" = 0 ] ||
    { echo "$2, $1: $writable_bytes bytes of writable data"; return 1; }
  "$1" -shared -s -Wl,-z,noseparate-code -o "$library" "$object" -lm ||
    { echo "$2, $1: does not link"; return 1; }
  exported=$(nm -D --defined-only "$library" |
    awk '$2 ~ /[TDBRVW]/ { print $3 }')
  for one in $exported; do
    grep -qw "$one" "$folder/tare.h" ||
      { echo "$2, $1: exports $one, which tare.h does not have"; return 1; }
  done
  bytes=$(wc -c <"$library")
  rm -f "$object" "$library"
  [ "$bytes" -le "$most_bytes" ] ||
    { echo "$2, $1: $bytes bytes, more than $most_bytes"; return 1; }
  echo "  $2, $1: C99 and C++17 without a warning, $bytes bytes stripped"
}

if [ $# = 3 ]; then # one check: amalgam.sh FOLDER COMPILER HEADERS
  check "$2" "$3"
  exit
fi
{
  for headers in lua5.4 luajit-2.1 lua5.1 lua5.2 lua5.3; do
    [ -f "/usr/include/$headers/lua.h" ] && echo $headers
  done
  for headers in "${2:-}" "${2:-}/src"; do
    [ -f "$headers/lua.h" ] && [ -n "${2:-}" ] && echo "$headers"
  done
} | while read -r headers; do
  for cc in gcc clang; do echo "$folder" "$cc" "$headers"; done
done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh "$0" ||
  { echo "the amalgamation FAILED"; exit 1; }
