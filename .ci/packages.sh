#!/bin/sh
# Packages for engines, made of the amalgamation and of packages/, where 'VERSION'
# between two @ becomes the version:
#   packages.sh make FOLDER VERSION    FOLDER/amalgam -> FOLDER/packages
#     tare/                   source: a subproject of CMake and Meson, a port of
#                             vcpkg's, a recipe of Conan's
#     tare-defold-VERSION.zip    a native extension
#     tare-love-VERSION.zip      for LOEVE, with a library for this machine
#   packages.sh check FOLDER           builds and runs each as far as the tools
#     of this machine go, without a network; fails where one does not work
set -eu
what=$1 folder=$(cd "$2" && pwd)
out=$folder/packages
here=$PWD/spec/support/packages

filled() { # FROM TO: a folder of packages/, with the version in its files
  mkdir -p "$2"
  cp -R "packages/$1/." "$2"
  find "$2" -type f -exec sed -i.was "s/@VERSION@/$version/" {} +
  find "$2" -name '*.was' -delete
  cp LICENSE "$2"
}

sources() { # FOLDER-OF-C [FOLDER-OF-HEADERS]
  mkdir -p "$1" "${2:-$1}"
  cp "$folder/amalgam/tare.c" "$1"
  cp "$folder/amalgam/tare.h" "${2:-$1}"
}

zipped() { # NAME: the folder and the zip beside it
  (cd "$out" && rm -f "$1.zip" && zip -q -X -r "$1.zip" "$1")
}

make_all() {
  version=$1
  rm -rf "$out"
  filled source "$out/tare"
  sources "$out/tare"
  filled defold "$out/tare-defold-$version"
  sources "$out/tare-defold-$version/tare/src" \
    "$out/tare-defold-$version/tare/include"
  zipped "tare-defold-$version"
  love=$out/tare-love-$version
  filled love "$love"
  sources "$love/src"
  mv "$love/module.c" "$love/src/"
  cp examples/love/*.lua "$love/"
  # It has its own library: no paths are to be set.
  sed -i.was -e '/LUA_PATH=/d' -e 's|^--     love examples/love|--   love .|' \
    "$love/main.lua"
  rm "$love/main.lua.was"
  ${CC:-cc} -O2 -ffp-contract=off -DNDEBUG -fPIC -shared -s \
    -I/usr/include/luajit-2.1 "$love/src/tare.c" "$love/src/module.c" -lm \
    -o "$love/tare.so"
  zipped "tare-love-$version"
}

said() { # WHAT COMMAND...: prints a line, or what the command said
  name=$1
  shift
  if "$@" >"$tmp/log" 2>&1; then echo "  $name"; else
    cat "$tmp/log"
    echo "$name: FAILED"
    exit 1
  fi
}

cmake_subproject() { # LUA HOW-IT-IS-GIVEN...
  lua=$1
  shift
  cmake -S "$here/cmake" -B "$tmp/cmake-$lua" -DTARE="$out/tare" \
    -DLUA="$lua" "$@" &&
    cmake --build "$tmp/cmake-$lua" && "$tmp/cmake-$lua/host"
}
cmake_installed() { # the port's recipe, with stand-ins for vcpkg's functions
  cmake -DPORT="$out/tare" -DPREFIX="$tmp/vcpkg" \
    -P "$here/vcpkg.cmake" && test -f "$tmp/vcpkg/share/tare/copyright" &&
    cmake -S "$here/installed" -B "$tmp/installed" -DLUA=lua5.4 \
      -DCMAKE_PREFIX_PATH="$tmp/vcpkg" &&
    cmake --build "$tmp/installed" && "$tmp/installed/host"
}
meson_subproject() { # LUA
  mkdir -p "$tmp/meson/subprojects"
  cp "$here/host.c" "$here"/meson* "$tmp/meson/"
  ln -sfn "$out/tare" "$tmp/meson/subprojects/tare"
  meson setup --wrap-mode=nodownload -Dlua="$1" -Dtare:lua="$1" -Dwerror=true \
    "$tmp/meson-$1" "$tmp/meson" && ninja -C "$tmp/meson-$1" &&
    "$tmp/meson-$1/host"
}
defold() { # with a stand-in for the headers of Defold; those of Lua are 5.1's
  unzip -q "$1" -d "$tmp" && extension=$(echo "$tmp"/tare-defold-*/tare) &&
    sdk="-isystem $here -I/usr/include/lua5.1 -I$extension/include" &&
    ${CC:-cc} -std=c99 -O1 -Wall -Wextra -Werror $sdk \
      -c "$extension/src/tare.c" -o "$tmp/tare.o" &&
    ${CXX:-c++} -std=c++11 -O1 -Wall -Wextra -Werror $sdk \
      "$extension/src/extension.cpp" "$here/engine.cpp" "$tmp/tare.o" \
      -o "$tmp/engine-$2" "-l$2" -lm -ldl && "$tmp/engine-$2"
  rm -rf "$tmp"/tare-defold-*
}
love_zip() {
  unzip -q "$1" -d "$tmp" && cd "$tmp"/tare-love-* &&
    LUA_PATH=/nowhere LUA_CPATH='./?.so' luajit -e '
      local tare = require "tare"
      local recorder = tare.frames()
      recorder:push(1e6)
      assert(tare.render(recorder, "json"):find "frames 1")'
}

in_love() { # no path is set: it finds what is in its folder
  unzip -q "$1" -d "$tmp/game" &&
    HOME=$tmp XDG_DATA_HOME=$tmp SDL_AUDIODRIVER=dummy LUA_PATH=/nowhere \
      LUA_CPATH=/nowhere timeout -k 2 60 xvfb-run -a \
      love "$tmp"/game/tare-love-* quit-early
}

check_all() {
  tmp=$(mktemp -d)
  trap 'rm -rf "$tmp"' EXIT
  said "CMake, subproject, lua5.4 as a target" cmake_subproject lua5.4 \
    -DTARE_LUA_TARGET=its_lua -DINCLUDES=/usr/include/lua5.4
  said "CMake, subproject, luajit in a folder" cmake_subproject luajit-5.1 \
    -DTARE_LUA_INCLUDE_DIR=/usr/include/luajit-2.1
  said "vcpkg's recipe (stand-ins for its functions), find_package" \
    cmake_installed
  for lua in lua5.4 luajit; do
    said "Meson, subproject, $lua" meson_subproject $lua
  done
  for lua in lua5.1 luajit-5.1; do
    said "Defold's extension (a stand-in for its headers), $lua" \
      defold "$out"/tare-defold-*.zip $lua
  done
  said "LOEVE's zip, in luajit" love_zip "$out"/tare-love-*.zip
  if command -v love >/dev/null && command -v xvfb-run >/dev/null; then
    said "LOEVE's zip, in LOEVE" in_love "$out"/tare-love-*.zip
  fi
  said "Conan's recipe, its syntax" python3 -c \
    "compile(open('$out/tare/conanfile.py').read(), 'conanfile.py', 'exec')"
  said "vcpkg.json" python3 -m json.tool "$out/tare/vcpkg.json"
}

case $what in
  make) make_all "$3" ;;
  check) check_all ;;
esac
