#!/bin/sh
# A host in C whose every k-th allocation is refused, for every k (minutes).
#   refused.sh [BY = 1]: only every BY-th k
set -eu
${MAKE:-make} -s --no-print-directory amalgam >/dev/null
for pair in lua5.4:lua5.4 luajit-2.1:luajit-5.1; do
  echo "== ${pair%:*}"
  ${CC:-cc} -std=c99 -O2 -DNDEBUG -ffp-contract=off \
    -I"/usr/include/${pair%:*}" -Ibuild/amalgam -o build/amalgam/checks \
    spec/support/embed_checks.c build/amalgam/tare.c -l"${pair#*:}" -lm -ldl \
    -lpthread
  build/amalgam/checks refuse 1 "${1:-1}"
done
