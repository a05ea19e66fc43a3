# shellcheck shell=bash disable=SC2034 # for the callers
# Sets up the compilers for an architecture, inside the Debian 11 of the SDK: . tools/sdk/target.sh ARCHITECTURE
#
# cross is the prefix of their names, empty for x86-64, where everything is built. emulator runs programs. The other
# arrays are options for the build systems of the packages.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
case $1 in
x86_64)
    cross='' emulator=()
    configure=() meson=() libvpx=(--as=nasm) ffmpeg=()
    ;;
aarch64)
    cross=aarch64-linux-gnu- emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
    configure=(--host=aarch64-linux-gnu) meson=(--cross-file="$here/aarch64.ini")
    libvpx=(--target=arm64-linux-gcc)
    ffmpeg=(--enable-cross-compile --arch=aarch64 --target-os=linux --cross-prefix="$cross" --pkg-config=pkg-config)
    export CMAKE_TOOLCHAIN_FILE=$here/aarch64.cmake CROSS=$cross GOARCH=arm64 CGO_ENABLED=1
    export CC=${cross}gcc CXX=${cross}g++ AR=${cross}ar NM=${cross}nm RANLIB=${cross}ranlib STRIP=${cross}strip
    ;;
*)
    echo "sdk: $1 is not x86_64 or aarch64" >&2
    exit 2
    ;;
esac
