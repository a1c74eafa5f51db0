#!/bin/sh
# versions.sh LUA55_SRC LUA...: builds the core for each interpreter and runs the
# specs on all of them. lua5.5, where it is not installed, is built from
# its source into build/lua-5.5, with the C modules that busted needs
# (lua-term, luasystem, lfs: folders beside the source). busted itself is that of
# 5.4, as far as 5.5 compiles it (spec/support/for_5_5.lua). luv is not there, so
# what runs the command line is left out, and dkjson takes the place of cjson
# (spec/support/bare_cjson.lua).
set -eu
source=$1
shift
MAKE=${MAKE:-make}

build_lua_5_5() { # from the source, into build/lua-5.5
  root=$PWD/build/lua-5.5
  debian=/usr/share/lua/5.4
  mkdir -p "$root/bin" "$root/include" "$root/lib/term" "$root/lib/system"
  cp "$source/lua.h" "$source/luaconf.h" "$source/lualib.h" \
    "$source/lauxlib.h" "$root/include/"
  [ -x "$root/bin/lua5.5" ] || ${CC:-cc} -O2 -DLUA_USE_LINUX -Wl,-E \
    "-DLUA_CPATH_DEFAULT=\"$root/lib/?.so;./?.so\"" \
    "-DLUA_PATH_DEFAULT=\"$root/share/?.lua;$root/share/?/init.lua;$debian/?.lua;$debian/?/init.lua;./?.lua\"" \
    -o "$root/bin/lua5.5" "$source/onelua.c" -lm -ldl
  # for hosts: the same Lua as a library
  [ -f "$root/lib/liblua5.5.so" ] || ${CC:-cc} -O2 -fPIC -shared \
    -DLUA_USE_LINUX -DMAKE_LIB -o "$root/lib/liblua5.5.so" "$source/onelua.c" \
    -lm -ldl
  beside=$source/..
  module() { # FILE.so SOURCE...
    out=$root/lib/$1
    shift
    [ -f "$out" ] ||
      ${CC:-cc} -O2 -fPIC -shared -I"$root/include" -o "$out" "$@"
  }
  module lfs.so "$beside/lfs/src/lfs.c"
  module term/core.so "$beside/lua-term/core.c"
  # the tables of widths are included by wcwidth.c
  (cd "$beside/luasystem/src" && module system/core.so bitflags.c compat.c \
    core.c environment.c random.c term.c time.c wcwidth.c)
  "$root/bin/lua5.5" spec/support/for_5_5.lua "$root/share" $debian/pl \
    $debian/busted $debian/luassert "$beside/luasystem/system" \
    "$beside/lua-term/term"
  cp spec/support/bare_cjson.lua "$root/share/cjson.lua"
  PATH=$root/bin:$PATH LUA_INCDIR=$root/include
  export PATH LUA_INCDIR
}

# Specs run benches on these beside the interpreter that they are run by.
for lua in lua5.4 luajit; do
  $MAKE --no-print-directory LUA="$lua" build
done
for lua in "$@"; do
  if [ "$lua" = lua5.5 ] && ! command -v lua5.5 >/dev/null; then
    build_lua_5_5
    $MAKE --no-print-directory LUA=lua5.5 LUA_INCDIR="$LUA_INCDIR" \
      HOST_LIB="-L$root/lib -Wl,-rpath,$root/lib -llua5.5" build hosts
    unset LUA_INCDIR
    bare=lua5.5
    # Every name that 5.4's core asks for is there.
    LUA_CPATH='build/lua5.4/?.so' lua5.5 -e '
      local is_loaded, message = pcall(require, "tare.core")
      assert(not is_loaded and message:find "version mismatch", message)'
  else
    $MAKE --no-print-directory LUA="$lua" build hosts
  fi
done
# The C interface is built with 5.4 and LuaJIT, whatever runs its specs. The
# browser and GNU parallel see the same whatever Lua wrote the page or the shards
# (report_html_spec and store_merge_spec run on each); of the manual, of kills, of
# hostile benches and of the machine's state, the oldest Lua is enough.
without='*/e2e_embed_* */e2e_html_* */e2e_parallel_*'
for one in e2e_docs e2e_hostile e2e_kills e2e_machine e2e_init; do
  without="$without lua5.2/${one}_* lua5.3/${one}_*"
done
# The command line can't run on the bare one, but its benches can: those that
# misbehave, asked for by 5.4. That waits more than it works, so it runs beside
# the others.
asked=0 asking='' log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ -z "${bare:-}" ] || ! command -v lua5.4 >/dev/null || {
  TARE_WORKERS=lua5.5 SPECS=spec/e2e_hostile_spec.lua sh .ci/specs.sh lua5.4 \
    >"$log" 2>&1 &
  asking=$!
}
own=0
BARE=${bare:-} WITHOUT=$without sh .ci/specs.sh "$@" || own=$?
[ -z "$asking" ] || { wait $asking || asked=$?; cat "$log"; }
[ $own = 0 ] && [ $asked = 0 ]
