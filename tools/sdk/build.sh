#!/usr/bin/env bash
# Builds the packages of sources.json: tools/sdk/build.sh ARCHITECTURE SOURCES PREFIX
#
# SOURCES is the folder that `lock.py fetch` filled. PREFIX receives static libraries, headers and .pc files. It runs in the
# Debian 11 that tools/sdk/sdk.sh makes, whose glibc is old enough for manylinux_2_28. A package that is complete in PREFIX
# is not built again.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
arch=$1
sources=$(cd "$2" && pwd)
mkdir -p "$3"
prefix=$(cd "$3" && pwd)
jobs=$(nproc)
export arch prefix jobs
# shellcheck source=tools/sdk/target.sh
. ./target.sh "$arch"
work=/tmp/sdk${cross:+-$arch}

mkdir -p "$prefix"/{include,lib/pkgconfig,.done} "$work/bin"
cp glibc.h "$prefix/include/spool_glibc.h"

# Meson and CMake, which Debian 11 has in older versions.
python3 - "$work/tools" "$sources"/*.whl <<'END'
import sys, zipfile
for wheel in sys.argv[2:]:
    zipfile.ZipFile(wheel).extractall(sys.argv[1])
END
printf '#!/bin/sh\nexec python3 -m mesonbuild.mesonmain "$@"\n' >"$work/bin/meson"
chmod +x "$work/bin/meson" "$work/tools/cmake/data/bin/cmake"
ln -sf "$work/tools/cmake/data/bin/cmake" "$work/bin/cmake"
export PATH=$work/bin:$prefix/bin:$PATH PYTHONPATH=$work/tools # ninja calls Meson too

# Code is the same wherever it is built. -ffp-contract=off: no fused multiply-add, so pixels do not depend on the compiler.
flags="-O2 -fPIC -ffunction-sections -fdata-sections -ffp-contract=off -fno-semantic-interposition"
flags+=" -ffile-prefix-map=$work=. -include $prefix/include/spool_glibc.h"
export CFLAGS=$flags CXXFLAGS=$flags LDFLAGS="-L$prefix/lib" CPPFLAGS="-I$prefix/include"
export PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig:$prefix/share/pkgconfig
export SOURCE_DATE_EPOCH=1700000000 ZERO_AR_DATE=1 LC_ALL=C.UTF-8

# Unpacks a package: FOLDER FILE...
unpack() {
    local folder=$1 file series
    shift
    rm -rf "$folder"
    mkdir -p "$folder"
    for file in "$@"; do
        case $file in
        *.orig.tar.*) tar -xf "$sources/$file" -C "$folder" --strip-components=1 ;;
        esac
    done
    for file in "$@"; do
        case $file in
        *.orig-*.tar.*) # a component of the package
            local part=${file#*.orig-}
            mkdir -p "$folder/${part%.tar.*}"
            tar -xf "$sources/$file" -C "$folder/${part%.tar.*}" --strip-components=1
            ;;
        *.debian.tar.*) tar -xf "$sources/$file" -C "$folder" ;;
        *.diff.gz) gzip -dc "$sources/$file" | patch -s -d "$folder" -p1 ;;
        esac
    done
    series=$folder/debian/patches/series
    if [ -e "$series" ]; then
        while read -r file _; do
            case $file in '' | '#'*) continue ;; esac
            patch -s -d "$folder" -p1 <"$folder/debian/patches/$file"
        done <"$series"
    fi
}

# The packages, a line each: NAME FILE...
packages() {
    python3 - <<'END'
import json
for package in json.load(open("sources.json"))["packages"]:
    print(package["name"], *(file["name"] for file in package["files"]))
END
}

packages >"$work/packages"
while read -r -a line <&3; do
    name=${line[0]}
    if [ -e "$prefix/.done/$name" ]; then continue; fi
    start=$SECONDS
    folder=$work/$name
    unpack "$folder" "${line[@]:1}"
    # in a shell of its own: `if` turns off `set -e` for what it tests
    if ! (cd "$folder" && bash -euo pipefail -c '. "$1"; "$2"' sh "$here/recipes.sh" "build_${name//[^a-z0-9]/_}") \
        >"$work/$name.log" 2>&1 </dev/null; then
        tail -n 40 "$work/$name.log" >&2
        echo "sdk: $name failed; the whole log is $work/$name.log" >&2
        exit 1
    fi
    rm -rf "$folder"
    touch "$prefix/.done/$name"
    echo "sdk: $name, $((SECONDS - start)) s"
done 3<"$work/packages"

# .pc files that can be moved with the folder, and that name the static library of C++.
for file in "$prefix"/{lib,share}/pkgconfig/*.pc; do
    if [ ! -e "$file" ]; then continue; fi
    # shellcheck disable=SC2016 # pkg-config expands these
    sed -i -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e "/^prefix=/!s|$prefix|\${prefix}|g" \
        -e 's|-lstdc++|-l:libstdc++.a|g' "$file"
done
rm -rf "${prefix:?}/bin" "$prefix"/share/{man,doc,bash-completion,gdb,gettext,glib-2.0,locale,ffmpeg,gtk-doc}
