#!/usr/bin/env bash
# Makes audio/: gen/audio.sh FOLDER. A second or so of tones and noise each, in what codecs and containers of sound
# have of variants. Made with FFmpeg 5.1 of Debian 12.
set -euo pipefail
cd "$1"

ff() { ffmpeg -v error -nostdin -y "${@:1:$#-1}" -fflags +bitexact -bitexact "${@: -1}"; }

# source RATE EXPRESSIONS [SECONDS]: something else at each moment, so that no window is like another.
source() { printf -- '-f lavfi -i aevalsrc=%s:s=%s:d=%s' "$2" "$1" "${3:-1}"; }
left='0.4*sin(2*PI*(300+700*t)*t)+0.1*random(0)*t'
right='0.3*sin(2*PI*(900-400*t)*t)*(1-t/3)'
stereo="$left|$right"

# shellcheck disable=SC2046,SC2086 # options are to be split
{
    # Codecs, with what an encoder adds at both ends. Seconds enough for what a decoder needs before a window.
    ff $(source 22050 "$stereo" 3) -c:a libmp3lame -b:a 32k mp3.mp3
    ff $(source 8000 "$left" 6) -c:a libmp3lame -b:a 8k low.mp3
    ff $(source 22050 "$stereo" 2) -c:a aac -b:a 32k aac.m4a
    ff $(source 22050 "$left" 1) -c:a libopus -b:a 16k opus.opus
    ff $(source 22050 "$stereo" 1) -c:a libvorbis -q:a 0 vorbis.ogg
    ff $(source 16000 "$left" 1) -c:a flac -sample_fmt s16 -frame_size 1024 flac.flac
    ff $(source 8000 "$right|0.8*$right" 0.4) -c:a flac -sample_fmt s32 -bits_per_raw_sample 24 -frame_size 96 stereo.flac
    ff $(source 8000 "$stereo" 0.5) -c:a alac -sample_fmt s16p alac.m4a
    ff $(source 32000 "$left" 0.5) -c:a ac3 -b:a 32k ac3.ac3
    ff $(source 8000 "$stereo" 0.5) -c:a adpcm_ms adpcm.wav

    # Containers.
    ff -i aac.m4a -c copy aac.mkv
    ff -i aac.m4a -c copy -f adts aac.aac
    ff -i mp3.mp3 -t 1 -c copy -f mpegts mp3.ts
    ff -i flac.flac -c copy flac.ogg
    ff -i opus.opus -c copy opus.webm

    # WAV.
    ff $(source 8000 "$stereo" 0.2) -c:a pcm_u8 u8.wav
    ff $(source 8000 "$stereo" 0.2) -c:a pcm_s16le s16.wav
    ff $(source 8000 "$stereo" 0.2) -c:a pcm_s24le s24.wav
    ff $(source 8000 "$left" 0.2) -c:a pcm_s32le s32.wav
    ff $(source 8000 "$left" 0.2) -c:a pcm_f32le f32.wav
    ff $(source 8000 "$left" 0.1) -c:a pcm_f64le f64.wav
    ff $(source 8000 "$left" 0.2) -c:a pcm_alaw alaw.wav
    ff $(source 8000 "$left" 0.2) -c:a pcm_mulaw mulaw.wav
    ff $(source 8000 "$left" 0.2) -c:a pcm_s16le -rf64 always rf64.wav
    ff $(source 8000 "$left|$right|0.2*random(1)|0.1|$right|$left" 0.1) -channel_layout 5.1 -c:a pcm_s16le six.wav

    # Damage: a cut, or one packet that is not what it was.
    head -c $(($(stat -c %s mp3.mp3) * 6 / 10)) mp3.mp3 >truncated.mp3
    head -c $(($(stat -c %s s16.wav) * 6 / 10)) s16.wav >truncated.wav
    head -c $(($(stat -c %s flac.flac) * 6 / 10)) flac.flac >truncated.flac
    ff -i aac.m4a -c copy -bsf:a "noise=amount='if(eq(n,9),2,0)'" damaged.m4a
    ff -i flac.flac -c copy -bsf:a "noise=amount='if(eq(n,5),1,0)'" damaged.mka
    ff -i stereo.flac -c copy -bsf:a "noise=amount='if(eq(n,9),30,0)'" damaged.flac
}
