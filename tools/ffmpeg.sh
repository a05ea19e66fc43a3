#!/usr/bin/env bash
# Checks that pkg-config finds an FFmpeg that a go.mod fits: 5.1 (go.mod) or 7.1 (go.ffmpeg7.mod). With another one the
# compiler fails later, and says less (cbridge/av/internal/release).
set -euo pipefail

libraries=(libavcodec libavdevice libavfilter libavformat libavutil libswresample libswscale)

refuse() {
    {
        echo "ffmpeg: $1"
        echo "ffmpeg: spool builds with FFmpeg 5.1 (Debian 12) or 7.1 (Debian 13), all libraries of one release"
        echo "ffmpeg: on Debian, make deps installs them; elsewhere, install one and put the folder of its .pc files into PKG_CONFIG_PATH"
    } >&2
    exit 1
}

command -v pkg-config >/dev/null || refuse "pkg-config is missing"
# The versions of the libraries in the release, in the same order. Later ones of a major version have the same interface.
codec=$(pkg-config --modversion libavcodec 2>/dev/null) || refuse "pkg-config does not find libavcodec"
case $codec in
59.*) release=5.1 versions=(59.37 59.7 8.44 59.27 57.28 4.7 6.7) ;;
61.*) release=7.1 versions=(61.19 61.3 10.4 61.7 59.39 5.3 8.3) ;;
*) refuse "libavcodec $codec is of FFmpeg $((${codec%%.*} - 54))" ;;
esac
for i in "${!libraries[@]}"; do
    library=${libraries[i]} wanted=${versions[i]}
    found=$(pkg-config --modversion "$library" 2>/dev/null) || refuse "pkg-config does not find $library, or what it needs"
    oldest=$(printf '%s\n' "$found" "$wanted" | sort --version-sort | head -n 1)
    if [ "${found%%.*}" != "${wanted%%.*}" ] || [ "$oldest" != "$wanted" ]; then
        refuse "FFmpeg $release has $library $wanted or later: found $found"
    fi
done
