#!/usr/bin/env bash
# Decodes images and audio under valgrind: tools/valgrind.sh [FILE...]
#
# libvips reads the images (tools/valgrind.c): for the loaders that spool uses, which the address sanitizer does not see
# inside. Then the command decodes all files, for our C and for the libraries that it calls. The command is
# bin/valgrind/spool, built with -tags valgrind, so that Go tells valgrind of its stacks.
#
# Without FILEs: testdata/hard, testdata/audio, and the inputs that fuzz targets of decoders keep. Prints the files that
# were read with errors of memory, or that ended the process, and exits with 1 if there are any. The reports stay in
# bin/valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."
logs=bin/valgrind
mkdir -p "$logs"
rm -rf "$logs"/*.log "$logs/seeds"

# Fuzz targets keep their inputs as Go's strings.
seeds() {
    mkdir -p "$logs/seeds"
    git ls-files 'cbridge/*/testdata/fuzz/*' 'decode/*/testdata/fuzz/*' | python3 -c '
import re, sys
from pathlib import Path
for name in sys.stdin.read().split():
    for line in Path(name).read_text().splitlines():
        if line.startswith("[]byte("):
            text = re.sub(r"\\[uU]([0-9a-f]{8}|[0-9a-f]{4})", lambda m: chr(int(m[1], 16)), line[8:-2]).encode()
            data = text.decode("unicode_escape").encode("latin-1")
            Path(sys.argv[1], "-".join(name.split("/")[-2:])).write_bytes(data)
            break
' "$logs/seeds"
}

if [ $# -eq 0 ]; then
    seeds
    set -- testdata/hard/*/* testdata/audio/* "$logs"/seeds/*
fi
images=() audio=()
for file in "$@"; do
    case $file in
    */audio/* | *FLAC*) audio+=("$file") ;;
    *) images+=("$file") ;;
    esac
done

# Runs PROGRAM ARGUMENTS..., which exits with 0, or with 1 if it refuses files: LOG PROGRAM ARGUMENTS...
check() {
    local log=$logs/$1.log code=0
    shift
    # GLib's slices would hide reads beyond small blocks. libjpeg-turbo's vectors have bytes behind the end of rows, which
    # are not initialized. Go saves registers outside of the frames that valgrind knows, where it stops a goroutine.
    G_SLICE=always-malloc JSIMD_FORCENONE=1 GODEBUG=asyncpreemptoff=1 valgrind --quiet --error-exitcode=99 \
        --suppressions=tools/valgrind.supp --leak-check=no "$@" >"$log" 2>&1 || code=$?
    if [ "$code" -gt 1 ]; then
        echo "FAILED with exit status $code: $log"
        return 1
    fi
}

# Decodes all files in one process, which takes seconds to start, and if that fails, each in its own.
failed=0
each() { # NAME PROGRAM ARGUMENTS... -- FILE...
    local name=$1 program=() file
    shift
    while [ "$1" != -- ]; do
        program+=("$1")
        shift
    done
    shift
    [ $# -gt 0 ] || return 0
    if ! check "$name" "${program[@]}" "$@"; then
        for file in "$@"; do
            check "$name-$(basename "$file")" "${program[@]}" "$file" || failed=$((failed + 1))
        done
    fi
    echo "valgrind: $name, $# files, $failed with errors so far"
}

# shellcheck disable=SC2046 # one word a flag
cc -g -O1 -Wall -Wextra -Werror -o "$logs/read" tools/valgrind.c $(pkg-config --cflags --libs vips)
each libvips "$logs/read" -- "${images[@]}"
each images "$logs/spool" run images --size 64 --workers 1 --batch 1 -- "${images[@]}"
each audio "$logs/spool" run audio --duration 0.2 --rate 8000 --workers 1 --batch 1 -- "${audio[@]}"
[ "$failed" -eq 0 ]
