#!/bin/sh
# Prints the environment in which Go links with the static libraries of this folder: eval "$(sdk/env.sh)"
#
# The macro names the libraries, since go build compiles C again for other flags, but not for other flags of pkg-config.
# Symbols of the libraries stay hidden, so shared libraries that the program loads do not meet them.
set -eu
sdk=$(cd "$(dirname "$0")" && pwd)
cat <<END
export PKG_CONFIG_PATH='$sdk/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}'
export CGO_CFLAGS='${CGO_CFLAGS:--O2 -g} -DSPOOL_SDK=$(cat "$sdk/share/key")'
export CGO_LDFLAGS='${CGO_LDFLAGS:--O2 -g} -static-libgcc -Wl,--exclude-libs,ALL'
export GOFLAGS='${GOFLAGS:+$GOFLAGS }-tags=spool_static'
END
