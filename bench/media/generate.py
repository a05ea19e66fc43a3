"""Writes the media that the benchmarks load: generate.py FOLDER [PART...]

The sources are the photos of testdata. Scaled crops of them with sensor noise become photos of ImageNet's sizes, photos
of 12 megapixels, PNG and WebP files. Moving crops become video, and synthesized notes become audio. The same releases
of NumPy, Pillow and FFmpeg write the same bytes. Folders that are complete are skipped. Without
names of parts, all but mixed are written.

  photos/NNN.jpg     300 photos of 0.2 megapixels on average. Most are 4:2:0 and baseline.
  large/N.jpg        4 photos of 4000x3000 pixels.
  formats/           3 images, each as N.png and as N.webp, lossy.
  video/clipN.mp4    8 videos of 10 s in H.264, 340x256 pixels at 30 frames a second.
  video/hd.mp4       8 s of H.264, 1280x720 pixels.
  audio/             8 s of stereo at 44.1 kHz: pcm16.wav, pcm24.wav, a.mp3, a.flac, a.m4a; a.opus has 48 kHz.
  mixed/             40 images of 0.02 to 48 megapixels, for soak: JPEG, some progressive, and PNG and WebP up to 12.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
from PIL import Image

SOURCES = pathlib.Path(__file__).parents[2] / "testdata" / "photos"
# Sizes of ImageNet's photos, and how many of a hundred have each.
SIZES = {(500, 375): 56, (375, 500): 18, (500, 333): 12, (333, 500): 6, (640, 480): 6, (1024, 768): 2}
CLIP = (340, 256)
HD = (1280, 720)
FPS = 30
RATE = 44_100
SECONDS = 8


def load_sources() -> list[Image.Image]:
    """Return the color photos, upright."""
    from PIL import ImageOps

    photos = [ImageOps.exif_transpose(Image.open(path)) for path in sorted(SOURCES.glob("*/*.jpg"))]
    return [photo for photo in photos if photo.mode == "RGB" and min(photo.size) >= 240]


def crop(rng: random.Random, photo: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Return a random crop of a photo with the aspect ratio of size, scaled to size, and flipped half of the time."""
    width, height = size
    scale = min(photo.width / width, photo.height / height) * rng.uniform(0.7, 1)
    w, h = width * scale, height * scale
    x, y = rng.uniform(0, photo.width - w), rng.uniform(0, photo.height - h)
    cropped = photo.resize(size, Image.Resampling.BICUBIC, box=(x, y, x + w, y + h))
    return cropped.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if rng.random() < 0.5 else cropped


def add_noise(rng: random.Random, image: Image.Image, sigma: float) -> Image.Image:
    """Add sensor noise, since scaling up smooths. With noise the codec has as much work as with a photo."""
    generator = np.random.default_rng(rng.getrandbits(64))
    noise = generator.normal(0, sigma, (image.height, image.width, 3))
    return Image.fromarray(np.clip(np.asarray(image) + noise, 0, 255).astype("u1"))


def photo(rng: random.Random, sources: list[Image.Image], size: tuple[int, int], sigma: float) -> Image.Image:
    return add_noise(rng, crop(rng, rng.choice(sources), size), sigma)


def write_photos(folder: pathlib.Path, rng: random.Random, sources: list[Image.Image]) -> None:
    for n in range(300):
        size = rng.choices(list(SIZES), list(SIZES.values()))[0]
        photo(rng, sources, size, rng.uniform(2, 5)).save(
            folder / f"{n:03}.jpg",
            quality=rng.choice([85, 90, 92, 95]),
            subsampling=rng.choices(["4:2:0", "4:4:4"], [79, 21])[0],
            progressive=rng.random() < 0.02,
        )


def write_large(folder: pathlib.Path, rng: random.Random, sources: list[Image.Image]) -> None:
    for n in range(4):
        photo(rng, sources, (4000, 3000), 3).save(folder / f"{n}.jpg", quality=85, subsampling="4:2:0")


def write_formats(folder: pathlib.Path, rng: random.Random, sources: list[Image.Image]) -> None:
    for n, size in enumerate([(500, 375), (640, 480), (500, 375)]):
        image = photo(rng, sources, size, 3)
        image.save(folder / f"{n}.png")
        image.save(folder / f"{n}.webp", quality=80)


