#!/bin/sh
# Makes this folder's clips: a few frames or a fraction of a second each, from FFmpeg's own sources.
# They are committed; tests do not run this script. Made with FFmpeg 5.1 of Debian 12.
set -eu
cd "$(dirname "$0")"

ff() { ffmpeg -v error -y -bitexact "$@"; }
video='-f lavfi -i testsrc2=size=64x48:rate=10:duration=0.8'
sound='-f lavfi -i sine=frequency=440:sample_rate=16000:duration=0.25'

# shellcheck disable=SC2086 # options are to be split
{
	ff $video $sound -c:v libx264 -preset veryfast -crf 35 -pix_fmt yuv420p -c:a aac -b:a 24k av.mp4
	ff -i av.mp4 -map 0:v -c copy -metadata:s:v rotate=90 turned.mp4
	ff $video -c:v libx264 -preset veryfast -crf 35 -pix_fmt yuv420p10le -f mpegts deep.ts
	ff $video -c:v libvpx-vp9 -b:v 20k -deadline realtime -pix_fmt yuv420p clip.webm
	ff $video -c:v libx264 -preset veryfast -crf 35 -pix_fmt yuv420p -f h264 raw.h264
	ff $sound -c:a pcm_s16le mono.wav
	ff $sound -af 'pan=5.1|c0=c0|c1=c0|c2=c0|c3=c0|c4=c0|c5=c0' -t 0.1 -c:a flac -sample_fmt s16 six.flac
	ff $sound -ac 2 -c:a libmp3lame -b:a 24k stereo.mp3
	ff $sound -c:a libopus -b:a 12k mono.opus
	ff -f lavfi -i testsrc2=size=16x16:rate=1:duration=1 -i stereo.mp3 -map 1 -map 0 -c:a copy -c:v png \
		-disposition:v attached_pic cover.mp3
	ff -f lavfi -i testsrc2=size=16x16:rate=1:duration=1 -frames:v 1 picture.png
}
printf '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\ndeep.ts\n#EXT-X-ENDLIST\n' >playlist.m3u8
printf 'ffconcat version 1.0\nfile clip.webm\n' >list.ffconcat
