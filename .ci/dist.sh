#!/bin/sh
# dist.sh VERSION: build/tare-VERSION.tar.gz, and a rockspec beside it and in it
# that builds from it. Reads the files of the checkout, or of an archive.
set -eu
version=$1 name=tare-$1
out=build/dist/$name
rm -rf build/dist
mkdir -p "$out"

if [ -e .git ]; then git ls-files; else
  find . -type f ! -path './build/*' ! -path './rockspec/tare-[0-9]*' |
    sed 's|^\./||'
fi >build/dist/files
tar -cf - -T build/dist/files | (cd "$out" && tar -xf -)

sed -e "s|^version = .*|version = \"$version-1\"|" \
  -e "s|^  url = .*|  url = \"$name.tar.gz\",\n  dir = \"$name\",|" \
  rockspec/tare-scm-1.rockspec >"build/$name-1.rockspec"
cp "build/$name-1.rockspec" "$out/rockspec/"

# The same bytes from the same files, where tar is GNU's.
same=
tar --version 2>/dev/null | grep -q GNU &&
  same='--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner'
tar $same -C build/dist -cf - "$name" | gzip -n >"build/$name.tar.gz"
rm -rf build/dist
echo "build/$name.tar.gz"
