#!/bin/sh
# Builds the fake driver: build.sh FILE
set -eu
cd "$(dirname "$0")/driver"
exec "${CC:-cc}" -std=gnu11 -O1 -g -fPIC -shared -pthread -Wall -Wextra -Werror -Wno-unknown-pragmas \
    -fno-strict-aliasing -ffp-contract=off -I. -I../.. -I../../kernels ./*.c -o "$1" -lm
