#!/bin/sh
# Prints digests of what the command makes of the test media, a line for each sample: digests.sh COMMAND TESTDATA
#
# They are the same on every machine, and test.sh compares the architectures. So frames have profile fast, since swscale,
# which converts those of profile exact, rounds in another way on arm64. FFmpeg's decoders of lossy audio do too.
set -eu
command=$1 media=$2

digests() { # KIND FILES FLAG...
    echo "$*"
    kind=$1 files=$2
    shift 2
    "$command" run "$kind" "$media/$files" --batch 1 --digest "$@" 2>/dev/null | grep -E '^[0-9]+ [0-9]+ [0-9a-f]{64}$'
}

for profile in exact pillow; do
    digests images photos --size 224 --profile $profile
    digests images hard/good --size 224 --profile $profile
done
digests images photos --size 224 --dtype float32
digests video video --size 112 --profile fast
digests audio 'audio/*.wav'
digests audio 'audio/*.flac'
