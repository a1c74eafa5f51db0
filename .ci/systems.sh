#!/bin/sh
# systems.sh SRC SYSTEM...: on systems that are not this one, builds Lua 5.4 from
# its source SRC, the core, and the C modules that busted needs (lfs, lua-term,
# luasystem: folders beside the source), and runs the specs that need no more.
# Under Wine the command line runs, too, where the sources of its libraries for
# Windows are beside that source (luv, libuv, lua-cjson): specs that run on this
# system start it there.
# Prints for each system what passed, failed and waits, goes on where one can't be
# built, and fails in the end where one did not pass. Under qemu, which translates
# each instruction, a file may take an hour.
#   wine     Windows, by mingw-w64      i386     32 bit, run by this processor
#   musl     another C library                   or, where it may not, by qemu-user
#                                       armhf, aarch64, s390x (the other order
#                                       of bytes), ppc64el: run by qemu-user
set -eu
build_only=''
[ "$1" != --build ] || { build_only=1; shift; }
source=$1
shift
MAKE=${MAKE:-make}
debian=/usr/share/lua/5.4
lua_path="lua/?.lua;lua/?/init.lua;./?.lua;$debian/?.lua;$debian/?/init.lua"
objects=$(ls "$source"/l*.c | grep -v -e '/lua\.c$' -e '/luac\.c$')
under_wine='spec/e2e_run_spec.lua spec/e2e_judge_spec.lua'
under_wine="$under_wine spec/e2e_windows_spec.lua"
mkdir -p build/systems/bin

# How to compile for a system and how to run what was compiled.
describe() { # SYSTEM
  dll=so more='' export=-Wl,-E libs='-lm -ldl' flags=-DLUA_USE_LINUX
  case $1 in
    wine) compiler=x86_64-w64-mingw32-gcc run=wine dll=dll
             export='' libs='' flags=-DLUA_BUILD_AS_DLL ;;
    musl) compiler=musl-gcc run='' ;;
    i386) triple=i686-linux-gnu run=''
          # its C library is not where programs look for it
          export="$export -Wl,--dynamic-linker=/usr/$triple/lib/ld-linux.so.2"
          export="$export -Wl,-rpath,/usr/$triple/lib"
          # what rounds otherwise than elsewhere: the old unit of the x87
          compiler="$triple-gcc -msse2 -mfpmath=sse" ;;
    armhf) triple=arm-linux-gnueabihf compiler=$triple-gcc
           run="qemu-arm -L /usr/$triple" ;;
    aarch64|s390x) triple=$1-linux-gnu compiler=$triple-gcc
                   run="qemu-$1 -L /usr/$triple" ;;
    ppc64el) triple=powerpc64le-linux-gnu compiler=$triple-gcc
             run="qemu-ppc64le -L /usr/$triple" ;;
    *) echo "systems.sh: there is no '$1' here" >&2; return 1 ;;
  esac
}

module() { # FILE SOURCE...
  out=$folder/lib/$1
  shift
  # shellcheck disable=SC2086 # words
  $compiler -O2 -w -fPIC -shared $flags -I"$source" -o "$out" "$@" $link
}

has_libraries() { # of the command line, for Windows
  for one in luv/src/luv.c libuv/src/uv-common.c lua-cjson/lua_cjson.c; do
    [ -f "$source/../$one" ] || return 1
  done
}

