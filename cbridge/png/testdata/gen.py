#!/usr/bin/env python3
"""Writes the images in this folder, and golden.json with the pixels of torchvision and Pillow.

    python3 gen.py        needs Pillow 13, torchvision 0.29 and NumPy

The encoder is our own: it writes every colour type, depth, filter, interlacing and chunk layout on purpose.
"""

import hashlib
import io
import json
import pathlib
import struct
import zlib

import numpy as np
import torch
import torchvision
from PIL import Image, __version__ as pillow_version
from torchvision.io import ImageReadMode, decode_image

HERE = pathlib.Path(__file__).parent
GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_ALPHA: (8, 16), RGBA: (8, 16)}
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
NAMES = {GRAY: "gray", RGB: "rgb", PALETTE: "palette", GRAY_ALPHA: "ga", RGBA: "rgba"}
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(row, above, distance, kind):
    out = bytearray()
    for i, x in enumerate(row):
        a = row[i - distance] if i >= distance else 0
        b = above[i]
        c = above[i - distance] if i >= distance else 0
        out.append((x - (0, a, b, (a + b) // 2, paeth(a, b, c))[kind]) & 255)
    return bytes([kind]) + bytes(out)


def packed(row, depth):
    """A row of samples as bytes."""
    if depth == 16:
        return row.astype(">u2").tobytes()
    if depth == 8:
        return row.astype(np.uint8).tobytes()
    bits = "".join(format(int(v), f"0{depth}b") for v in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))


def stream(samples, color, depth, interlaced, filters):
    """The filtered rows of samples (height, width, channels)."""
    distance = max(1, CHANNELS[color] * depth // 8)
    raw, n = b"", 0
    for x, y, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        part = samples[y::dy, x::dx]
        if part.shape[0] == 0 or part.shape[1] == 0:
            continue
        above = None
        for row in part:
            row = packed(row.reshape(-1), depth)
            raw += filtered(row, above or bytes(len(row)), distance, filters[n % len(filters)])
            above, n = row, n + 1
    return raw


def head(width, height, color, depth, interlaced):
    return SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced)))


def encode(samples, color, depth, interlaced=False, filters=(0, 1, 2, 3, 4), before=b"", after=b"", piece=400):
    height, width = samples.shape[:2]
    data = zlib.compress(stream(samples, color, depth, interlaced, filters), 9)
    pixels = b"".join(chunk(b"IDAT", data[i : i + piece]) for i in range(0, len(data), piece))
    return head(width, height, color, depth, interlaced) + before + pixels + after + chunk(b"IEND", b"")


