#!/usr/bin/env python3
"""Cuts audio into windows for speech recognition: audio_windows.py FILE... --out FOLDER

Each file, which may be a video, gives windows of 30 s at 16 kHz in mono, as models like Whisper need them.
Consecutive windows overlap by some seconds. FOLDER/NAME.npz has the samples [windows, length], and the start and the
length of each window in seconds. The rest of the last window is silence. Damaged files are named and left out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import spool

RATE = 16000


def windows(
    samples: npt.NDArray[np.float32], length: int, step: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Cut [time] into [windows, length], one every ``step`` samples, and return how many samples of each are audio."""
    count = max(1, -(-max(0, len(samples) - length) // step) + 1)
    cut = np.zeros((count, length), np.float32)
    filled = np.zeros(count, np.int64)
    for i, window in enumerate(cut):
        part = samples[i * step : i * step + length]
        window[: len(part)] = part
        filled[i] = len(part)
    return cut, filled


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--seconds", type=float, default=30, help="length of a window")
    parser.add_argument("--overlap", type=float, default=5, help="seconds that consecutive windows share")
    options = parser.parse_args()
    length, step = round(options.seconds * RATE), round((options.seconds - options.overlap) * RATE)
    if step <= 0:
        parser.error(f"--overlap {options.overlap} is not less than --seconds {options.seconds}")

    options.out.mkdir(parents=True, exist_ok=True)
    bad = 0
    for path in options.files:
        try:
            # The whole file: most codecs have to be decoded from the beginning for any window.
            audio = spool.decode_audio(path, rate=RATE, channels=1)
        except spool.DecodeError as e:
            print(e, file=sys.stderr)
            bad += 1
            continue
        cut, filled = windows(audio.data[0], length, step)
        starts = np.arange(len(cut)) * step / RATE
        np.savez(options.out / f"{path.name}.npz", samples=cut, starts=starts, seconds=filled / RATE)
        print(f"{path}: {audio.duration_seconds:.2f} s, {len(cut)} windows")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
