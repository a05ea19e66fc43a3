#!/usr/bin/env bash
# Builds what users install, from the SDK's libraries, in the folder dist: the wheel, and the command as a tarball and
# as a Debian package.
#
#   tools/sdk/artefacts.sh [x86_64|aarch64]    leaves those of the other architecture in dist
#
# The SDK is built first if the cache does not have it. Two builds of one commit give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v advzip >/dev/null || tools/deps.sh chroot
arch=${1:-x86_64}
sdk=$(tools/sdk/sdk.sh "$arch")
inside=/${sdk##*/root/} # the SDK's path in the chroot
version=$(tools/release/version.sh)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
stage=bin/artefacts/$arch
rm -rf "$stage" dist/*_"$arch".whl dist/spool-*-linux-"$arch".tar.gz dist/SHA256SUMS
mkdir -p "$stage" dist
tools/debian.sh 11 tools/sdk/link.sh "$inside" "/src/spool/$stage" "$version"
tools/sdk/licenses.sh "$sdk" "$stage/licenses"
tools/sdk/run.sh "$arch" "$stage/spool" doctor --licenses --json >"$stage/licenses.json"
tools/sdk/lock.py sbom "$stage/libspool.so" "$stage/licenses.json" >"$stage/library.cdx.json"
tools/sdk/lock.py sbom "$stage/spool" "$stage/licenses.json" >"$stage/spool.cdx.json"

# The wheel.
mkdir -p "$stage/python/spool/_lib"
git ls-files -z python/spool python/pyproject.toml python/setup.py python/README.md | xargs -0 cp --parents -t "$stage"
cp "$stage/libspool.so" "$stage/spool-helper" "$stage/python/spool/_lib/"
sed -i "s/^__version__ = .*/__version__ = \"$version\"/" "$stage/python/spool/_version.py"
python=$(python/venv.sh)
(cd "$stage/python" && SPOOL_WHEEL_PLATFORM=manylinux_2_28_$arch SOURCE_DATE_EPOCH=315532800 "$python" -m pip wheel \
    --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir ../built .)
python3 tools/sdk/finish.py "$stage"/built/*.whl "$stage/licenses" "$stage/library.cdx.json" dist
advzip --quiet --recompress --shrink-extra dist/spool_media-*_"$arch".whl # 4 % smaller than zlib's

# The tarball.
name=spool-$version-linux-$arch
mkdir -p "$stage/$name"/{bin,lib/pkgconfig,include,share/man/man1}
cp "$stage/spool" "$stage/$name/bin/"
cp "$stage/libspool.so" "$stage/spool-helper" "$stage/$name/lib/"
cp capi/spool*.h "$stage/$name/include/"
sed "s/@VERSION@/$version/" capi/spool.pc >"$stage/$name/lib/pkgconfig/spool.pc"
cp -r "$stage/licenses" "$stage/spool.cdx.json" "$stage/$name/share/"
cp LICENSE README.md "$stage/$name/"
cp tools/sdk/install.sh "$stage/$name/"
for shell in bash zsh fish; do
    mkdir -p "$stage/$name/share/completions"
    tools/sdk/run.sh "$arch" "$stage/spool" completion "$shell" >"$stage/$name/share/completions/spool.$shell"
done
tools/sdk/run.sh "$arch" "$stage/spool" manual "$stage/$name/share/man/man1"
gzip -9n "$stage/$name"/share/man/man1/*
find "$stage/$name" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --mode=go+rX,go-w -cf - "$name" |
    gzip -9n >"dist/$name.tar.gz"
tools/release/deb.sh "$stage/$name"
(cd dist && sha256sum ./* >SHA256SUMS)
ls -l dist
