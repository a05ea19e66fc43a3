#!/usr/bin/env bash
# Packs the contents of the tarball as a Debian package, in the folder dist: tools/release/deb.sh FOLDER VERSION ARCH
#
# FOLDER is the unpacked tarball, whose install.sh puts the files into the package. ARCH is x86_64 or aarch64. Times of
# files are SOURCE_DATE_EPOCH, and the same contents give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

declare -A names=([x86_64]=amd64 [aarch64]=arm64)
export VERSION=$2 ARCH=${names[$3]} ROOT
ROOT=$(mktemp -d)
trap 'rm -rf "$ROOT"' EXIT
"$1/install.sh" "$ROOT/usr" >/dev/null
mv "$ROOT/usr/share/zsh/site-functions" "$ROOT/usr/share/zsh/vendor-completions"
cp tools/release/copyright "$ROOT/usr/share/doc/spool/"
gzip -9n <CHANGELOG.md >"$ROOT/usr/share/doc/spool/changelog.gz"
chmod -R go=rX,u=rwX "$ROOT"
find "$ROOT" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
go tool -modfile=tools/release/go.mod nfpm package --config tools/release/nfpm.yaml --packager deb --target dist/
