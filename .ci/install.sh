#!/bin/sh
# install.sh install|uninstall LUA PREFIX [BUILD]: what luarocks would do, for
# a prefix. The command finds its modules wherever PREFIX is.
set -eu
action=$1 lua=$2 prefix=$3 build=${4:-build/$2}
version=$("$lua" -e 'io.write(_VERSION:match("%d+%.%d+"))')
share=$prefix/share/lua/$version lib=$prefix/lib/lua/$version

case $action in
  install)
    mkdir -p "$share" "$lib/tare" "$prefix/bin"
    cp -R lua/tare "$share/"
    cp "$build/tare/core.so" "$lib/tare/core.so"
    cat >"$prefix/bin/tare" <<EOF
#!/bin/sh
LUA_PATH="$share/?.lua;$share/?/init.lua;\${LUA_PATH:-;}"
LUA_CPATH="$lib/?.so;\${LUA_CPATH:-;}"
export LUA_PATH LUA_CPATH
exec "$(command -v "$lua")" "$share/tare/cli/bin.lua" "\$@"
EOF
    chmod +x "$prefix/bin/tare" ;;
  uninstall)
    rm -rf "$share/tare" "$lib/tare" "$prefix/bin/tare" ;;
  *) echo "install.sh: '$action' is not install or uninstall" >&2; exit 1 ;;
esac
