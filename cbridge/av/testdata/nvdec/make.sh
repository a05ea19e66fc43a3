#!/usr/bin/env bash
# Makes the files of this folder: cbridge/av/testdata/nvdec/make.sh
#
# NVDEC decodes no HEVC under 144x144 and no VP9 or AV1 under 128x128, so testdata/video is too small for it. Made with
# FFmpeg 5.1 of Debian 12.
set -euo pipefail
cd "$(dirname "$0")"

make() { ffmpeg -v error -nostdin -y -threads 1 -f lavfi -i testsrc2=size=160x176:rate=10:duration=1.2 "${@:1:$#-1}" -fflags +bitexact -bitexact "${@: -1}"; }
x265=log-level=0:pools=none:keyint=6:bframes=2:info=0

make -c:v libx265 -preset fast -crf 40 -threads 1 -x265-params $x265 -pix_fmt yuv420p -tag:v hvc1 hevc.mp4
make -c:v libx265 -preset fast -crf 40 -threads 1 -x265-params $x265 -pix_fmt yuv420p10le -tag:v hvc1 hevc10.mp4
make -c:v libvpx-vp9 -b:v 40k -g 6 -cpu-used 5 -row-mt 0 -pix_fmt yuv420p vp9.webm
make -c:v libvpx-vp9 -profile:v 2 -b:v 40k -g 6 -cpu-used 5 -row-mt 0 -pix_fmt yuv420p10le vp9-10.webm
make -c:v libaom-av1 -crf 55 -b:v 0 -g 6 -cpu-used 8 -row-mt 0 -pix_fmt yuv420p av1.mkv
make -c:v libaom-av1 -crf 55 -b:v 0 -g 6 -cpu-used 8 -row-mt 0 -pix_fmt yuv420p10le av1-10.mkv
make -c:v libx264 -crf 40 -threads 1 -pix_fmt yuv420p h264.mp4
