#!/usr/bin/env python3
"""Generates the images of this folder, and golden.json with the results of Pillow and torchvision.

It needs Pillow, torchvision and NumPy. The tests need only the generated files.
"""

import hashlib
import io
import json
import random
import struct
from pathlib import Path

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image
from torchvision.io import decode_image

HERE = Path(__file__).parent


def lzw(indices, bits, clear_at=4096, end=True):
    """GIF's LZW. With clear_at above 4096 the table stays full, and no clear code is written."""
    clear, codes, width = 1 << bits, {}, bits + 1
    out, have, held = bytearray(), 0, 0

    def put(code):
        nonlocal have, held
        held |= code << have
        have += width
        while have >= 8:
            out.append(held & 255)
            held >>= 8
            have -= 8

    def restart():
        nonlocal codes, width
        put(clear)
        codes, width = {(i,): i for i in range(clear)}, bits + 1

    restart()
    free, before = clear + 2, ()
    for index in indices:
        if before + (index,) in codes:
            before += (index,)
            continue
        put(codes[before])
        if free < 4096:
            codes[before + (index,)] = free
            if free >> width:
                width += 1
            free += 1
        if free >= clear_at:
            restart()
            free = clear + 2
        before = (index,)
    if before:
        put(codes[before])
        if free < 4096 and free >> width:
            width += 1
    if end:
        put(clear + 1)
    if have:
        out.append(held & 255)
    return bytes(out)


def blocks(data, size=255):
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(bytes([len(p)]) + p for p in parts) + b"\0"


def interlace(rows):
    return rows[0::8] + rows[4::8] + rows[2::4] + rows[1::2]


