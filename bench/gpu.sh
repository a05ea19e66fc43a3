#!/usr/bin/env bash
# Tests and benchmarks on a machine with a GPU, which needs neither Go nor FFmpeg nor libvips. PyTorch is used if it is
# there.
#
#   bench/gpu.sh build [FOLDER]   here: packs test binaries, their data and their libraries, under bin/gpu
#   bench/gpu.sh run [FOLDER]     there: runs them, with or without the repository (FOLDER/gpu.sh is a copy)
#   bench/gpu.sh record OUT       here: adds the figures of a run, of its folder out, to bench/results and the docs
#
# run prints the output of the tests, then a line for each package. It fails if a package has failed or a figure is too
# low. FOLDER/out has the whole output; copies.jsonl there has the figures of the copies. With
# LD_LIBRARY_PATH=bin/fake-cuda (make fake-cuda) it runs without a device, to check that everything it needs is packed.
# Figures have no meaning then.
set -euo pipefail

mode=${1:-}
here=$(cd "$(dirname "$0")" && pwd)
if [ -e "$here/../go.mod" ]; then
    folder=${2:-$here/../bin/gpu}
else
    folder=${2:-$here}
fi
# The tested packages, which need little more than CUDA.
packages=(cbridge/cuda cbridge/cuda/kernels cbridge/nvjpeg transfer bench/copies)

build() {
    cd "$here/.."
    rm -rf "$folder"
    mkdir -p "$folder/lib" "$folder/libc"
    folder=$(cd "$folder" && pwd)
    local package file
    for package in "${packages[@]}"; do
        mkdir -p "$folder/$package"
        go test -c -ldflags '-s -w' -o "$folder/$package/run.test" "./$package"
        # Tests read sources and test data in their folders.
        find "$package" -maxdepth 1 -type f \( -name '*.h' -o -name '*.cu' -o -name '*.ptx' -o -name '*.py' \) -exec cp -t "$folder/$package" {} +
        if [ -d "$package/testdata" ]; then cp -r "$package/testdata" "$folder/$package/"; fi
    done
    mkdir -p "$folder/testdata"
    cp -r testdata/photos "$folder/testdata/"
    # The C library with its loader too, for a machine that has an older one.
    for file in "$folder"/*/run.test "$folder"/*/*/run.test "$folder"/*/*/*/run.test; do
        if [ -e "$file" ]; then ldd "$file"; fi
    done | grep -o '/[^ ]*' | sort -u | xargs cp -Lt "$folder/lib"
    for file in "$folder"/lib/{ld-linux-,libc.so,libm.so,libdl.so,libpthread.so,librt.so,libresolv.so}*; do
        if [ -e "$file" ]; then mv "$file" "$folder/libc/"; fi
    done
    nvdec
    # The wheel, if make wheel has built one, with the tests that need PyTorch there.
    if compgen -G "dist/*_$(uname -m).whl" >/dev/null; then
        mkdir -p "$folder/python"
        cp dist/*_"$(uname -m)".whl python/tests/need.py python/tests/gpu/*.py "$folder/python/"
    fi
    cp "$here/gpu.sh" "$folder/"
    git rev-parse --short=10 HEAD >"$folder/commit"
    local size
    size=$(tar -C "$folder" -cz . | wc -c)
    echo "gpu: $folder, $((size >> 20)) MiB packed"
    if [ "$size" -gt $((64 << 20)) ]; then
        echo "gpu: more than 64 MiB" >&2
        exit 1
    fi
}

# NVDEC is used through FFmpeg. Debian's FFmpeg needs some hundred other libraries, so a small FFmpeg is built instead.
nvdec() {
    if ! command -v dpkg-source >/dev/null; then
        echo "gpu: without NVDEC: building its FFmpeg needs dpkg-dev, which is not installed"
        return
    fi
    tools/nvdec-ffmpeg.sh "$folder/nvdec"
    mkdir -p "$folder/cbridge/av"
    go test -c -ldflags '-s -w' -o "$folder/cbridge/av/run.test" ./cbridge/av
    mkdir -p "$folder/cbridge/av/testdata"
    cp -r cbridge/av/testdata/nvdec "$folder/cbridge/av/testdata/"
    cp -r testdata/video "$folder/testdata/"
}

failed=()
summary=()

# Runs the tests of a package: NAME DIRECTORY FLAGS...
try() {
    local name=$1 directory=$2 status=passed
    shift 2
    printf '\n== %s\n' "$name"
    if ! (cd "$folder/$directory" && LD_LIBRARY_PATH=$libraries exec "${launch[@]}" ./run.test -test.v -test.timeout 8m "$@") >"$folder/out/$name" 2>&1; then
        status=FAILED
        failed+=("$name")
    fi
    grep -vE '^=== (RUN|PAUSE|CONT|NAME)' "$folder/out/$name" | tail -400 || true
    summary+=("$(printf '%-18s %s: %d passed, %d skipped, %d failed' "$name" "$status" \
        "$(grep -cE '^(--- PASS|Benchmark.*/op)' "$folder/out/$name")" "$(grep -cE '^--- SKIP' "$folder/out/$name")" "$(grep -cE '^--- FAIL' "$folder/out/$name")")")
}

