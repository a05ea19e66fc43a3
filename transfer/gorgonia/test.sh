#!/usr/bin/env bash
# Tests the adapter on the fake driver, without CUDA installed: transfer/gorgonia/test.sh FOLDER
#
# cu is compiled with NVIDIA's headers, of a package of PyPI that is kept in FOLDER, and linked with a library that has the
# names of all calls in them and does nothing. The fake driver takes its place when the test runs; it has fewer calls,
# which are looked for when they are called.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
folder=$PWD

headers=$folder/nvidia/cuda_runtime/include
if [ ! -e "$headers/cuda.h" ]; then
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest . nvidia-cuda-runtime-cu12==12.9.79
    python3 -m zipfile -e nvidia_cuda_runtime_cu12-*.whl . && rm nvidia_cuda_runtime_cu12-*.whl
fi
mkdir -p stub fake
echo '#include <cuda.h>' | cc -E -P -I "$headers" - | tr -s '\n' ' ' | grep -oE 'CUresult +cu\w+' |
    awk '{ print "int " $2 "(void) { return 801; } /* CUDA_ERROR_NOT_SUPPORTED */" }' | sort -u |
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -x c - -o stub/libcuda.so
"$here/../../cbridge/cuda/fake/build.sh" "$folder/fake/libcuda.so.1"

cd "$here"
export CGO_CFLAGS="-O2 -I$headers" CGO_LDFLAGS="-L$folder/stub" LD_LIBRARY_PATH="$folder/fake"
go vet -tags cuda ./...
go test -tags cuda -count=1 ./...