def frame(
    pixels,
    x=0,
    y=0,
    table=None,
    transparent=None,
    disposal=0,
    delay=0,
    interlaced=False,
    bits=None,
    control=True,
    data=None,
    block=255,
    **how,
):
    h, w = pixels.shape
    bits = bits or max(2, int(pixels.max()).bit_length())
    rows = [list(map(int, row)) for row in pixels]
    flat = sum(interlace(rows) if interlaced else rows, [])
    out = b""
    if control:
        flags = disposal << 2 | (transparent is not None)
        out += b"!\xf9\4" + struct.pack("<BHBB", flags, delay, transparent or 0, 0)
    flags = 64 * interlaced
    if table is not None:
        flags |= 128 | (len(table) // 3 - 1).bit_length() - 1
    out += b"," + struct.pack("<HHHHB", x, y, w, h, flags) + (table or b"")
    return out + bytes([bits]) + blocks(data if data is not None else lzw(flat, bits, **how), block)


def gif(width, height, *frames, table=None, background=0, loops=None, trailer=b";", version=b"GIF89a"):
    flags = 0x70
    if table is not None:
        flags |= 128 | (len(table) // 3 - 1).bit_length() - 1
    out = version + struct.pack("<HHBBB", width, height, flags, background, 0) + (table or b"")
    if loops is not None:
        out += b"!\xff\x0bNETSCAPE2.0\3\1" + struct.pack("<H", loops) + b"\0"
    return out + b"".join(frames) + trailer


def colors(n, seed):
    r = random.Random(seed)
    return bytes(r.randrange(256) for _ in range(3 * n))


def waves(w, h, n, seed=0):
    y, x = np.mgrid[0:h, 0:w]
    v = np.sin((x + seed) / 5.0) * np.cos(y / 7.0 + seed) + ((x + 2 * y) // 9 % 2) * 0.4
    return ((v - v.min()) / (np.ptp(v) or 1) * (n - 1)).astype(int)


def noise(w, h, n, seed=0):
    return np.random.RandomState(seed).randint(0, n, (h, w))


GRAY = bytes(v for i in range(256) for v in (i, i, i))


def animations():
    """Frames of every disposal method, with and without transparency, colour tables and overlap."""
    for seed in range(24):
        r = random.Random(seed)
        tables = [colors(16, seed), colors(8, seed + 100), colors(64, seed + 200), GRAY[:48]]
        table = tables[0] if seed % 6 != 5 else r.choice([None, GRAY[:48]])
        parts, w, h = [], 23, 17
        for i in range(6):
            local = r.choice([None, None, *tables[: 4 if i else 3]]) if table == tables[0] else None
            size = len(local or table or GRAY[:48]) // 3
            fw, fh = (w, h) if i == 0 and seed % 4 else (r.randint(1, w), r.randint(1, h))
            x, y = r.randint(0, w - fw), r.randint(0, h - fh)
            first_opaque = i == 0 and seed % 3 == 0
            transparent = None if first_opaque or r.random() < 0.4 else r.randrange(size)
            pixels = waves(fw, fh, size, i) if r.random() < 0.5 else noise(fw, fh, size, i)
            parts.append(
                frame(
                    pixels,
                    x,
                    y,
                    local,
                    transparent,
                    r.choice([0, 1, 2, 2, 3, 3]),
                    7 + i,
                    r.random() < 0.3,
                    bits=max(2, (size - 1).bit_length()),
                )
            )
        yield f"animation{seed:02}.gif", gif(w, h, *parts, table=table, background=r.randrange(16), loops=seed)


def backgrounds():
    """First frames that leave a part of the canvas, and transparent pixels, to the background."""
    for seed in range(24):
        r = random.Random(1000 + seed)
        size, w, h = r.choice([4, 8, 16]), r.randint(3, 12), r.randint(3, 12)
        table = r.choice([colors(size, seed), colors(size, seed), GRAY[: 3 * size], None])
        fw, fh = (w, h) if r.random() < 0.4 else (r.randint(1, w), r.randint(1, h))
        local = colors(size, seed + 50) if table is None or r.random() < 0.3 else None
        transparent = r.choice([None, r.randrange(size), r.randrange(size)])
        parts = [
            frame(
                noise(fw, fh, size, seed),
                r.randint(0, w - fw),
                r.randint(0, h - fh),
                local,
                transparent,
                r.choice([0, 1, 2, 3]),
                7,
                r.random() < 0.3,
                bits=max(2, (size - 1).bit_length()),
            )
        ]
        if seed % 3 == 0:
            parts.append(
                frame(noise(2, 2, size, seed), 1, 1, local, r.choice([None, 1]), bits=max(2, (size - 1).bit_length()))
            )
        yield f"background{seed:02}.gif", gif(w, h, *parts, table=table, background=r.randrange(size) if table else 0)
    first, second = b"!\xf9\4\1\0\0\3\0", b"!\xf9\4\1\0\0\5\0"
    yield (
        "two_transparent.gif",
        gif(31, 22, first, second, frame(waves(31, 22, 16), control=False), table=colors(16, 3), background=9),
    )


def make():
    t2, t4, t16, t256 = colors(2, 1), colors(4, 2), colors(16, 3), colors(256, 4)
    yield "waves.gif", gif(61, 47, frame(waves(61, 47, 256)), table=t256)
    yield "gif87.gif", gif(61, 47, frame(waves(61, 47, 16), control=False), table=t16, version=b"GIF87a")
    yield "noise.gif", gif(99, 83, frame(noise(99, 83, 256)), table=t256)
    yield "full_table.gif", gif(120, 100, frame(noise(120, 100, 16), clear_at=9999), table=t16)
    yield "one_color.gif", gif(100, 90, frame(noise(100, 90, 1) + 3, clear_at=9999), table=t4)
    yield "bilevel.gif", gif(33, 20, frame(waves(33, 20, 2)), table=t2)
    yield "small_blocks.gif", gif(40, 30, frame(waves(40, 30, 16), block=3), table=t16)
    for h in (1, 2, 3, 4, 5, 7, 8, 9, 17):
        yield f"interlaced{h}.gif", gif(13, h, frame(waves(13, h, 16), interlaced=True), table=t16)
    yield "1x1.gif", gif(1, 1, frame(noise(1, 1, 1) + 2), table=t4)
    yield "local.gif", gif(31, 22, frame(waves(31, 22, 16), table=t16))
    yield "both_tables.gif", gif(31, 22, frame(waves(31, 22, 16), table=t16), table=t4)
    yield "no_table.gif", gif(31, 22, frame(waves(31, 22, 256)))
    yield "no_table_transparent.gif", gif(31, 22, frame(waves(31, 22, 256), transparent=30))
    yield "gray_table.gif", gif(31, 22, frame(waves(31, 22, 16)), table=GRAY[:48])
    yield "short_table.gif", gif(31, 22, frame(waves(31, 22, 16)), table=t4)
    yield "transparent.gif", gif(31, 22, frame(waves(31, 22, 16), transparent=5), table=t16)
    yield "offset.gif", gif(40, 30, frame(waves(21, 12, 16), 9, 11), table=t16, background=3)
    yield "offset_transparent.gif", gif(40, 30, frame(waves(21, 12, 16), 9, 11, transparent=7), table=t16)
    yield "offset_interlaced.gif", gif(40, 30, frame(waves(21, 12, 16), 9, 11, interlaced=True), table=t16)
    yield "beyond.gif", gif(20, 10, frame(waves(31, 22, 16), 5, 3), table=t16)
    yield "screen0.gif", gif(0, 0, frame(waves(31, 22, 16)), table=t16)
    yield "vga.gif", gif(640, 480, frame(waves(9, 7, 16)), table=t16)
    yield "no_trailer.gif", gif(31, 22, frame(waves(31, 22, 16)), table=t16, trailer=b"")
    yield "garbage.gif", gif(31, 22, b"\1\2\3", frame(waves(31, 22, 16)), b"\7\7", frame(waves(5, 4, 16)), table=t16)
    yield (
        "comment.gif",
        gif(
            31,
            22,
            b"!\xfe" + blocks(b"a comment" * 40),
            frame(waves(31, 22, 16)),
            b"!\xfe" + blocks(b"and one"),
            table=t16,
        ),
    )
    more = lzw(list(waves(31, 22, 16).flat) + [1] * 50, 4)
    yield "too_much.gif", gif(31, 22, frame(waves(31, 22, 16), data=more), table=t16)
    yield "no_end_code.gif", gif(31, 22, frame(waves(31, 22, 16), end=False), table=t16)
    yield "two_controls.gif", gif(31, 22, b"!\xf9\4\1\0\0\3\0", frame(waves(31, 22, 16), delay=9), table=t16)
    yield from animations()
    yield from backgrounds()


def digest(pixels):
    return hashlib.sha256(np.ascontiguousarray(pixels).tobytes()).hexdigest()


def pillow(data):
    image = Image.open(io.BytesIO(data))
    frames = []
    for i in range(image.n_frames):
        image.seek(i)
        image.load()
        frames.append(
            {
                "rgb": digest(np.array(image.convert("RGB"))),
                "rgba": digest(np.array(image.convert("RGBA"))),
                "delay_ms": image.info.get("duration", 0),
            }
        )
    return {"width": image.size[0], "height": image.size[1], "loops": image.info.get("loop", -1), "frames": frames}


def vision(name, data, size):
    """Return torchvision's first frame, or None if it refuses the file or accesses memory out of bounds.

    It does so for a color index beyond the table, and for a frame beyond the screen."""
    if name in ("short_table.gif", "beyond.gif"):
        return None
    try:
        pixels = decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8), "RGB")
    except RuntimeError:
        return None
    pixels = (pixels if pixels.ndim == 3 else pixels[0]).permute(1, 2, 0).numpy()
    assert pixels.shape[:2] == size, name
    return digest(pixels)


if __name__ == "__main__":
    golden = {"pillow": PIL.__version__, "torchvision": torchvision.__version__, "files": {}}
    for name, data in make():
        (HERE / name).write_bytes(data)
        golden["files"][name] = read = pillow(data)
        read["torchvision"] = vision(name, data, (read["height"], read["width"]))
    (HERE / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")