def write_mixed(folder: pathlib.Path, rng: random.Random, sources: list[Image.Image]) -> None:
    count = 40
    for n in range(count):
        megapixels = 0.02 * (48 / 0.02) ** (n / (count - 1))
        width = round((megapixels * 1e6 * 4 / 3) ** 0.5)
        size = (width, round(width * 3 / 4))[:: rng.choice([1, -1])]
        image = crop(rng, rng.choice(sources), size)
        name = folder / f"{n:02}"
        if megapixels <= 12 and n % 4 == 2:
            image.save(name.with_suffix(".png"))
        elif megapixels <= 12 and n % 4 == 3:
            image.save(name.with_suffix(".webp"), quality=80)
        else:
            image.save(name.with_suffix(".jpg"), quality=85, progressive=n % 4 == 1)


def ffmpeg(*arguments: str, data: Iterator[bytes]) -> None:
    """Run the ffmpeg command in one thread, which makes its output reproducible."""
    command = ["ffmpeg", "-v", "error", "-y", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        for block in data:
            process.stdin.write(block)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")


def move(rng: random.Random, source: Image.Image, size: tuple[int, int], frames: int) -> Iterator[bytes]:
    """Yield the frames of a camera that moves over a photo on a smooth path, with a little noise in each."""
    zoom, phases = rng.uniform(0.5, 0.7), [rng.uniform(0, 6.28) for _ in range(3)]
    shape = min(source.width / size[0], source.height / size[1])
    for n in range(frames):
        t = 6.28 * n / frames
        scale = shape * (zoom + 0.1 * np.sin(t + phases[2]))
        w, h = size[0] * scale, size[1] * scale
        x = (source.width - w) * (0.5 + 0.5 * np.sin(t + phases[0]))
        y = (source.height - h) * (0.5 + 0.5 * np.sin(2 * t + phases[1]))
        image = source.resize(size, Image.Resampling.BILINEAR, box=(x, y, x + w, y + h))
        yield add_noise(rng, image, 1).tobytes()


def write_video(folder: pathlib.Path, rng: random.Random, sources: list[Image.Image]) -> None:
    for name, size, seconds, crf in [*((f"clip{n}.mp4", CLIP, 10, "21") for n in range(8)), ("hd.mp4", HD, 8, "24")]:
        source = rng.choice(sources)
        ffmpeg(
            *("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(FPS), "-i", "-"),
            *("-c:v", "libx264", "-preset", "medium", "-crf", crf, "-pix_fmt", "yuv420p", "-threads", "1"),
            str(folder / name),
            data=move(rng, source, size, seconds * FPS),
        )


def play(rng: random.Random) -> np.ndarray:
    """Return notes with harmonics that fade, over quiet noise: float64 (samples, 2), within -1 and 1."""
    length = RATE * SECONDS
    mix = np.random.default_rng(rng.getrandbits(64)).normal(0, 0.01, (length, 2))
    for _ in range(60):
        start, pitch, pan = rng.randrange(length - RATE // 2), 55 * 2 ** (rng.randrange(48) / 12), rng.random()
        t = np.arange(min(RATE, length - start)) / RATE
        note = sum(np.sin(6.283185 * pitch * k * t) / k**1.5 for k in range(1, 12)) * np.exp(-4 * t)
        mix[start : start + len(t)] += 0.15 * note[:, None] * [pan, 1 - pan]
    return np.clip(mix, -1, 1)


def write_audio(folder: pathlib.Path, rng: random.Random, _: list[Image.Image]) -> None:
    samples = play(rng).astype("<f4").tobytes()
    for name, flags in {
        "pcm16.wav": ["-c:a", "pcm_s16le"],
        "pcm24.wav": ["-c:a", "pcm_s24le"],
        "a.mp3": ["-c:a", "libmp3lame", "-b:a", "128k"],
        "a.flac": ["-c:a", "flac", "-sample_fmt", "s16"],
        "a.m4a": ["-c:a", "aac", "-b:a", "128k"],
        "a.opus": ["-c:a", "libopus", "-b:a", "128k"],
    }.items():
        ffmpeg(
            *("-f", "f32le", "-ar", str(RATE), "-ac", "2", "-i", "-", *flags, "-threads", "1", str(folder / name)),
            data=iter([samples]),
        )


PARTS = {
    "photos": write_photos,
    "large": write_large,
    "formats": write_formats,
    "video": write_video,
    "audio": write_audio,
    "mixed": write_mixed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("part", nargs="*", default=[name for name in PARTS if name != "mixed"])
    arguments = parser.parse_args()
    sources = load_sources()
    for name in arguments.part:
        folder, unfinished = arguments.folder / name, arguments.folder / f"{name}.unfinished"
        if folder.exists():
            continue
        print(f"bench: generating {folder}", file=sys.stderr)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        PARTS[name](unfinished, random.Random(name), sources)  # seeded separately from the other parts
        unfinished.rename(folder)


if __name__ == "__main__":
    main()