# Tests the wheel with the PyTorch of the machine.
python() {
    if ! compgen -G "$folder/python/*.whl" >/dev/null || ! python3 -c 'import pytest, torch' 2>/dev/null; then
        summary+=("python             SKIPPED: no wheel was packed, or PyTorch or pytest is not installed")
        return
    fi
    printf '\n== python\n'
    local status=passed required=
    if [ "$SPOOL_TEST_CUDA" = real ]; then required=device; fi
    python3 -m pip install --quiet --no-index --no-deps --target "$folder/python/site" "$folder"/python/*.whl
    # Users have the system's libraries, and those of CUDA.
    if ! env LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/cuda/lib64" PYTHONPATH="$folder/python/site" SPOOL_TESTDATA="$folder/testdata" \
        SPOOL_REQUIRE="${SPOOL_REQUIRE:-$required}" python3 -m pytest -p no:cacheprovider -v -s "$folder/python" >"$folder/out/python" 2>&1; then
        status=FAILED
        failed+=(python)
    fi
    tail -n 200 "$folder/out/python"
    summary+=("$(printf '%-18s %s: %s' python "$status" "$(tail -n 1 "$folder/out/python")")")
}

run() {
    folder=$(cd "$folder" && pwd)
    mkdir -p "$folder/out"
    export SPOOL_TEST_CUDA=${SPOOL_TEST_CUDA:-real}
    if [ -e "$folder/commit" ]; then echo "gpu-$(date -u +%F)-$(cat "$folder/commit")" >"$folder/out/name"; fi
    if command -v nvidia-smi >/dev/null; then
        nvidia-smi --query-gpu=name,driver_version,memory.total,pcie.link.gen.max,pcie.link.width.max --format=csv
    fi
    libraries=$folder/lib:$folder/nvdec:${LD_LIBRARY_PATH:-}
    launch=()
    if ! LD_LIBRARY_PATH=$libraries "$folder/bench/copies/run.test" -test.list . >/dev/null 2>&1; then
        echo "gpu: with the packed C library"
        launch=("$(echo "$folder"/libc/ld-linux-*)" --library-path "$folder/libc:$libraries")
    fi
    try cuda cbridge/cuda
    try kernels cbridge/cuda/kernels
    try nvjpeg cbridge/nvjpeg
    try transfer transfer
    SPOOL_RESULTS=$folder/out/copies.jsonl try copies bench/copies
    if [ -e "$folder/cbridge/av/run.test" ]; then
        try nvdec cbridge/av -test.run RealNVDEC
    fi
    python
    if [ "$SPOOL_TEST_CUDA" = real ]; then
        # The kernel that normalizes has to reach 0.8 of the memory's bandwidth.
        try bandwidth cbridge/cuda/kernels -test.run '^$' -test.bench 'Normalize|Frames' -test.benchtime 200x -test.timeout 3m
        if ! awk '/^BenchmarkNormalize\/float16(-[0-9]+)? / { for (i = 2; i <= NF; i++) if ($i == "of-memory") share = $(i - 1) }
                  END { print "normalise: " share + 0 " of the memory bandwidth"; exit share + 0 < 0.8 }' "$folder/out/bandwidth"; then
            failed+=(normalise)
        fi
        if command -v compute-sanitizer >/dev/null; then
            launch=(compute-sanitizer --error-exitcode 9 --target-processes all "${launch[@]}")
            try sanitizer cbridge/cuda/kernels -test.run .
            try sanitizer-transfer transfer -test.run 'RoundTrip|Nested|DLPack|Normalizer|Frames'
        else
            summary+=("sanitizer          SKIPPED: compute-sanitizer is not installed")
        fi
    fi
    printf '\n'
    printf '%s\n' "${summary[@]}"
    if [ ${#failed[@]} -gt 0 ]; then
        echo "failed: ${failed[*]}" >&2
        exit 1
    fi
}

# The name of a result is gpu-DATE-COMMIT, which run writes to out/name.
record() {
    local out=$1 name
    name=$here/results/$(cat "$out/name")
    cp "$out/copies.jsonl" "$name.jsonl"
    cp "$out/bandwidth" "$name.txt"
    chmod 644 "$name.jsonl" "$name.txt"
    cd "$here/.."
    go run ./bench/readme
    echo "gpu: ${name#"$PWD"/}"
}

case $mode in
build | run) "$mode" ;;
record) record "$2" ;;
*)
    echo "gpu.sh: build, run or record" >&2
    exit 2
    ;;
esac
