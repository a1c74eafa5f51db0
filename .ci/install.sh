#!/bin/sh
# install.sh install|uninstall LUA PREFIX [BUILD]: what luarocks would do, for
# a prefix. PREFIX/lib/tare has a folder for each interpreter, named as in build/,
# with its core, which 'tare run --lua' finds beside that of the command; programs
# find the core where their Lua looks, by a link. The command runs on the
# interpreter that was installed last. The folders that it had to make are kept in
# a list, and go again with the last interpreter.
set -eu
action=$1 lua=$2 prefix=$3 build=${4:-build/$2}
version=$("$lua" -e 'io.write(_VERSION:match("%d+%.%d+"))')
name=${build##*/}
share=$prefix/share/lua/$version lib=$prefix/lib/lua/$version
cores=$prefix/lib/tare
made=$cores/folders

folders() {
  printf '%s\n' "$prefix" "$prefix/bin" "$prefix/share" "$prefix/share/lua" \
    "$share" "$prefix/lib" "$prefix/lib/lua" "$lib" "$cores"
}

case $action in
  install)
    new=$(folders | while read -r d; do [ -d "$d" ] || echo "$d"; done)
    mkdir -p "$share" "$lib/tare" "$prefix/bin" "$cores/$name/tare"
    printf '%s\n' "$new" >>"$made"
    cp -R lua/tare "$share/"
    for file in "$build"/tare/*.so; do
      cp "$file" "$cores/$name/tare/"
      ln -sf "../../../tare/$name/tare/${file##*/}" "$lib/tare/"
    done
    program=$(command -v "$lua")
    program=$(cd "${program%/*}" && pwd)/${program##*/}
    cat >"$prefix/bin/tare" <<EOF
#!/bin/sh
LUA_PATH="$share/?.lua;$share/?/init.lua;\${LUA_PATH:-;}"
LUA_CPATH="$cores/$name/?.so;\${LUA_CPATH:-;}"
export LUA_PATH LUA_CPATH
exec "$program" "$share/tare/cli/bin.lua" "\$@"
EOF
    chmod +x "$prefix/bin/tare"
    echo "installed $prefix/bin/tare"
    "$lua" -e 'require "tare.core"' 2>/dev/null || cat <<EOF
For 'require "tare"' in programs of your own, where $lua does not look:
  export LUA_PATH='$share/?.lua;$share/?/init.lua;;' LUA_CPATH='$lib/?.so;;'
EOF
    ;;
  uninstall)
    rm -rf "$cores/$name"
    # What is of another interpreter stays: the command, and what 5.1 and LuaJIT
    # share.
    [ -e "$lib/tare/core.so" ] || rm -rf "$share/tare" "$lib/tare"
    if grep -qsF "\"$cores/$name/" "$prefix/bin/tare"; then
      rm "$prefix/bin/tare"
    fi
    left=
    for core in "$cores"/*/tare/core.so; do
      [ ! -f "$core" ] || left="$left $(basename "${core%/tare/core.so}")"
    done
    if [ -n "$left" ]; then
      [ -e "$prefix/bin/tare" ] || echo "no command is left, but cores" \
        "for$left: 'make install LUA=...' makes the command anew"
    elif [ -f "$made" ]; then
      new=$(sort -r "$made")
      rm "$made"
      printf '%s\n' "$new" | while read -r d; do
        if [ -n "$d" ]; then rmdir "$d" 2>/dev/null || true; fi
      done
    fi ;;
  *) echo "install.sh: '$action' is not install or uninstall" >&2; exit 1 ;;
esac
