#!/usr/bin/env bash
# Builds what users install, from the SDK's libraries, in the folder dist: the wheel and the tarball of the command.
#
#   tools/sdk/artefacts.sh [x86_64|aarch64]    leaves those of the other architecture in dist
#
# The SDK is built first if the cache does not have it. Two builds of one commit give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."

arch=${1:-x86_64}
sdk=$(tools/sdk/sdk.sh "$arch")
inside=/${sdk##*/root/} # the SDK's path in the chroot
version=$(git describe --tags --always --dirty)
stage=bin/artefacts/$arch
rm -rf "$stage" dist/*"$arch"* dist/SHA256SUMS
mkdir -p "$stage" dist
tools/debian.sh 11 tools/sdk/link.sh "$inside" "/src/spool/$stage" "$version"
cp -r "$sdk/share/licenses/." "$stage/licenses/"
cp /usr/share/common-licenses/{Apache-2.0,LGPL-2.1,LGPL-3,GPL-3} "$stage/licenses/"
tools/sdk/lock.py sbom >"$stage/spool.cdx.json"
cp tools/sdk/sources.json "$stage/licenses/SOURCES.json"

# The wheel.
mkdir -p "$stage/python/spool/_lib"
git ls-files -z python/spool python/pyproject.toml python/setup.py python/README.md | xargs -0 cp --parents -t "$stage"
cp "$stage/libspool.so" "$stage/python/spool/_lib/"
python=$(python/venv.sh)
(cd "$stage/python" && SPOOL_WHEEL_PLATFORM=manylinux_2_28_$arch SOURCE_DATE_EPOCH=315532800 "$python" -m pip wheel \
    --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir ../built .)
python3 tools/sdk/finish.py "$stage"/built/*.whl "$stage/licenses" "$stage/spool.cdx.json" dist

run() { # COMMAND...: in the emulator if it is not for this machine
    # shellcheck disable=SC2016 # expanded by the inner shell
    tools/debian.sh 11 bash -euc '. tools/sdk/target.sh "$0"; exec "${emulator[@]}" "$@"' "$arch" "$@"
}

# The tarball.
name=spool-$version-linux-$arch
mkdir -p "$stage/$name"/{bin,lib,include,share}
cp "$stage/spool" "$stage/$name/bin/"
cp "$stage/libspool.so" "$stage/$name/lib/"
cp capi/spool*.h "$stage/$name/include/"
cp -r "$stage/licenses" "$stage/spool.cdx.json" "$stage/$name/share/"
cp LICENSE README.md "$stage/$name/"
cp tools/sdk/install.sh "$stage/$name/"
for shell in bash zsh fish; do
    mkdir -p "$stage/$name/share/completions"
    run "$stage/spool" completion "$shell" >"$stage/$name/share/completions/spool.$shell"
done
tar -C "$stage" --sort=name --mtime=@315532800 --owner=0 --group=0 --numeric-owner --mode=go+rX,go-w -cf - "$name" |
    gzip -9n >"dist/$name.tar.gz"
(cd dist && sha256sum ./* >SHA256SUMS)
ls -l dist
