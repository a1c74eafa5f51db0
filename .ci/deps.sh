#!/bin/sh
# Installs what a make target needs and the machine lacks; touches the package
# manager only when something is missing.
#   deps.sh build|demo|test|lint|e2e...     LUA= names the interpreter
set -eu
LUA=${LUA:-lua5.4}
missing=

stop() { echo "$*" >&2; exit 1; }
need() { # need PACKAGE CHECK...: remembers PACKAGE unless CHECK succeeds
  package=$1; shift
  "$@" >/dev/null 2>&1 && return
  case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
}
have() { command -v "$1"; }
header() {
  [ "$interpreter" = "$LUA" ] && [ -f "${LUA_INCDIR:-}/lua.h" ] && return
  for d in /usr/include /usr/local/include /opt/homebrew/include; do
  [ -f "$d/$1/lua.h" ] && return; done; return 1; }
module() { "$1" -e "require '$2'"; }

interpreter() { # an interpreter with its headers
  interpreter=$1
  case $1 in
    luajit*) need luajit have luajit
             need libluajit-5.1-dev header luajit-2.1 ;;
    lua5.1)  need lua5.1 have lua5.1
             need liblua5.1-0-dev header lua5.1 ;;
    lua5.[234]) need "$1" have "$1"
             need "lib$1-dev" header "$1" ;;
    lua5.5)  have lua5.5 >/dev/null || stop "build lua5.5 from its source, or" \
               "'make versions LUA55_SRC=<its folder>'" ;;
    lua[0-9]*) stop "tare is for lua5.1 to lua5.5 and luajit," \
               "not for '$1'" ;;
    *)       have "$1" >/dev/null || stop "there is no interpreter '$1'" ;;
  esac
}
modules() { # what the command line needs, for one interpreter
  need lua-argparse module "$1" argparse
  need lua-luv module "$1" luv
  need lua-cjson module "$1" cjson
}
emulated() { # TRIPLE ARCHITECTURE PROCESSOR: a compiler, and what runs programs
  need "gcc-$1" have "$1-gcc"
  need "libc6-dev-$2-cross" test -f "/usr/$1/include/stdio.h"
  need qemu-user have "qemu-$3"
}
benches() { # what the examples measure
  need lua-dkjson module "$1" dkjson
  need lua-lpeg module "$1" lpeg
  need iso-codes test -f /usr/share/iso-codes/json/iso_3166-1.json
}

for target in "$@"; do
  case $target in
    build) interpreter "$LUA" ;;
    demo) interpreter "$LUA"; modules "$LUA"; benches "$LUA" ;;
    test) for l in lua5.4 luajit; do
            interpreter $l; modules $l; benches $l
            need lua-expat module $l lxp
          done
          need lua-busted have busted
          need locales test -f /usr/share/i18n/charmaps/UTF-8.gz
          need luarocks have luarocks ;;
    versions)
      for l in lua5.1 lua5.2 lua5.3; do interpreter $l; modules $l; done ;;
    lint) need lua-check have luacheck
          need clang-format have clang-format
          need clang-tidy have clang-tidy
          need cppcheck have cppcheck ;;
    e2e) need chromium have chromium
         need valgrind have valgrind
         need parallel test -x /usr/bin/parallel
         need love have love
         need xvfb have Xvfb
         need xauth have xauth
         need neovim have nvim
         need zsh have zsh
         need fish have fish ;;
    amalgam) for l in lua5.4 luajit lua5.1 lua5.2 lua5.3; do
               interpreter $l
             done
             need g++ have g++
             need clang have clang
             need cmake have cmake
             need meson have meson
             need ninja-build have ninja
             need pkg-config have pkg-config
             need python3 have python3
             need zip have zip
             need unzip have unzip ;;
    fuzz) need clang have clang ;;
    docs) need lua-ldoc have ldoc ;;
    windows) need gcc-mingw-w64-x86-64 have x86_64-w64-mingw32-gcc ;;
    wine) need gcc-mingw-w64-x86-64 have x86_64-w64-mingw32-gcc
          need wine have wine
          need wine64 test -x /usr/lib/wine/wine64 ;;
    musl) need musl-tools have musl-gcc ;;
    i386) emulated i686-linux-gnu i386 i386 ;;
    armhf) emulated arm-linux-gnueabihf armhf arm ;;
    aarch64) emulated aarch64-linux-gnu arm64 aarch64 ;;
    s390x) emulated s390x-linux-gnu s390x s390x ;;
    ppc64el) emulated powerpc64le-linux-gnu ppc64el ppc64le ;;
    valgrind) need valgrind have valgrind ;;
    *) stop "deps.sh: unknown target '$target'" ;;
  esac
done

[ -n "$missing" ] || exit 0

# The lock of apt may be held by another; mirrors may fail for a moment.
apt() { # apt-get's words, as root, tried for five minutes
  tries=0
  until $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q \
    -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3 "$@" >"$log" 2>&1; do
    tries=$((tries + 1))
    if grep -q 'Unable to locate package' "$log" || [ $tries -ge 20 ]; then
      tail -5 "$log" >&2
      return 1
    fi
    sleep 15
  done
}

if command -v apt-get >/dev/null; then
  sudo=
  if [ "$(id -u)" != 0 ]; then
    sudo='sudo -n' # asks nothing
    $sudo true 2>/dev/null || {
      echo "tare needs these packages; as root, run" >&2
      echo "  apt-get install --no-install-recommends$missing" >&2
      exit 1
    }
  fi
  echo "installing:$missing"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # shellcheck disable=SC2086 # a list of packages
  apt update && apt install -y --no-install-recommends $missing </dev/null ||
    { echo "could not install:$missing" >&2; exit 1; }
elif command -v brew >/dev/null; then
  echo "installing lua, luajit, luarocks and rocks, for Debian's:$missing"
  brew install lua luajit luarocks
  for rock in argparse luv lua-cjson dkjson lpeg busted; do
    luarocks install "$rock"
  done
else
  echo "tare needs these packages (Debian's names):$missing" >&2
  exit 1
fi
