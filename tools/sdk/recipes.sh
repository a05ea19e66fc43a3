# shellcheck shell=bash disable=SC2154 # arch, prefix and jobs are of build.sh
# How each package of sources.json is built: a function for each, which tools/sdk/build.sh calls in the package's source
# folder. All libraries are static, for $prefix. What libspool.so does not need is left out: programs, tests, formats
# that no lane reads, and code under the GPL.

# shellcheck source=tools/sdk/target.sh
. "$(dirname "${BASH_SOURCE[0]}")/target.sh" "$arch"

configure_build() { # OPTIONS...
    ./configure --prefix="$prefix" --disable-shared --enable-static "${configure[@]}" "$@"
    make -j"$jobs"
    make install
}

cmake_build() { # OPTIONS...
    cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_POLICY_VERSION_MINIMUM=3.5 "$@"
    ninja -C out -j"$jobs" install
}

meson_setup() { # OPTIONS...
    meson setup out --prefix="$prefix" --libdir=lib --buildtype=release --default-library=static --wrap-mode=nodownload \
        "${meson[@]}" "$@"
}

meson_build() { # OPTIONS...
    meson_setup "$@"
    ninja -C out -j"$jobs" install
}

build_zlib() {
    ./configure --static --prefix="$prefix"
    make -j"$jobs" install
}

build_expat() {
    if [ -d expat ]; then cd expat || return; fi
    cmake_build -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TESTS=OFF \
        -DEXPAT_BUILD_DOCS=OFF
}

build_libffi() { configure_build --with-pic --disable-docs --disable-multi-os-directory; }

build_pcre2() { configure_build --with-pic --enable-jit; }

build_libjpeg_turbo() { # it takes a relative CMAKE_INSTALL_LIBDIR for one in its source folder
    cmake_build -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DREQUIRE_SIMD=ON -DCMAKE_INSTALL_LIBDIR="$prefix/lib"
}

build_libpng1_6() { cmake_build -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_TOOLS=OFF; }

build_libdeflate() { cmake_build -DLIBDEFLATE_BUILD_SHARED_LIB=OFF -DLIBDEFLATE_BUILD_GZIP=OFF; }

build_libwebp() {
    cmake_build -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF -DWEBP_BUILD_GIF2WEBP=OFF \
        -DWEBP_BUILD_IMG2WEBP=OFF -DWEBP_BUILD_VWEBP=OFF -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF \
        -DWEBP_BUILD_EXTRAS=OFF
}

build_giflib() { # for the command's benchmark of GIF
    make -j"$jobs" CC="${cross}gcc" CFLAGS="$CFLAGS -std=gnu99" libgif.a
    cp libgif.a "$prefix/lib/"
    cp gif_lib.h "$prefix/include/"
}

build_lcms2() { configure_build --with-pic --without-tiff --without-jpeg --without-zlib; }

build_opus() { configure_build --with-pic --disable-doc --disable-extra-programs; }

build_libvpx() { # FFmpeg decodes VP8 and VP9 itself
    ./configure --prefix="$prefix" --enable-pic --disable-shared --enable-static --disable-examples --disable-tools \
        --disable-docs --disable-unit-tests --disable-vp8-decoder --disable-vp9-decoder --enable-vp9-highbitdepth \
        "${libvpx[@]}"
    make -j"$jobs"
    make install
}

build_svt_av1() { cmake_build -DBUILD_APPS=OFF -DBUILD_DEC=OFF -DSVT_AV1_LTO=OFF -DENABLE_NASM=ON; }

build_dav1d() { meson_build -Denable_tools=false -Denable_tests=false; }