# An interpreter, the modules, the core; and a program lua-SYSTEM that runs it.
build() { # SYSTEM
  folder=$PWD/build/systems/$1 link='' name=lua-$1
  mkdir -p "$folder/lib/term" "$folder/lib/system"
  beside=$source/../
  if [ "$1" = wine ]; then
    # shellcheck disable=SC2086 # words
    $compiler -O2 $flags -shared -s -o "$folder/lua54.dll" $objects
    $compiler -O2 -s -o "$folder/lua.exe" "$source/lua.c" "$folder/lua54.dll"
    link="$folder/lua54.dll -lbcrypt -lwinmm -ladvapi32"
    $MAKE --no-print-directory -j 4 windows-core LUA_INCDIR="$source" \
      WINDOWS_LUA="$folder/lua54.dll"
    mkdir -p "$folder/lib/tare"
    cp build/windows/tare/core.dll "$folder/lib/tare/"
    program="wine $folder/lua.exe" drive=Z:
    # what specs start there is started by Windows
    more="TARE_LUA=Z:$folder/lua.exe; export TARE_LUA"
  else
    # shellcheck disable=SC2086 # words
    $compiler -O2 $flags $export -o "$folder/lua" "$source/lua.c" $objects $libs
    $MAKE --no-print-directory -j 4 BUILD="build/$name" CC="$compiler" \
      LUA=lua5.4 LUA_INCDIR="$source" "build/$name/tare/core.so"
    mkdir -p "$folder/lib/tare"
    cp "build/$name/tare/core.so" "$folder/lib/tare/"
    # Not every 64-bit kernel runs programs of 32 bits.
    [ "$1" != i386 ] || "$folder/lua" -v >/dev/null 2>&1 || run=qemu-i386
    program="$run $folder/lua" drive=''
  fi
  module "lfs.$dll" "$beside/lfs/src/lfs.c"
  module "term/core.$dll" "$beside/lua-term/core.c"
  (cd "$beside/luasystem/src" && module "system/core.$dll" bitflags.c compat.c \
    core.c environment.c random.c term.c time.c wcwidth.c)
  if [ "$1" = wine ] && has_libraries; then
    # shellcheck disable=SC2086 # words
    (cd "$beside/libuv" && link="$link -lpsapi -luser32 -liphlpapi -luserenv
      -lws2_32 -ldbghelp -lole32 -lshell32 -luuid" \
      flags="$flags -DLUA_LIB -D_WIN32_WINNT=0x0602 -DWIN32_LEAN_AND_MEAN
      -D_CRT_DECLARE_NONSTDC_NAMES=0 -Iinclude -Isrc -I../luv/src" &&
      module luv.dll ../luv/src/luv.c src/*.c src/win/*.c)
    (cd "$beside/lua-cjson" && module cjson.dll lua_cjson.c strbuf.c fpconv.c)
    rm -f "$folder/lib/cjson.lua"
  else
    cp spec/support/bare_cjson.lua "$folder/lib/cjson.lua"
  fi
  cat >"build/systems/bin/$name" <<END
#!/bin/sh
WINEPREFIX=$PWD/build/systems/wine WINEDEBUG=-all DISPLAY=
LUA_PATH='$lua_path;$drive$folder/lib/?.lua'
LUA_CPATH='$drive$folder/lib/?.$dll'
$more
export LUA_PATH LUA_CPATH WINEPREFIX WINEDEBUG DISPLAY
exec $program "\$@"
END
  chmod +x "build/systems/bin/$name"
}

PATH=$PWD/build/systems/bin:$PATH
export PATH
if [ -n "$build_only" ]; then
  describe "$1"
  build "$1"
  "lua-$1" -e 'print(_VERSION, require("tare.core").build.arch)' # once
  exit
fi
names='' not_passed=''
for system in "$@"; do
  if sh "$0" --build "$source" "$system"; then
    names="$names lua-$system"
  else
    echo "systems.sh: $system could not be built" >&2
    not_passed="$not_passed $system"
  fi
done
# What Wine keeps running for itself would keep our output open.
[ ! -d build/systems/wine/drive_c ] ||
  trap 'WINEPREFIX=$PWD/build/systems/wine wineserver -k || true' EXIT
# shellcheck disable=SC2086 # words
[ -z "$names" ] || BARE=$names SPEC_TIMEOUT=${SPEC_TIMEOUT:-3600} \
  WITHOUT='*/amalgam_* */meta_* */large_* */c_hosts_*' \
  sh .ci/specs.sh $names || not_passed="$not_passed specs"
case $names in *lua-wine*)
  if has_libraries; then
    $MAKE -s --no-print-directory LUA=lua5.4 build
    COMMAND_LUA=lua-wine SPECS="$under_wine" sh .ci/specs.sh lua5.4 ||
      not_passed="$not_passed command-line-under-wine"
  else
    echo "the command line was not run under Wine: it needs the sources of luv," \
      "libuv and lua-cjson in folders of these names beside $source"
  fi ;;
esac
[ -z "$not_passed" ] ||
  { echo "systems.sh: not passed:$not_passed" >&2; exit 1; }
