#!/bin/sh
# install.sh install|uninstall LUA PREFIX [BUILD]: what luarocks would do, for
# a prefix. The command finds its modules wherever PREFIX is. The folders that
# it had to make are kept in a list, and go again with what is in them.
set -eu
action=$1 lua=$2 prefix=$3 build=${4:-build/$2}
version=$("$lua" -e 'io.write(_VERSION:match("%d+%.%d+"))')
share=$prefix/share/lua/$version lib=$prefix/lib/lua/$version
made=$share/tare/folders

folders() {
  printf '%s\n' "$prefix" "$prefix/bin" "$prefix/share" "$prefix/share/lua" \
    "$share" "$prefix/lib" "$prefix/lib/lua" "$lib"
}

case $action in
  install)
    new=$(folders | while read -r d; do [ -d "$d" ] || echo "$d"; done)
    if [ -f "$made" ]; then new=$(cat "$made"); fi
    mkdir -p "$share" "$lib/tare" "$prefix/bin"
    cp -R lua/tare "$share/"
    printf '%s\n' "$new" >"$made"
    cp "$build"/tare/*.so "$lib/tare/"
    cat >"$prefix/bin/tare" <<EOF
#!/bin/sh
LUA_PATH="$share/?.lua;$share/?/init.lua;\${LUA_PATH:-;}"
LUA_CPATH="$lib/?.so;\${LUA_CPATH:-;}"
export LUA_PATH LUA_CPATH
exec "$(command -v "$lua")" "$share/tare/cli/bin.lua" "\$@"
EOF
    chmod +x "$prefix/bin/tare"
    echo "installed $prefix/bin/tare"
    "$lua" -e 'require "tare.core"' 2>/dev/null || cat <<EOF
For 'require "tare"' in programs of your own, where $lua does not look:
  export LUA_PATH='$share/?.lua;$share/?/init.lua;;' LUA_CPATH='$lib/?.so;;'
EOF
    ;;
  uninstall)
    new=
    if [ -f "$made" ]; then new=$(sort -r "$made"); fi
    rm -rf "$share/tare" "$lib/tare" "$prefix/bin/tare"
    printf '%s\n' "$new" | while read -r d; do
      if [ -n "$d" ]; then rmdir "$d" 2>/dev/null || true; fi
    done ;;
  *) echo "install.sh: '$action' is not install or uninstall" >&2; exit 1 ;;
esac
