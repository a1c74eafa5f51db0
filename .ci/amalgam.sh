#!/bin/sh
# The amalgamation as hosts would compile it: with every Lua whose headers are
# here, gcc and clang, as C99 and C++17, warnings as errors; what it needs from
# outside; and its size, linked, stripped and without padding of pages. Prints,
# and fails where it should.
# usage: amalgam.sh FOLDER (with tare.c and tare.h)
set -u
folder=$1
most_bytes=400000
# Calls that no host expects of a library.
unwanted='exit|_exit|_Exit|abort|v?f?printf|puts|fputs|fopen|fwrite|fflush'
unwanted="$unwanted|stdout|stderr|signal|sigaction|malloc|calloc|free|fork"
failed=0
fail() {
  echo "  FAILED: $*"
  failed=1
}

build() { # compiler, language, standard, headers
  "$1" -x "$2" -std="$3" -Wall -Wextra -pedantic -Werror -O2 -fPIC \
    -ffp-contract=off -DNDEBUG -I"/usr/include/$4" -c -o "$folder/tare.o" \
    "$folder/tare.c" || fail "$1 -std=$3 with $4"
}

# Writable data of an object: bytes in .data and .bss.
writable() {
  size -A "$1" | awk '$1 ~ /^\.(data|bss|tdata|tbss)$/ { n += $2 }
    END { print n + 0 }'
}

check() { # compiler, headers
  build "$1" c++ c++17 "$2"
  build "$1" c c99 "$2"
  nm -u "$folder/tare.o" | grep -wE "$unwanted" && fail "unwanted calls"
  writable_bytes=$(writable "$folder/tare.o")
  [ "$writable_bytes" = 0 ] || fail "$writable_bytes bytes of writable data"
  "$1" -shared -s -Wl,-z,noseparate-code -o "$folder/tare.so" "$folder/tare.o" -lm
  bytes=$(wc -c <"$folder/tare.so")
  echo "  $2, $1: C99 and C++17 without a warning, $bytes bytes stripped"
  [ "$bytes" -le "$most_bytes" ] || fail "more than $most_bytes bytes"
}

for headers in lua5.4 luajit-2.1 lua5.1 lua5.2 lua5.3; do
  [ -f "/usr/include/$headers/lua.h" ] || continue
  for cc in gcc clang; do
    if command -v "$cc" >/dev/null 2>&1; then
      check "$cc" "$headers"
    else
      echo "  no $cc: skipped"
    fi
  done
done
rm -f "$folder/tare.o" "$folder/tare.so"
exit $failed
