"""Adds files that Pillow alone cannot write to testdata/hard/good: python variants.py PHOTOS HARD

Rare kinds of JPEG, by cjpeg of libjpeg-turbo; frames with disposal and blending, and pages of different sizes;
16 bits; embedded color profiles. expected.py has the expected results besides RGB.
"""

import io
import pathlib
import struct
import subprocess
import sys

from PIL import Image, ImageDraw


def cjpeg(image, path, *options):
    stream = io.BytesIO()
    image.save(stream, format="ppm")
    path.write_bytes(
        subprocess.run(
            ["cjpeg", "-quality", "85", *options], input=stream.getvalue(), stdout=subprocess.PIPE, check=True
        ).stdout
    )


def jpegs(base, folder):
    scans = folder / "scans.txt"
    scans.write_text("0;\n1;\n2;\n")  # a sequential scan for each component
    for name, image, options in (
        ("s411", base, ["-sample", "4x1"]),
        ("s440", base, ["-sample", "1x2"]),
        ("s410", base, ["-sample", "4x2"]),
        ("arithmetic", base, ["-arithmetic"]),
        ("arithmetic_progressive", base, ["-arithmetic", "-progressive"]),
        ("gray_progressive", base.convert("L"), ["-progressive"]),
        ("progressive422", base, ["-progressive", "-sample", "2x1"]),
        ("progressive_restart", base, ["-progressive", "-restart", "2"]),
        ("scans", base, ["-scans", str(scans)]),
        ("17x9", base.resize((17, 9)), []),
        ("3x2", base.resize((3, 2)), ["-sample", "2x2"]),
    ):
        cjpeg(image, folder / f"{name}.jpg", *options)
    scans.unlink()


def shifted(base, step):
    """A frame with a hole and a moving shape."""
    frame = base.copy().convert("RGBA")
    draw = ImageDraw.Draw(frame)
    draw.ellipse((4 + 6 * step, 5, 20 + 6 * step, 21), fill=(0, 0, 0, 0))
    draw.rectangle((40 - 5 * step, 12, 48 - 5 * step, 29), fill=(250, 30 * step, 60, 255))
    return frame


def frames(base, folder):
    """The first frame is opaque, because readers differ in what they show below its holes."""
    first = base.convert("RGBA")
    moving = [shifted(base, step) for step in range(4)]
    for name, options in (
        ("disposal.gif", {"disposal": [1, 2, 1, 2, 1], "optimize": False}),
        ("disposal.webp", {"lossless": True, "exact": True}),
        ("disposal.png", {"disposal": [0, 1, 2, 1, 0], "blend": [0, 1, 1, 0, 1]}),
    ):
        first.save(folder / name, save_all=True, append_images=moving, duration=[40, 50, 60, 70, 80], loop=0, **options)
    base.save(
        folder / "pages.tiff",
        save_all=True,
        append_images=[base.resize((20, 33)).convert("L"), base.rotate(90, expand=True)],
        compression="tiff_deflate",
    )


def tiff16(path, size, channels, samples, order):
    """A TIFF file of 16-bit samples in one strip, in the byte order of struct: < or >."""
    width, height = size
    pixels = struct.pack(f"{order}{len(samples)}H", *samples)
    entries = [
        (256, 3, width),
        (257, 3, height),
        (259, 3, 1),
        (262, 3, 2 if channels == 3 else 1),
        (277, 3, channels),
        (278, 3, height),
        (279, 4, len(pixels)),
    ]
    table = 8
    after = table + 2 + 12 * (len(entries) + 2) + 4
    bits = after
    strip = bits + 8
    entries += [(258, 3, None), (273, 4, strip)]
    data = (b"II" if order == "<" else b"MM") + struct.pack(order + "HIH", 42, table, len(entries))
    for tag, kind, value in sorted(entries):
        if tag == 258 and channels == 3:
            data += struct.pack(order + "HHII", tag, kind, 3, bits)
        elif tag == 258:
            data += struct.pack(order + "HHIHH", tag, kind, 1, 16, 0)
        elif kind == 3:
            data += struct.pack(order + "HHIHH", tag, kind, 1, value, 0)
        else:
            data += struct.pack(order + "HHII", tag, kind, 1, value)
    data += struct.pack(order + "I", 0) + struct.pack(order + "4H", 16, 16, 16, 0)
    path.write_bytes(data + pixels)


def deep(base, folder):
    """16 bits: the high bytes are the image, and the low bytes differ from it."""

    def samples(image):
        return [v * 256 + (v * 7 + i) % 256 for i, v in enumerate(image.tobytes())]

    gray = base.convert("L")
    tiff16(folder / "rgb16.tiff", base.size, 3, samples(base), "<")
    tiff16(folder / "gray16.tiff", base.size, 1, samples(gray), ">")
    for name, kind, image in (("rgb16.ppm", 6, base), ("gray16.pgm", 5, gray)):
        values = samples(image)
        head = f"P{kind} {image.width} {image.height} 65535\n".encode()
        (folder / name).write_bytes(head + struct.pack(f">{len(values)}H", *values))


def profiles(base, folder, profile):
    base = base.resize((30, 23))
    for name, options in (
        ("icc.jpg", {"quality": 95}),
        ("icc.png", {}),
        ("icc.webp", {"lossless": True}),
        ("icc.tiff", {"compression": "tiff_lzw"}),
    ):
        base.save(folder / name, icc_profile=profile, **options)


def main(photos, hard):
    base = Image.open(photos / "object" / "07.jpg").resize((61, 47), Image.Resampling.LANCZOS)
    folder = hard / "good"
    jpegs(base, folder)
    frames(base, folder)
    deep(base, folder)
    profiles(base, folder, (pathlib.Path(__file__).parent / "display-p3.icc").read_bytes())


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
