#!/bin/sh
# Builds the fake libraries into a folder: build.sh FOLDER/libcuda.so.1 or build.sh FOLDER/libnvcuvid.so.1
set -eu
cd "$(dirname "$0")"
cuda=../../cuda
name=$(basename "$1")
case $name in
libcuda*) set -- "$1" "$cuda"/fake/driver/*.c driver/*.c ;;
*) set -- "$1" nvcuvid/*.c ;;
esac
out=$1
shift
exec "${CC:-cc}" -std=gnu11 -O1 -g -fPIC -shared -pthread -Wall -Wextra -Werror -Wno-unknown-pragmas -fno-strict-aliasing \
    -ffp-contract=off "-Wl,-soname,$name" -I$cuda/fake/driver -I$cuda/fake -I$cuda -I$cuda/kernels "$@" -o "$out" -ldl -lm
