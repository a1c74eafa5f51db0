#!/bin/sh
# dist.sh VERSION: build/tare-VERSION.tar.gz, and a rockspec beside it and in it
# that builds from it. Reads the files of the checkout, or of an archive.
set -eu
version=$1 name=tare-$1
mkdir -p build
folder=$(mktemp -d build/dist-XXXXXX) # several may be made at a time
trap 'rm -rf "$folder"' EXIT
out=$folder/$name
mkdir "$out"

if [ -e .git ]; then git ls-files; else
  find . -type f ! -path './build/*' ! -path './rockspec/tare-[0-9]*' |
    sed 's|^\./||'
fi >"$folder/files"
tar -cf - -T "$folder/files" | (cd "$out" && tar -xf -)

sed -e "s|^version = .*|version = \"$version-1\"|" \
  -e "s|^  url = .*|  url = \"$name.tar.gz\",\n  dir = \"$name\",|" \
  rockspec/tare-scm-1.rockspec >"$folder/$name-1.rockspec"
cp "$folder/$name-1.rockspec" "$out/rockspec/"

# The same bytes from the same files, where tar is GNU's.
same=
tar --version 2>/dev/null | grep -q GNU &&
  same='--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner'
tar $same -C "$folder" -cf - "$name" | gzip -n >"$folder/$name.tar.gz"
mv "$folder/$name-1.rockspec" "$folder/$name.tar.gz" build/
echo "build/$name.tar.gz"
