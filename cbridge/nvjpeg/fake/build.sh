#!/bin/sh
# Builds the fake library: build.sh FILE
set -eu
cd "$(dirname "$0")/library"
exec "${CC:-cc}" -std=gnu11 -O1 -g -fPIC -shared -Wall -Wextra -Werror -I. -I../.. -I../../../cuda/fake ./*.c -o "$1" -ljpeg -lpthread -ldl
