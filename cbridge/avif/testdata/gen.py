#!/usr/bin/env python3
"""Generates the images of this folder, and golden.json with the results of Pillow.

It needs Pillow with AVIF, NumPy, ffmpeg with libaom for 10 and 12 bits, and for encode.c a compiler and libavif. The
tests need only the generated files.
"""

import hashlib
import io
import json
import struct
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import PIL
from PIL import Image, ImageCms, ImageSequence, _avif

HERE = Path(__file__).parent


def picture(width, height, channels=3, phase=0.0):
    """Waves, edges and a little noise."""
    rng = np.random.RandomState(width * 1000 + height)
    y, x = np.mgrid[0:height, 0:width]
    planes = [
        127
        + 90 * np.sin(x / (3.0 + 2 * c) + c + phase) * np.cos(y / (5.0 - c % 3))
        + 60 * (((x + 2 * y) // 11 + c) % 2)
        - 30
        + rng.normal(0, 4, (height, width))
        for c in range(channels)
    ]
    pixels = np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)
    return Image.fromarray(pixels, {3: "RGB", 4: "RGBA"}[channels])


def avif(image, **how):
    out = io.BytesIO()
    image.save(out, "AVIF", quality=how.pop("quality", 60), speed=9, max_threads=1, **how)
    return out.getvalue()


def declared(data, matrix, primaries=1):
    """Declares other coefficients, in the colr box: the planes stay."""
    at = data.index(b"colrnclx") + 8
    return data[:at] + struct.pack(">HHH", primaries, 13, matrix) + data[at + 6 :]


def deep(width, height, format):
    raw = picture(width, height).tobytes()
    with tempfile.NamedTemporaryFile(suffix=".avif") as out:
        subprocess.run(
            [
                "ffmpeg",
                "-v",
                "error",
                "-y",
                "-f",
                "rawvideo",
                "-pix_fmt",
                "rgb24",
                "-s",
                f"{width}x{height}",
                "-i",
                "-",
                "-pix_fmt",
                format,
                "-c:v",
                "libaom-av1",
                "-still-picture",
                "1",
                "-crf",
                "20",
                "-cpu-used",
                "8",
                out.name,
            ],
            input=raw,
            check=True,
        )
        return Path(out.name).read_bytes()


def encoded_by_libavif():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cc", "-O1", "-o", f"{folder}/encode", str(HERE / "encode.c"), "-lavif"], check=True)

        def encode(width, height, *args):
            command = [f"{folder}/encode", *(str(n) for n in (width, height, *args))]
            return subprocess.run(
                command, input=picture(width, height, 4).tobytes(), stdout=subprocess.PIPE, check=True
            ).stdout

        for depth in (10, 12):
            for number, layout in enumerate(("444", "422", "420", "400"), 1):
                for premultiplied in (0, 1):
                    yield (
                        f"{layout}a_{depth}bit{'_premultiplied' * premultiplied}.avif",
                        encode(24, 70, depth, number, premultiplied, 0),
                    )
        yield "grid.avif", encode(128, 144, 8, 3, 0, 1)


def make():
    for alpha, tail in ((3, ""), (4, "a")):
        for subsampling in ("4:2:0", "4:2:2", "4:4:4", "4:0:0"):
            for range_ in ("full", "limited"):
                name = f"{subsampling.replace(':', '')}{tail}_{range_}"
                data = avif(picture(33, 150, alpha), subsampling=subsampling, range=range_)
                yield f"{name}.avif", data
                if range_ == "full" and tail:
                    continue
                for matrix in (1, 9) + ((4, 7) if tail == "" and subsampling == "4:2:0" else ()):
                    yield f"{name}_{matrix}.avif", declared(data, matrix)
        yield f"400{tail}_identity.avif", declared(avif(picture(33, 20, alpha), subsampling="4:0:0"), 0)
    yield "444_identity.avif", declared(avif(picture(33, 20), subsampling="4:4:4"), 0)
    yield "444_ycgco.avif", declared(avif(picture(33, 20), subsampling="4:4:4"), 8)
    yield "420_derived.avif", declared(avif(picture(33, 20)), 12, 9)
    for width, height in ((1, 1), (2, 3), (1, 9), (9, 1), (301, 7)):
        yield f"{width}x{height}.avif", avif(picture(width, height))
    for depth in ("10", "12"):
        for layout in ("420", "422", "444"):
            yield f"{layout}_{depth}bit.avif", deep(40, 150, f"yuv{layout}p{depth}le")
        yield f"400_{depth}bit.avif", deep(40, 30, f"gray{depth}le")
    yield from encoded_by_libavif()
    yield "premultiplied.avif", avif(picture(33, 70, 4), alpha_premultiplied=True)
    for orientation in range(2, 9):
        exif = Image.Exif()
        exif[0x112] = orientation
        yield f"orientation{orientation}.avif", avif(picture(19, 11), exif=exif)
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x10E] = "a picture"
    yield "metadata.avif", avif(picture(19, 11), icc_profile=profile, exif=exif)
    for channels, name in ((3, "sequence.avif"), (4, "sequence_alpha.avif")):
        frames = [picture(32, 24, channels, i / 2) for i in range(5)]
        yield name, avif(frames[0], save_all=True, append_images=frames[1:], duration=40)
    yield "tiles.avif", avif(picture(150, 130), autotiling=False, tile_rows=1, tile_cols=1)


def digest(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def pillow(data):
    """Every frame as RGB and RGBA, as stored."""
    with Image.open(io.BytesIO(data)) as image:
        found = {
            "width": image.size[0],
            "height": image.size[1],
            "mode": image.mode,
            "frames": [],
            "orientation": image.getexif().get(0x112, 1),
            "icc": len(image.info.get("icc_profile", b"")),
        }
        for frame in ImageSequence.Iterator(image):
            found["frames"].append(
                {"rgb": digest(np.array(frame.convert("RGB"))), "rgba": digest(np.array(frame.convert("RGBA")))}
            )
    return found


if __name__ == "__main__":
    golden = {
        "pillow": PIL.__version__,
        "libavif": _avif.libavif_version,
        "codecs": _avif.codec_versions(),
        "files": {},
    }
    for name, data in make():
        (HERE / name).write_bytes(data)
        golden["files"][name] = pillow(data)
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")
