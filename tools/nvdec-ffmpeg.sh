#!/usr/bin/env bash
# Builds an FFmpeg that is small enough to carry to a machine with a GPU. It has only the decoders that NVDEC has, and
# their containers. Names and interface are those of Debian's FFmpeg (5.1 on Debian 12, 7.1 on 13), so programs that
# were built against Debian's run with it.
#
#   tools/nvdec-ffmpeg.sh FOLDER    leaves FOLDER/lib*.so.*, for LD_LIBRARY_PATH
#
# Sources and NVIDIA's headers (libffmpeg-nvenc-dev) are Debian's, of the release this runs on. Nothing is installed.
# Needs a compiler, make, dpkg-dev and libdav1d-dev.
set -euo pipefail

if [ $# -ne 1 ]; then
    echo "usage: nvdec-ffmpeg.sh FOLDER" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# apt's lists, in a place of ours, with sources.
# shellcheck source=/dev/null
. /etc/os-release
mkdir -p lists/partial archives/partial
cat >sources.list <<END
deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main
deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main
END
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache::archives=$work/archives" -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" source ffmpeg
"${apt[@]}" download libffmpeg-nvenc-dev
dpkg-deb -x libffmpeg-nvenc-dev_*.deb headers
mkdir -p pc
sed "s|^prefix=.*|prefix=$work/headers/usr|" "$(find headers -name ffnvcodec.pc)" >pc/ffnvcodec.pc

cd ffmpeg-*/
# The symbols carry versions, as Debian's do. dav1d is the host's decoder of AV1.
PKG_CONFIG_PATH=$work/pc ./configure --prefix="$work/out" --enable-shared --disable-static --disable-programs --disable-doc \
    --disable-everything --disable-autodetect --disable-network --disable-x86asm --enable-gpl --disable-debug \
    --enable-ffnvcodec --enable-cuda --enable-nvdec --enable-libdav1d \
    --enable-decoder=h264,hevc,vp8,vp9,av1,libdav1d,mpeg1video,mpeg2video,mpeg4,mjpeg,vc1 \
    --enable-hwaccel=h264_nvdec,hevc_nvdec,vp8_nvdec,vp9_nvdec,av1_nvdec,mpeg1_nvdec,mpeg2_nvdec,mpeg4_nvdec,mjpeg_nvdec,vc1_nvdec \
    --enable-parser=h264,hevc,vp8,vp9,av1,mpegvideo,mpeg4video,mjpeg,vc1,aac,mpegaudio,opus,vorbis \
    --enable-demuxer=mov,matroska,mpegts,mpegps,avi,ivf,h264,hevc,mpegvideo,ogg \
    --enable-protocol=file --enable-filter=buffer,buffersink,abuffer,abuffersink,null,anull,format,aformat,scale,aresample \
    --enable-bsf=h264_mp4toannexb,hevc_mp4toannexb,vp9_superframe_split,av1_frame_merge,extract_extradata,null >configure.log
make -j"$(nproc)" >make.log 2>&1 || { tail -20 make.log >&2; exit 1; }
make install >install.log 2>&1
cd "$work/out/lib"
for library in lib*.so.*; do
    if [ -L "$library" ] && [[ $library =~ ^lib[a-z]+\.so\.[0-9]+$ ]]; then
        cp -L "$library" "$folder/"
        strip --strip-unneeded "$folder/$library"
    fi
done
ldd "$folder"/libavcodec.so.* | grep -o '/[^ ]*libdav1d[^ ]*' | xargs cp -Lt "$folder"
du -sh "$folder"
