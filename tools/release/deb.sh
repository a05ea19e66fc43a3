#!/usr/bin/env bash
# Packs the unpacked tarball as a Debian package, in the folder dist: deb.sh FOLDER/spool-VERSION-linux-ARCH
#
# The tarball's install.sh puts the files into the package. Their times are that of the folder, and the same folder
# gives the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A names=([x86_64]=amd64 [aarch64]=arm64)
IFS=- read -r _ VERSION _ ARCH <<<"$(basename "$1")"
ARCH=${names[$ARCH]}
ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
SOURCE_DATE_EPOCH=$(stat --format=%Y "$1")
export VERSION ARCH ROOT SOURCE_DATE_EPOCH
rm -f dist/spool_*_"$ARCH".deb
"$1/install.sh" "$ROOT/usr" >/dev/null
mv "$ROOT/usr/share/zsh/site-functions" "$ROOT/usr/share/zsh/vendor-completions"
cp tools/release/copyright "$ROOT/usr/share/doc/spool/"
gzip -9n <CHANGELOG.md >"$ROOT/usr/share/doc/spool/changelog.gz"
chmod -R go=rX,u=rwX "$ROOT"
find "$ROOT" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
go tool -modfile=tools/release/go.mod nfpm package --config tools/release/nfpm.yaml --packager deb --target dist/
