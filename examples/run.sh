#!/usr/bin/env bash
# Builds the examples in C, C++ and Rust with the library that `make library` has built, runs them, and compares what
# they print and write with the command's results.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v rustc >/dev/null || tools/deps.sh rust
library=$PWD/python/spool/_lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
link=("-Icapi" "-L$library" -lspool "-Wl,-rpath,$library")

gcc -std=c11 -O2 -Wall -Wextra -Werror examples/loader.c -o "$work/loader" "${link[@]}"
g++ -std=c++17 -O2 -Wall -Wextra -Werror examples/frames.cpp -o "$work/frames" "${link[@]}"
rustc --edition 2021 -O -D warnings -L "$library" -C "link-arg=-Wl,-rpath,$library" -o "$work/batch" examples/batch.rs

expect() { # WHAT EXPECTED FOUND
    if [ "$2" != "$3" ]; then
        printf 'examples: %s: expected\n%s\nfound\n%s\n' "$1" "$2" "$3" >&2
        exit 1
    fi
}

"$work/loader" testdata/photos | tee "$work/loader.txt"
samples=$(bin/spool run images testdata/photos --size 64 --train --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["samples"])')
expect "images of the loader" "$samples" "$(awk '{ n += $3 } END { print n }' "$work/loader.txt")"

video=testdata/video/bframes.mp4
"$work/frames" "$video" "$work"
for frame in 0 5 10; do
    bin/spool decode video "$video" --frames "$frame" --size 96x64 --mode cover --out "$work/want.npy"
    bin/spool decode image "$work/$frame.png" --out "$work/got.npy"
    # the shape in the header differs: a clip of one frame, and an image
    expect "pixels of frame $frame" "$(tail -c 18432 "$work/want.npy" | sha256sum)" "$(tail -c 18432 "$work/got.npy" | sha256sum)"
done

"$work/batch" testdata/photos/animal/0[01].jpg testdata/hard/bad/truncated.bmp | tee "$work/batch.txt"
expect "shape of the batch" "[2, 3, 64, 64]" "$(sed -n '1s/, mean.*//p' "$work/batch.txt")"
expect "bad files" 1 "$(grep -c '"class":"truncated"' "$work/batch.txt")"