build_libyuv() { # its install would build a shared library and a program too
    cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_DISABLE_FIND_PACKAGE_JPEG=ON
    ninja -C out -j"$jobs" yuv
    cp out/libyuv.a "$prefix/lib/"
    cp -r include/* "$prefix/include/"
}

build_libavif() {
    cmake_build -DAVIF_CODEC_DAV1D=SYSTEM -DAVIF_CODEC_AOM=OFF -DAVIF_LIBYUV=SYSTEM -DAVIF_LIBSHARPYUV=OFF -DAVIF_BUILD_APPS=OFF \
        -DAVIF_BUILD_TESTS=OFF -DAVIF_BUILD_EXAMPLES=OFF -DAVIF_BUILD_MAN_PAGES=OFF
}

build_brotli() { cmake_build -DBROTLI_DISABLE_TESTS=ON; }

build_highway() { cmake_build -DHWY_ENABLE_TESTS=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_CONTRIB=OFF; }

build_jpeg_xl() {
    cmake_build -DJPEGXL_ENABLE_TOOLS=OFF -DJPEGXL_ENABLE_DOXYGEN=OFF -DJPEGXL_ENABLE_MANPAGES=OFF -DJPEGXL_ENABLE_BENCHMARK=OFF \
        -DJPEGXL_ENABLE_EXAMPLES=OFF -DJPEGXL_ENABLE_SJPEG=OFF -DJPEGXL_ENABLE_OPENEXR=OFF -DJPEGXL_ENABLE_SKCMS=OFF \
        -DJPEGXL_ENABLE_JPEGLI=OFF -DJPEGXL_ENABLE_JNI=OFF -DJPEGXL_BUNDLE_LIBPNG=OFF -DJPEGXL_ENABLE_PLUGINS=OFF \
        -DJPEGXL_FORCE_SYSTEM_BROTLI=ON -DJPEGXL_FORCE_SYSTEM_HWY=ON -DJPEGXL_FORCE_SYSTEM_LCMS2=ON
}

build_libde265() { cmake_build -DENABLE_SDL=OFF -DENABLE_DECODER=OFF -DENABLE_ENCODER=OFF; }

build_libheif() {
    cmake_build -DENABLE_PLUGIN_LOADING=OFF -DWITH_LIBDE265=ON -DWITH_LIBDE265_PLUGIN=OFF -DWITH_X265=OFF -DWITH_AOM_DECODER=OFF \
        -DWITH_AOM_ENCODER=OFF -DWITH_DAV1D=OFF -DWITH_SvtEnc=OFF -DWITH_RAV1E=OFF -DWITH_KVAZAAR=OFF -DWITH_LIBSHARPYUV=OFF \
        -DWITH_JPEG_DECODER=OFF -DWITH_JPEG_ENCODER=OFF -DWITH_OpenJPEG_DECODER=OFF -DWITH_OpenJPEG_ENCODER=OFF \
        -DWITH_FFMPEG_DECODER=OFF -DWITH_UNCOMPRESSED_CODEC=OFF -DWITH_EXAMPLES=OFF -DWITH_GDK_PIXBUF=OFF
}

build_openjpeg2() { # like Debian's, whose bytes are Pillow's
    cmake_build -DBUILD_CODEC=OFF -DBUILD_STATIC_LIBS=ON -DCMAKE_BUILD_TYPE=None
}

build_tiff() {
    cmake_build -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF -Djpeg=ON -Dzlib=ON -Djbig=OFF -Dlerc=OFF -Dlzma=OFF -Dzstd=OFF \
        -Dwebp=OFF -Dcxx=OFF
}

build_glib2_0() {
    meson_build -Dnls=disabled -Dlibmount=disabled -Dselinux=disabled -Dxattr=false -Dlibelf=disabled -Dintrospection=disabled \
        -Dtests=false -Dman-pages=disabled -Ddocumentation=false -Dsysprof=disabled -Ddtrace=disabled -Dsystemtap=disabled \
        -Dglib_assert=false -Dglib_checks=false
}

build_vips() { # without its programs
    meson_setup --auto-features=disabled -Dmodules=disabled -Dintrospection=disabled -Dcplusplus=false -Dexamples=false -Ddeprecated=false \
        -Dnsgif=false -Dppm=false -Danalyze=false -Dradiance=false \
        -Djpeg=enabled -Dpng=enabled -Dtiff=enabled -Dheif=enabled -Djpeg-xl=enabled -Dlcms=enabled -Dzlib=enabled
    ninja -C out -j"$jobs" libvips/libvips.a
    meson install -C out --no-rebuild --tags devel
}

build_nv_codec_headers() { make install PREFIX="$prefix"; }

build_ffmpeg() { # without GPL and version 3 parts: LGPL 2.1
    local flags=$CFLAGS
    unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS # its configure adds them to each call of the compiler a second time
    ./configure --prefix="$prefix" --enable-static --disable-shared --enable-pic --disable-programs --disable-doc \
        --disable-autodetect --disable-network --disable-iconv --disable-indevs --disable-outdevs --disable-debug \
        --enable-zlib --enable-libdav1d --enable-libopus --enable-libvpx --enable-libsvtav1 --enable-ffnvcodec --enable-nvdec \
        --pkg-config-flags=--static --extra-cflags="$flags -I$prefix/include" --extra-ldflags="-L$prefix/lib" \
        "${ffmpeg[@]}"
    make -j"$jobs"
    make install
}
