#!/bin/sh
# Installs spool from its tarball: ./install.sh [PREFIX]
#
# PREFIX is ~/.local by default, so no root is needed. The command is one file that needs nothing but the C library, and
# can also be run where it was unpacked.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-$HOME/.local}
mkdir -p "$prefix/bin" "$prefix/lib/pkgconfig" "$prefix/include" "$prefix/share/doc/spool" "$prefix/share/man/man1" \
    "$prefix/share/bash-completion/completions" "$prefix/share/zsh/site-functions" \
    "$prefix/share/fish/vendor_completions.d"
cp "$here/bin/spool" "$prefix/bin/"
cp "$here/lib/libspool.so" "$here/lib/spool-helper" "$prefix/lib/"
cp "$here/lib/pkgconfig/spool.pc" "$prefix/lib/pkgconfig/"
cp "$here"/include/*.h "$prefix/include/"
cp -R "$here/LICENSE" "$here/share/licenses" "$here/share/spool.cdx.json" "$prefix/share/doc/spool/"
cp "$here/share/completions/spool.bash" "$prefix/share/bash-completion/completions/spool"
cp "$here/share/completions/spool.zsh" "$prefix/share/zsh/site-functions/_spool"
cp "$here/share/completions/spool.fish" "$prefix/share/fish/vendor_completions.d/spool.fish"
cp "$here"/share/man/man1/* "$prefix/share/man/man1/"
echo "installed $prefix/bin/spool"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "add $prefix/bin to PATH to run it by its name" ;;
esac
