#!/usr/bin/env bash
# Checks that what is in dist is of a version, by the names of the files and by what is in them: agree.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$1
agree() { # WHAT VERSION
    if [ "$2" != "$version" ]; then echo "agree: $1 is $2, not $version" >&2 && exit 1; fi
}

for wheel in dist/*.whl; do
    agree "the name of $wheel" "$(basename "$wheel" | cut -d- -f2)"
    agree "$wheel" "$(unzip -p "$wheel" '*.dist-info/METADATA' | sed -n 's/^Version: //p')"
    agree "__version__ of $wheel" "$(unzip -p "$wheel" spool/_version.py | sed -n 's/^__version__ = "\(.*\)"/\1/p')"
done
for package in dist/*.deb; do
    agree "the name of $package" "$(basename "$package" | cut -d_ -f2)"
    agree "$package" "$(dpkg-deb --field "$package" Version)"
done
for tarball in dist/spool-*-linux-*.tar.gz; do
    name=$(basename "$tarball" .tar.gz)
    of=${name#spool-}
    agree "the name of $tarball" "${of%%-linux-*}"
    agree "spool.pc of $tarball" "$(tar -xOzf "$tarball" "$name/lib/pkgconfig/spool.pc" | sed -n 's/^Version: //p')"
    agree "the manual of $tarball" \
        "$(tar -xOzf "$tarball" "$name/share/man/man1/spool.1.gz" | zcat | sed -n '1s/.*"spool \([^"]*\)" .*/\1/p')"
done
echo "version: $version"
