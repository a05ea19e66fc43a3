"""Memory does not grow over many clips: SPOOL_SOAK_CLIPS, 1000 by default."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.slow
def test_memory_is_flat(python: Callable[..., Any], testdata: Path) -> None:
    """Two threads decode good and bad files, by calls and by decoders that are closed or garbage collected."""
    clips = int(os.environ.get("SPOOL_SOAK_CLIPS", "1000"))
    told = python(
        f"""
import gc, itertools, json, pathlib, threading
from concurrent.futures import ThreadPoolExecutor
import numpy as np, spool

clips = {clips}
media = pathlib.Path({str(testdata)!r})
names = ("bframes.mp4", "vfr.mp4", "opengop.mp4", "damaged.mp4", "truncated.mp4", "av1.mkv", "altref.webm", "mpeg4.avi")
videos = [media / "video" / n for n in names]
audio_files = [media / "audio" / n for n in ("s16.wav", "mp3.mp3", "opus.opus", "vorbis.ogg", "damaged.m4a")]
data = {{v: v.read_bytes() for v in videos}}

def one(i):
    video, audio = videos[i % len(videos)], audio_files[i % len(audio_files)]
    try:
        if i % 3 == 0:
            spool.decode_video(video, sample=8, size=224)
        elif i % 3 == 1:
            with spool.VideoDecoder(data[video], output_dtype="float32", size=112) as decoder:
                decoder[0], decoder.get_frames_played_at([decoder.metadata.begin_stream_seconds])
        else:
            decoder = spool.VideoDecoder(video)
            kept = decoder[::5]
            decoder.me = decoder
            if i % 10 == 0:
                gc.collect()
        spool.decode_audio(audio, rate=16000, channels=1)
        spool.AudioDecoder(audio).get_samples_played_in_range(0.05, 0.1)
    except spool.DecodeError:
        pass

def rss():
    gc.collect()
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

with ThreadPoolExecutor(2) as pool:
    warm = max(200, clips // 10)
    list(pool.map(one, range(warm)))
    before = rss()
    list(pool.map(one, range(clips)))
    after = rss()

gc.collect()
stats = spool.stats()
print(json.dumps([before, after, stats["arrays"], stats["handles"], stats["ffmpeg_handles"]]))
""",
        timeout=60 + clips / 10,
    )
    before, after, arrays, handles, ffmpeg = told
    assert after - before < 16, f"{before:.0f} MB before, {after:.0f} MB after"
    assert arrays == 0
    assert handles <= 64  # specs cached for the next call
    assert ffmpeg <= 64  # FFmpeg's decoders cached for the next video
