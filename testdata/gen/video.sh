#!/usr/bin/env bash
# Makes video/: gen/video.sh FOLDER. A second or so of FFmpeg's own test picture each, in what decoders
# and containers have of variants. Made with FFmpeg 5.1 of Debian 12.
set -euo pipefail
cd "$1"

ff() { ffmpeg -v error -nostdin -y "${@:1:$#-1}" -fflags +bitexact -bitexact "${@: -1}"; }
source() { printf -- '-threads 1 -f lavfi -i testsrc2=size=%s:rate=%s:duration=%s' "${1:-64x48}" "${2:-25}" "${3:-1}"; }
h264='-c:v libx264 -preset veryfast -crf 33 -threads 1 -pix_fmt yuv420p'
gop='-g 8 -keyint_min 8 -sc_threshold 0 -bf 3 -b_strategy 0'
hevc='-c:v libx265 -preset ultrafast -crf 36 -threads 1'

# shellcheck disable=SC2046,SC2086 # options are to be split
{
    # Codecs. bframes.mp4 is what other files are made of.
    ff $(source) $h264 $gop -x264-params b-pyramid=normal bframes.mp4
    ff $(source) $hevc -pix_fmt yuv420p -x265-params log-level=0:pools=none:keyint=8:min-keyint=8:scenecut=0:open-gop=1:bframes=3:b-adapt=0:info=0 \
        -tag:v hvc1 opengop.mp4
    ff $(source) -c:v libvpx-vp9 -b:v 30k -g 10 -lag-in-frames 8 -auto-alt-ref 1 -cpu-used 5 -row-mt 0 -pix_fmt yuv420p altref.webm
    for pass in 1 2; do # whose hidden frames have packets, and times, of their own
        ff $(source 64x48 25 2) -c:v libvpx -b:v 60k -g 50 -lag-in-frames 25 -auto-alt-ref 1 -arnr-maxframes 5 -arnr-strength 3 -deadline good -cpu-used 0 \
            -pix_fmt yuv420p -pass $pass -passlogfile vpx hidden.ivf
    done
    rm vpx-0.log
    ff $(source) -c:v libaom-av1 -crf 50 -b:v 0 -g 10 -cpu-used 8 -lag-in-frames 8 -row-mt 0 -pix_fmt yuv420p av1.mkv
    ff $(source) -c:v mpeg4 -qscale:v 12 -g 8 -bf 2 mpeg4.avi
    ff $(source 64x48 10) -c:v mjpeg -qscale:v 15 -pix_fmt yuvj420p mjpeg.mov
    ff $(source 64x48 10) -c:v mpeg2video -qscale:v 12 -g 5 -bf 2 mpeg2.mpg
    ff $(source 32x24 5) -c:v ffv1 -pix_fmt rgb24 ffv1.mkv

    # How pixels are stored.
    ff $(source) $h264 $gop -pix_fmt yuv420p10le deep.mp4
    ff $(source 64x48 10) $hevc -pix_fmt yuv420p10le -color_range tv -colorspace bt2020nc -color_primaries bt2020 -color_trc smpte2084 \
        -x265-params log-level=0:pools=none:keyint=5:info=0 -tag:v hvc1 hdr.mp4
    ff $(source 64x48 10) $h264 -pix_fmt yuv422p -colorspace bt709 -color_primaries bt709 -color_trc bt709 yuv422.mp4
    ff $(source 64x48 10) -vf format=yuv444p,crop=63:47:exact=1 $h264 -pix_fmt yuv444p odd444.mp4
    ff $(source 64x48 10) $hevc -pix_fmt gray -x265-params log-level=0:pools=none:keyint=5:info=0 -tag:v hvc1 gray.mp4
    ff $(source 64x48 10) $h264 -vf scale=out_range=pc:out_color_matrix=bt709 -pix_fmt yuvj420p -colorspace bt709 full.mp4
    ff $(source 64x48 10) -vf format=yuv444p,crop=63:47:exact=1 -c:v libvpx-vp9 -b:v 30k -g 5 -cpu-used 5 -pix_fmt yuv420p odd.webm
    ff $(source 64x48 10) $h264 -flags +ildct+ilme -x264-params tff=1 interlaced.mp4

    # Time.
    ff $(source) $h264 $gop -vf "select='mod(n,7)-3*lt(mod(n,5),2)',settb=1/1000,setpts=PTS+mod(N*N\,5)*4" \
        -vsync passthrough -enc_time_base 1:1000 -video_track_timescale 1000 vfr.mp4
    ff -ss 0.5 -i bframes.mp4 -c copy edited.mp4
    ff -i bframes.mp4 -c copy -output_ts_offset 7.5 late.mkv
    ff -i bframes.mp4 -c copy -f mpegts -mpegts_flags resend_headers bframes.ts
    ff -i bframes.mp4 -c copy -bsf:v h264_mp4toannexb -f h264 raw.h264
    ff $(source) $h264 -g 250 -bf 0 -x264-params intra-refresh=1:keyint=8 -f mpegts refresh.ts
    ff -i refresh.ts -c copy refresh.mp4 # whose table of key packets has those that begin a refresh

    # Streams.
    ff -i bframes.mp4 -c copy -metadata:s:v rotate=90 turned.mp4
    ff $(source 48x32 5) $(source 64x48 5) -f lavfi -i sine=frequency=440:sample_rate=16000:duration=1 \
        -f lavfi -i sine=frequency=880:sample_rate=16000:duration=1 -map 0 -map 1 -map 2 -map 3 \
        $h264 -c:a libopus -b:a 8k -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -metadata:s:v:1 language=fra \
        -disposition:v:1 default -disposition:v:0 0 -disposition:a:1 default -disposition:a:0 0 languages.mkv

    # Damage, and what changes on the way.
    ff -i bframes.mp4 -c copy -movflags +faststart whole.mp4
    head -c $(($(stat -c %s whole.mp4) * 7 / 10)) whole.mp4 >truncated.mp4
    head -c $(($(stat -c %s bframes.mp4) * 7 / 10)) bframes.mp4 >noindex.mp4
    head -c $(($(stat -c %s bframes.ts) * 7 / 10)) bframes.ts >truncated.ts
    ff -i bframes.mp4 -c copy -bsf:v "noise=amount='if(eq(n,10),2,0)'" damaged.mp4
    ff -i bframes.mp4 -c copy -bsf:v "noise=amount=0:drop='eq(n,10)'" dropped.mkv
    ff $(source 96x64 25 0.4) $h264 $gop larger.mp4
    printf "file '%s'\n" "$PWD/bframes.mp4" "$PWD/larger.mp4" >list
    ff -f concat -safe 0 -i list -c copy -f mpegts resized.ts
    rm whole.mp4 larger.mp4 list
}
