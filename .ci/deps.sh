#!/bin/sh
# Installs what a make target needs and the machine lacks; touches the package
# manager only when something is missing.
#   deps.sh build|demo|test|lint|e2e...     LUA= names the interpreter
set -eu
LUA=${LUA:-lua5.4}
missing=

need() { # need PACKAGE CHECK...: remembers PACKAGE unless CHECK succeeds
  package=$1; shift
  "$@" >/dev/null 2>&1 && return
  case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
}
have() { command -v "$1"; }
header() { for d in /usr/include /usr/local/include /opt/homebrew/include; do
  [ -f "$d/$1/lua.h" ] && return; done; return 1; }
module() { "$1" -e "require '$2'"; }

interpreter() { # an interpreter with its headers
  case $1 in
    luajit*) need luajit have luajit
             need libluajit-5.1-dev header luajit-2.1 ;;
    lua5.1)  need lua5.1 have lua5.1
             need liblua5.1-0-dev header lua5.1 ;;
    *)       need "$1" have "$1"
             need "lib$1-dev" header "$1" ;;
  esac
}
modules() { # what the command line needs, for one interpreter
  need lua-argparse module "$1" argparse
  need lua-luv module "$1" luv
  need lua-cjson module "$1" cjson
}
parsers() { # what specs check formats with
  need lua-expat module "$1" lxp
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
            interpreter $l; modules $l; benches $l; parsers $l
          done
          need lua-busted have busted
          need luarocks have luarocks ;;
    versions) for l in lua5.1 lua5.2 lua5.3; do interpreter $l; modules $l; done ;;
    lint) need lua-check have luacheck
          need clang-format have clang-format
          need clang-tidy have clang-tidy
          need cppcheck have cppcheck ;;
    e2e) need chromium have chromium
         need parallel test -x /usr/bin/parallel
         need love have love
         need xvfb have Xvfb
         need neovim have nvim ;;
    fuzz) need clang have clang ;;
    docs) need lua-ldoc have ldoc ;;
    windows) need gcc-mingw-w64-x86-64 have x86_64-w64-mingw32-gcc ;;
    valgrind) need valgrind have valgrind ;;
    *) echo "deps.sh: unknown target '$target'" >&2; exit 1 ;;
  esac
done

[ -n "$missing" ] || exit 0
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if command -v apt-get >/dev/null; then
  echo "installing:$missing"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 ||
    { tail -5 "$log" >&2; echo "could not install:$missing" >&2; exit 1; }
  rm -f "$log"
elif command -v brew >/dev/null; then
  echo "please install with 'brew install lua luajit luarocks' and" \
    "'luarocks install argparse luv lua-cjson busted' what stands for:$missing"
  brew install lua luajit luarocks
  for rock in argparse luv lua-cjson dkjson lpeg busted; do
    luarocks install "$rock"
  done
else
  echo "tare needs these packages (Debian's names):$missing" >&2
  exit 1
fi
