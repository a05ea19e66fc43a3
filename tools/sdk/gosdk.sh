#!/usr/bin/env bash
# Packs the SDK for users of Go, in the folder dist: headers, static libraries, .pc files, licences, a bill of
# materials, and env.sh, which sets up Go (tools/sdk/goenv.sh). Two runs of one commit give the same bytes.
#
# The SDK is built first if the cache does not have it. docs/go.md is for users, and tools/sdk/gouser.sh tests it.
set -euo pipefail
cd "$(dirname "$0")/../.."

sdk=$(tools/sdk/sdk.sh)
root=${sdk%/sdk/*} # of the Debian that built it
name=spool-sdk-$(tools/release/version.sh)-linux-${sdk##*-}
stage=bin/gosdk
rm -rf "$stage" dist/spool-sdk-*
mkdir -p "$stage/$name"/{lib,share} dist
cp -r "$sdk/include" "$stage/$name/"
cp -r "$sdk"/lib/{*.a,glib-2.0,pkgconfig} "$stage/$name/lib/"
cp "$sdk/key" "$stage/$name/share/"
cp tools/sdk/goenv.sh "$stage/$name/env.sh"
cp docs/go.md "$stage/$name/README.md"

# The library of C++ too, so that a C compiler is all that users need. Updates of the Debian print lines before.
cp "$root$(tools/debian.sh 11 gcc -print-file-name=libstdc++.a | tail -n 1)" "$stage/$name/lib/"

# Names of resolver functions that glibc 2.34 has replaced. Nothing calls GLib's resolver.
objcopy --weaken-symbol=__dn_expand --weaken-symbol=__res_nquery "$stage/$name/lib/libgio-2.0.a"

# Static libraries need each other in any order, so each .pc file names all of them: as one group, in a linker script.
(cd "$stage/$name/lib" && archives=(*.a) && echo "GROUP ( ${archives[*]} )" >libspool-sdk.a)
# shellcheck disable=SC2016 # pkg-config expands these
sed -i -e '/^Libs\.private:/d' -e 's|^Libs:.*|Libs: -L${prefix}/lib -lspool-sdk -lm -lpthread -ldl -lrt|' \
    "$stage/$name"/lib/pkgconfig/*.pc

tools/sdk/licenses.sh "$sdk" "$stage/$name/share/licenses"
cp LICENSE "$stage/$name/"
tools/sdk/lock.py sbom >"$stage/$name/share/spool.cdx.json"

tar -C "$stage" --sort=name --mtime=@315532800 --owner=0 --group=0 --numeric-owner --mode=go+rX,go-w -cf - "$name" |
    xz -6 -T1 >"dist/$name.tar.xz"
rm -rf "$stage" dist/SHA256SUMS
(cd dist && sha256sum ./* >SHA256SUMS)
ls -l "dist/$name.tar.xz"