def scene(width, height, channels, most, seed):
    """Something with slopes, edges and noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    planes = [
        ((x * (3 + k) + y * (5 - k)) / (5.0 * (width + height)) * most + (((x // 5 + y // 4 + k) % 3 == 0) * most / 3))
        for k in range(channels)
    ]
    out = np.stack(planes, axis=2) + rng.integers(0, max(2, most // 24), (height, width, channels))
    return np.clip(out, 0, most).astype(np.int64)


def palette(n, seed=5):
    return np.random.default_rng(seed).integers(0, 256, (n, 3)).astype(np.uint8).tobytes()


def pictures():
    w, h = 33, 21
    for color, depths in DEPTHS.items():
        for depth in depths:
            most = (1 << depth) - 1
            samples = scene(w, h, CHANNELS[color], most, depth + color)
            plte = chunk(b"PLTE", palette(min(1 << depth, 200))) if color == PALETTE else b""
            if color == PALETTE:
                samples = np.minimum(samples, min(1 << depth, 200) - 1)
            name = f"{NAMES[color]}{depth}"
            yield name, encode(samples, color, depth, before=plte)
            yield name + "_adam7", encode(samples, color, depth, interlaced=True, before=plte)
            if color == PALETTE:
                opacity = bytes((i * 37 + 5) % 256 for i in range(min(1 << depth, 100)))
                yield name + "_trns", encode(samples, color, depth, before=plte + chunk(b"tRNS", opacity))
            if color in (GRAY, RGB):
                key = samples[h // 2, w // 2]
                yield (
                    name + "_trns",
                    encode(samples, color, depth, before=chunk(b"tRNS", struct.pack(f">{len(key)}H", *key))),
                )
    for f, name in enumerate(("none", "sub", "up", "average", "paeth")):
        yield "filter_" + name, encode(scene(29, 17, 3, 255, f), RGB, 8, filters=(f,))
    for width, height in ((1, 1), (2, 3), (3, 2), (4, 9), (5, 5), (7, 8), (9, 4), (1, 40), (40, 1)):
        yield f"{width}x{height}", encode(scene(width, height, 3, 255, width), RGB, 8, filters=(4, 3, 1, 4, 2))
        yield (
            f"{width}x{height}_adam7",
            encode(scene(width, height, 3, 255, width), RGB, 8, interlaced=True, filters=(4, 3, 1, 4, 2)),
        )
    samples = scene(w, h, 3, 255, 1)
    yield "one_byte_chunks", encode(samples[:9, :9], RGB, 8, piece=1)
    yield "one_chunk", encode(samples, RGB, 8, piece=1 << 20)
    yield (
        "palette_short",
        encode(np.minimum(scene(w, h, 1, 255, 3), 90), PALETTE, 8, before=chunk(b"PLTE", palette(40))),
    )
    exif = b"MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
    profile = chunk(b"iCCP", b"made\0\0" + zlib.compress(bytes(range(256)) * 40))
    text = chunk(b"tEXt", b"Comment\0made by gen.py") + chunk(b"zTXt", b"Long\0\0" + zlib.compress(b"x" * 500))
    colour = (
        chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"sRGB", b"\0") + chunk(b"pHYs", struct.pack(">IIB", 1, 2, 0))
    )
    yield "chunks", encode(samples, RGB, 8, before=colour + profile + text + chunk(b"eXIf", exif), after=text)


def control(sequence, width, height, x, y, dispose, blend):
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, width, height, x, y, 1, 10, dispose, blend))


def animation(color, depth, frames, default=None, before=b"", interlaced=False):
    """frames: (samples, x, y, dispose, blend). default: an image that is not part of the animation."""
    first = frames[0][0] if default is None else default
    out = head(first.shape[1], first.shape[0], color, depth, interlaced) + before
    out += chunk(b"acTL", struct.pack(">II", len(frames), 0))
    sequence = 0
    if default is not None:
        out += chunk(b"IDAT", zlib.compress(stream(default, color, depth, interlaced, (4, 1, 3))))
    for i, (samples, x, y, dispose, blend) in enumerate(frames):
        out += control(sequence, samples.shape[1], samples.shape[0], x, y, dispose, blend)
        sequence += 1
        data = zlib.compress(stream(samples, color, depth, interlaced, (4, 1, 3)))
        if i == 0 and default is None:
            out += chunk(b"IDAT", data)
            continue
        for at in range(0, len(data), 150):
            out += chunk(b"fdAT", struct.pack(">I", sequence) + data[at : at + 150])
            sequence += 1
    return out + chunk(b"IEND", b"")


def animations():
    w, h = 24, 18
    rng = np.random.default_rng(11)

    def make(color, depth, most):
        n = CHANNELS[color]
        frames = [(scene(w, h, n, most, 1), 0, 0, 0, 0)]
        for i in range(9):
            fw, fh = int(rng.integers(1, w + 1)), int(rng.integers(1, h + 1))
            x, y = int(rng.integers(0, w - fw + 1)), int(rng.integers(0, h - fh + 1))
            samples = scene(fw, fh, n, most, 20 + i)
            if color in (GRAY_ALPHA, RGBA):
                samples[..., -1] = rng.choice([0, most // 3, most, most], (fh, fw))
            frames.append((samples, x, y, i % 3, i // 2 % 2))
        return frames

    for color, depth in ((RGBA, 8), (RGB, 8), (GRAY_ALPHA, 8), (RGBA, 16), (GRAY, 8), (GRAY, 4)):
        yield f"apng_{NAMES[color]}{depth}", animation(color, depth, make(color, depth, (1 << depth) - 1))
    frames = make(RGB, 8, 3)
    yield "apng_rgb8_trns", animation(RGB, 8, frames, before=chunk(b"tRNS", struct.pack(">3H", *frames[3][0][0, 0])))
    plte = chunk(b"PLTE", palette(16))
    yield "apng_palette4", animation(PALETTE, 4, make(PALETTE, 4, 15), before=plte)
    yield (
        "apng_palette4_trns",
        animation(PALETTE, 4, make(PALETTE, 4, 15), before=plte + chunk(b"tRNS", bytes([255, 0, 255, 0, 0]))),
    )
    yield "apng_default", animation(RGBA, 8, make(RGBA, 8, 255)[:5], default=scene(w, h, 4, 255, 77))
    frames = make(RGBA, 8, 255)[:5]
    yield "apng_plain", animation(RGBA, 8, frames)
    yield "apng_adam7", animation(RGBA, 8, frames, interlaced=True)
    frames = make(RGBA, 8, 255)
    yield "apng_restore_first", animation(RGBA, 8, [frames[0][:3] + (2, 0)] + frames[2:5])
    yield "apng_single", animation(RGB, 8, make(RGB, 8, 255)[:1])


def matrix():
    """Yield small animations of all operations, for each color type and depth, with and without transparency.

    With each file comes None, or the same animation in RGBA of 8 bits. Pillow's frames of the latter are the reference
    for files that Pillow does not compose correctly. It mixes a palette's indices in place of colors, compares a
    transparent color with samples of other depths, and does not convert gray of 16 bits."""
    w, h = 9, 7
    for color, depths in DEPTHS.items():
        for depth in depths:
            for keyed in (False, True) if color in (GRAY, RGB, PALETTE) else (False,):
                rng = np.random.default_rng([color, depth, keyed])
                own = not (keyed and (color == PALETTE or depth in (2, 4, 16))) and (color, depth) != (GRAY, 16)
                disposals = (
                    (0, 1, 2) if own else (0, 2)
                )  # RGBA is cleared to another pixel; "restore" clears after the first frame
                colors = min(1 << depth, 200) if color == PALETTE else 1 << depth
                frames = []
                for i in range(8):
                    fw, fh = (w, h) if i == 0 else (int(rng.integers(1, w + 1)), int(rng.integers(1, h + 1)))
                    x, y = int(rng.integers(0, w - fw + 1)), int(rng.integers(0, h - fh + 1))
                    samples = rng.integers(0, colors, (fh, fw, CHANNELS[color]))
                    if color in (GRAY_ALPHA, RGBA):
                        samples[..., -1] = rng.choice([0, colors // 3, colors - 1], (fh, fw))
                    frames.append(
                        (samples, x, y, int(rng.choice(disposals if own or i > 0 else (0,))), int(rng.integers(0, 2)))
                    )
                plte, key, opacity = palette(colors), frames[1][0][0, 0], np.full(colors, 255, np.uint8)
                before = chunk(b"PLTE", plte) if color == PALETTE else b""
                if keyed and color == PALETTE:
                    opacity = ((np.arange(colors) * 97 + 5) % 256).astype(np.uint8)
                    before += chunk(b"tRNS", opacity.tobytes())
                elif keyed:
                    before += chunk(b"tRNS", struct.pack(f">{len(key)}H", *key))

                def rgba(samples):
                    if color == PALETTE:
                        colours = np.frombuffer(plte, np.uint8).reshape(-1, 3)
                        return np.concatenate([colours[samples[..., 0]], opacity[samples]], axis=2)
                    out = samples * 255 // (colors - 1) if depth < 8 else samples >> (depth - 8)
                    if color in (GRAY, RGB):
                        seen = (
                            ~(samples == key).all(axis=2, keepdims=True)
                            if keyed
                            else np.ones(samples.shape[:2] + (1,), bool)
                        )
                        out = np.concatenate([out, seen * 255], axis=2)
                    return out if out.shape[2] == 4 else np.concatenate([out[..., :1]] * 3 + [out[..., -1:]], axis=2)

                # Pillow puts a transparent gray over the canvas as an opaque one, at every depth.
                twins = [(rgba(f[0]),) + f[1:4] + (f[4] if color != GRAY or not keyed else 0,) for f in frames]
                name = f"apng_all_{NAMES[color]}{depth}" + ("_trns" if keyed else "")
                yield name, animation(color, depth, frames, before=before), None if own else animation(RGBA, 8, twins)


def digest(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def golden(data):
    tensor = (
        decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8), ImageReadMode.RGB).permute(1, 2, 0).numpy()
    )
    out = {"width": tensor.shape[1], "height": tensor.shape[0]}
    if tensor.dtype == np.uint16:
        out["rgb16"] = digest(tensor)
        tensor = tensor >> 8
    out["rgb"] = digest(tensor.astype(np.uint8))
    image = Image.open(io.BytesIO(data))
    out["mode"] = image.mode
    # Pillow compares a transparent colour with samples that it has scaled to 8 bits, and keeps 16 bits of gray.
    if image.mode != "I;16" and not (data[25] != PALETTE and data[24] in (2, 4, 16) and b"tRNS" in data):
        out["rgba"] = digest(np.asarray(image.convert("RGBA")))
    return out


def frames(data):
    """Each frame from a file opened anew: Pillow composes otherwise where the frame before was looked at."""
    out = []
    for i in range(Image.open(io.BytesIO(data)).n_frames):
        image = Image.open(io.BytesIO(data))
        image.seek(i)
        out.append(digest(np.asarray(image.convert("RGBA"))))
    return out


def main():
    files = {}
    for name, data in pictures():
        (HERE / f"{name}.png").write_bytes(data)
        files[f"{name}.png"] = golden(data)
    for name, data in animations():
        (HERE / f"{name}.png").write_bytes(data)
        same = (
            files["apng_plain.png"]["frames"] if name == "apng_adam7" else None
        )  # Pillow 13 fails at its second frame
        files[f"{name}.png"] = golden(data) | {"frames": same or frames(data)}
    for name, data, twin in matrix():
        (HERE / f"{name}.png").write_bytes(data)
        files[f"{name}.png"] = {"frames": frames(twin or data)} | golden(data)
    versions = {"torchvision": torchvision.__version__, "pillow": pillow_version}
    (HERE / "golden.json").write_text(json.dumps(versions | {"files": files}, indent=1) + "\n")


if __name__ == "__main__":
    main()
