"""Makes the images of golanes/ and golanes.json: python gen.py (with Pillow 13.0.0, in this folder)

golanes/ has small BMP, PNM and TGA files of every kind that the lanes of Go code read. Pillow writes
what it can; this script makes the others byte by byte. golanes.json has the SHA-256 of the pixels of
each file as RGB, and as RGBA if it has alpha. The pixels are those that Pillow reads. If Pillow refuses
or misreads a file, they are those that the file was made from ("by": "definition", and why).

structure/ has small files of the other formats, as Pillow writes them, to be cut anywhere.
"""

import hashlib
import io
import json
import pathlib
import platform
import struct

import PIL
from PIL import Image

FOLDER = pathlib.Path("golanes")
WIDTH, HEIGHT = 13, 7
entries = {}


def sha(pixels):
    return hashlib.sha256(pixels).hexdigest()


def keep(name, data, made=None, why=None):
    """Stores a file. made: its RGB pixels by definition, where Pillow does not tell them, and why."""
    (FOLDER / name).write_bytes(data)
    entry = {}
    if made is None:
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            entry.update(by="pillow", size=image.size, mode=image.mode, rgb=sha(image.convert("RGB").tobytes()))
            if image.mode in ("RGBA", "LA") or image.mode == "P" and image.palette.mode == "RGBA":
                entry["rgba"] = sha(image.convert("RGBA").tobytes())
    else:
        pixels, size = made
        assert len(pixels) == size[0] * size[1] * 3
        try:
            with Image.open(io.BytesIO(data)) as image:
                assert image.convert("RGB").tobytes() != pixels, f"{name}: Pillow agrees"
        except (OSError, SyntaxError, ValueError):
            pass
        entry.update(by="definition", why=why, size=size, rgb=sha(pixels))
    entries[name] = entry


def sample(x, y, c):
    """An image without symmetries, every channel of which uses high and low values."""
    return (x * (23, 41, 11)[c] + y * (67, 19, 97)[c] + x * y * (3, 5, 7)[c] + 31 * c) % 256


COLOR = [[tuple(sample(x, y, c) for c in range(3)) for x in range(WIDTH)] for y in range(HEIGHT)]
ALPHA = [[sample(x, y, 2) ^ 0x55 for x in range(WIDTH)] for y in range(HEIGHT)]
INDEX = [[sample(x, y, 0) for x in range(WIDTH)] for y in range(HEIGHT)]
FLAT = [[(x // 4 + y) * 37 % 256 for x in range(WIDTH)] for y in range(HEIGHT)]  # has runs


def rgb_picture():
    image = Image.new("RGB", (WIDTH, HEIGHT))
    image.putdata([p for row in COLOR for p in row])
    return image


def rgba_picture():
    image = rgb_picture()
    alpha = Image.new("L", (WIDTH, HEIGHT))
    alpha.putdata([a for row in ALPHA for a in row])
    image.putalpha(alpha)
    return image


def mapped(indices, palette):
    """The RGB pixels of indices into a palette of RGB colours; (0, 0, 0) beyond its end."""
    return b"".join(bytes(palette[i]) if i < len(palette) else b"\0\0\0" for row in indices for i in row), (WIDTH, HEIGHT)


def saved(image, kind, **settings):
    stream = io.BytesIO()
    image.save(stream, kind, **settings)
    return stream.getvalue()


# BMP

RAW, RLE8, RLE4, FIELDS = range(4)
PALETTE = [((i * 29 + 7) % 256, (i * 53 + 100) % 256, (i * 97 + 30) % 256) for i in range(256)]


def bmp(depth, pixels, size=40, width=WIDTH, height=HEIGHT, compression=RAW, palette=(), count=0, masks=(), offset=None, gap=b""):
    """Return a BMP file. masks are in the header if it has fields for them, else after it."""
    if size == 12:
        header = struct.pack("<IHHHH", 12, width, height, 1, depth)
        colors = b"".join(bytes(c[::-1]) for c in palette)
    else:
        header = struct.pack("<IiiHHIIiiII", 40, width, height, 1, depth, compression, len(pixels), 2835, 2835, count, 0)
        header += struct.pack(f"<{len(masks)}I", *masks)
        header = struct.pack("<I", size) + header[4:].ljust(size - 4, b"\0")
        colors = b"".join(bytes(c[::-1]) + b"\0" for c in palette)
    start = 14 + len(header) + len(colors) + len(gap)
    return struct.pack("<2sIHHI", b"BM", start + len(pixels), 0, 0, start if offset is None else offset) + header + colors + gap + pixels


def padded(row, unit=4):
    return row + bytes(-len(row) % unit)


def packed(values, depth):
    """Rows of numbers below 2**depth, high bits first."""
    number = "".join(format(v, f"0{depth}b") for v in values)
    number += "0" * (-len(number) % 8)
    return int(number, 2).to_bytes(len(number) // 8, "big")


def upward(rows):
    return b"".join(padded(row) for row in reversed(rows))


def below(limit, rows=INDEX):
    return [[v % limit for v in row] for row in rows]


def words(masks, code="<H"):
    """The image, and its alpha, in bit fields."""
    rows = []
    for y in range(HEIGHT):
        row = b""
        for x in range(WIDTH):
            value = 0
            for channel, mask in zip((*COLOR[y][x], ALPHA[y][x]), masks):
                if mask:
                    shift = (mask & -mask).bit_length() - 1
                    bits = bin(mask).count("1")
                    value |= (channel >> (8 - bits) if bits <= 8 else channel << (bits - 8)) << shift
            row += struct.pack(code, value)
        rows.append(row)
    return rows


def runs(rows, nibbles, tricks=False, newlines=True, end=True):
    """Rows, the first one stored first, as RLE8 or RLE4. tricks: literal runs and skips as well."""
    out = b""

    def run(row, at):
        n = 1
        while at + n < len(row) and row[at + n] == row[at] and n < 255:
            n += 1
        return n

    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            n = run(row, x)
            if tricks and row[x] == 0 and n < len(row) - x:
                out += bytes((0, 2, n, 0))  # skip to the right: colour 0
            elif tricks and n == 1 and len(row) - x >= 3:
                n = min(5, len(row) - x)
                literal = packed(row[x:x + n], 4) if nibbles else bytes(row[x:x + n])
                out += bytes((0, n)) + padded(literal, 2)
            else:
                out += bytes((n, row[x] * 17 if nibbles else row[x]))
            x += n
        if newlines:
            out += b"\0\0"
    return out + (b"\0\1" if end else b"")


def make_bmp():
    image = rgb_picture()
    keep("pillow_1.bmp", saved(image.convert("1"), "BMP"))
    keep("pillow_l.bmp", saved(image.convert("L"), "BMP"))
    keep("pillow_p.bmp", saved(image.quantize(16), "BMP"))
    keep("pillow_rgb.bmp", saved(image, "BMP"))
    keep("pillow_rgba.bmp", saved(rgba_picture(), "BMP"))

    two = [(200, 30, 90), (10, 250, 160)]
    for size, name in ((12, "core"), (40, "info"), (64, "os2"), (108, "v4"), (124, "v5")):
        for depth in (1, 4, 8):
            palette = PALETTE[:1 << depth]
            rows = upward([packed(row, depth) for row in below(1 << depth)])
            if size in (12, 40):
                keep(f"{name}_{depth}.bmp", bmp(depth, rows, size, palette=palette))
        colors = [b"".join(bytes(p[::-1]) for p in row) for row in COLOR]
        keep(f"{name}_24.bmp", bmp(24, upward(colors), size))
    keep("few_colors_8.bmp", bmp(8, upward([bytes(row) for row in below(20)]), palette=PALETTE[:17], count=17))
    keep("few_colors_4.bmp", bmp(4, upward([packed(row, 4) for row in below(9)]), palette=PALETTE[:7], count=7))
    keep("two_colors_1.bmp", bmp(1, upward([packed(row, 1) for row in below(2)]), palette=two))
    keep("white_black_1.bmp", bmp(1, upward([packed(row, 1) for row in below(2)]), palette=[(255,) * 3, (0,) * 3]))
    keep("gray_ramp_8.bmp", bmp(8, upward([bytes(row) for row in INDEX]), palette=[(i,) * 3 for i in range(256)]))
    keep("gray_inverse_8.bmp", bmp(8, upward([bytes(row) for row in INDEX]), palette=[(255 - i,) * 3 for i in range(256)]))
    keep("palette_not_in_offset.bmp", bmp(8, upward([bytes(row) for row in INDEX]), palette=PALETTE, offset=54))
    keep("offset_zero.bmp", bmp(8, upward([bytes(row) for row in INDEX]), palette=PALETTE, offset=0))
    keep("gap_24.bmp", bmp(24, upward(colors), gap=b"between"))
    keep("last_row_not_padded.bmp", bmp(24, upward(colors)[:-1]))
    down = b"".join(padded(row) for row in colors)
    keep("top_down_24.bmp", bmp(24, down, height=-HEIGHT))
    keep("top_down_8.bmp", bmp(8, b"".join(padded(bytes(row)) for row in INDEX), height=-HEIGHT, palette=PALETTE))

    x555, x565 = (0x7C00, 0x3E0, 0x1F), (0xF800, 0x7E0, 0x1F)
    keep("16_555.bmp", bmp(16, upward(words(x555))))
    keep("16_565.bmp", bmp(16, upward(words(x565)), compression=FIELDS, gap=struct.pack("<3I", *x565)))
    keep("16_fields_555.bmp", bmp(16, upward(words(x555)), compression=FIELDS, gap=struct.pack("<3I", *x555)))
    keep("16_v4_565.bmp", bmp(16, upward(words(x565)), 108, compression=FIELDS, masks=x565))
    keep("16_v5_1555.bmp", bmp(16, upward(words((*x555, 0x8000))), 124, compression=FIELDS, masks=(*x555, 0x8000)))
    bgra = (0xFF0000, 0xFF00, 0xFF, 0xFF000000)
    keep("32.bmp", bmp(32, upward(words(bgra, "<I"))))
    keep("32_v5.bmp", bmp(32, upward(words(bgra, "<I")), 124, masks=bgra))
    keep("32_fields.bmp", bmp(32, upward(words(bgra, "<I")), compression=FIELDS, gap=struct.pack("<3I", *bgra[:3])))
    keep("32_v2.bmp", bmp(32, upward(words(bgra, "<I")), 52, compression=FIELDS, masks=bgra[:3]))
    keep("24_fields.bmp", bmp(24, upward(colors), 56, compression=FIELDS, masks=bgra[:3]))
    for name, masks in {
        "bgra": bgra, "rgba": (0xFF, 0xFF00, 0xFF0000, 0xFF000000), "abgr": (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
        "bgar": (0xFF000000, 0xFF00, 0xFF, 0xFF0000), "xbgr": (0xFF000000, 0xFF0000, 0xFF00, 0),
        "bgxr": (0xFF000000, 0xFF00, 0xFF, 0), "zero": (0, 0, 0, 0),
    }.items():
        keep(f"32_v3_{name}.bmp", bmp(32, upward(words(masks if any(masks) else bgra, "<I")), 56, compression=FIELDS, masks=masks))

    flat8, flat4 = below(256, FLAT)[::-1], below(16, FLAT)[::-1]
    zeros8 = [[0 if (x + y) % 6 < 3 else v for x, v in enumerate(row)] for y, row in enumerate(flat8)]
    zeros4 = [[0 if (x + y) % 6 < 3 else v for x, v in enumerate(row)] for y, row in enumerate(flat4)]
    mixed8 = [[v if y % 2 else (x * 31 + y) % 256 for x, v in enumerate(row)] for y, row in enumerate(zeros8)]
    mixed4 = [[v if y % 2 else (x * 5 + y) % 16 for x, v in enumerate(row)] for y, row in enumerate(zeros4)]
    for name, rows in {"flat": flat8, "zeros": zeros8, "mixed": mixed8}.items():
        keep(f"rle8_{name}.bmp", bmp(8, runs(rows, False), compression=RLE8, palette=PALETTE))
        keep(f"rle8_{name}_tricks.bmp", bmp(8, runs(rows, False, tricks=True), compression=RLE8, palette=PALETTE))
    for name, rows in {"flat": flat4, "zeros": zeros4, "mixed": mixed4}.items():
        keep(f"rle4_{name}.bmp", bmp(4, runs(rows, True), compression=RLE4, palette=PALETTE[:16]))
        keep(f"rle4_{name}_tricks.bmp", bmp(4, runs(rows, True, tricks=True), compression=RLE4, palette=PALETTE[:16]))
    keep("rle4_alternating.bmp", bmp(4, b"\x0d\x5a\0\0" * HEIGHT + b"\0\1", compression=RLE4, palette=PALETTE[:16]))
    keep("rle8_no_end.bmp", bmp(8, runs(flat8, False, end=False), compression=RLE8, palette=PALETTE))
    keep("rle8_top_down.bmp", bmp(8, runs(mixed8, False), height=-HEIGHT, compression=RLE8, palette=PALETTE))
    jump = b"\x04\x07\0\2\3\2" + b"\x06\x09\0\0" + b"\x0d\x21\0\0" * 3 + b"\x0d\x33\0\1"  # two lines up, three to the right
    keep("rle8_jump.bmp", bmp(8, jump, compression=RLE8, palette=PALETTE))
    long = b"\xff\x05\0\0" * HEIGHT + b"\0\1"
    keep("rle8_runs_too_long.bmp", bmp(8, long, compression=RLE8, palette=PALETTE))

    refused, misread = "Pillow refuses it", "Pillow takes the palette for grayscale and then reads bytes"
    ramp = [(i,) * 3 for i in range(16)]
    keep("gray_ramp_4.bmp", bmp(4, upward([packed(row, 4) for row in below(16)]), palette=ramp), mapped(below(16), ramp), misread)
    black = [(0,) * 3, (255,) * 3]
    keep("black_white_8.bmp", bmp(8, upward([bytes(row) for row in below(2)]), palette=black, count=2), mapped(below(2), black),
         "Pillow takes the palette for one of single bits and then reads bits")
    x4444 = (0xF00, 0xF0, 0xF)
    keep("16_444.bmp", bmp(16, upward(words(x4444)), 56, compression=FIELDS, masks=x4444),
         (bytes((c >> 4) * 17 for row in COLOR for p in row for c in p), (WIDTH, HEIGHT)), refused)
    deep = (0x3FF00000, 0xFFC00, 0x3FF)
    keep("32_10_bits.bmp", bmp(32, upward(words(deep, "<I")), 56, compression=FIELDS, masks=deep),
         (b"".join(bytes(p) for row in COLOR for p in row), (WIDTH, HEIGHT)), refused)
    half = [[0] * WIDTH] * (HEIGHT - 3) + flat8[2::-1]
    keep("rle8_early_end.bmp", bmp(8, runs(flat8[:3], False), compression=RLE8, palette=PALETTE), mapped(half, PALETTE), refused)
    empty = [[0] * WIDTH if y == 2 else row for y, row in enumerate(flat8)]
    codes = runs(empty[:2], False, end=False) + b"\0\0" + runs(empty[3:], False)
    keep("rle8_empty_line.bmp", bmp(8, codes, compression=RLE8, palette=PALETTE), mapped(empty[::-1], PALETTE), refused)


# PNM

def make_pnm():
    size = f"{WIDTH} {HEIGHT}".encode()
    bits, gray, color = below(2), INDEX, COLOR
    flat = lambda rows: [v for row in rows for v in row]
    samples = lambda rows: [v for row in rows for p in row for v in p]
    text = lambda values: b"\n".join(b" ".join(str(v).encode() for v in values[i:i + 15]) for i in range(0, len(values), 15)) + b"\n"

    keep("plain.pbm", b"P1\n" + size + b"\n" + text(flat(bits)))
    keep("plain_dense.pbm", b"P1\n" + size + b"\n" + text(flat(bits)).replace(b" ", b""))
    keep("raw.pbm", b"P4\n" + size + b"\n" + b"".join(packed(row, 1) for row in bits))
    keep("comments.pbm", b"P1 # a\n# b 1 0 1\n" + size + b" # c\n" + text(flat(bits)).replace(b" 1", b" # 0 0\n 1", 3).replace(b" 0", b" #\r0", 2))
    for top in (1, 15, 100, 254, 255, 256, 1000, 65535):
        wide = ">H" if top > 255 else "B"
        grays = [v * 251 % (top + 1) for v in flat(gray)]
        colors = [v * 251 % (top + 1) for v in samples(color)]
        head = lambda kind: b"%s\n%s\n%d\n" % (kind, size, top)
        files = {
            "plain_%d.pgm": (head(b"P2") + text(grays), grays), "raw_%d.pgm": (head(b"P5") + b"".join(struct.pack(wide, v) for v in grays), grays),
            "plain_%d.ppm": (head(b"P3") + text(colors), None), "raw_%d.ppm": (head(b"P6") + b"".join(struct.pack(wide, v) for v in colors), None),
        }
        for name, (data, values) in files.items():
            if values and top > 255:
                high = [round(v / top * 65535) >> 8 for v in values]
                keep(name % top, data, (bytes(v for v in high for _ in range(3)), (WIDTH, HEIGHT)),
                     "Pillow reads 16 bits, and cuts them off at 255 for RGB; the rule here is the high byte")
            else:
                keep(name % top, data)
    keep("over.pgm", b"P5 " + size + b" 100\n" + bytes(flat(gray)))  # samples above the most
    keep("comments.ppm", b"P6 # one\n# two\r#three\n\t" + size.replace(b" ", b"\x0b\n# 4\n") + b"\r# five\n 255 " + bytes(samples(color)))
    keep("comments_plain.ppm", b"P3\n" + size + b"\n255 #\n" + text(samples(color)).replace(b"\n", b" # 1 2 3\n"))
    keep("no_last_newline.pgm", (b"P2\n" + size + b"\n255\n" + text(flat(gray))).rstrip())
    keep("comment_at_end_of_header.pgm", b"P5 " + size + b" 255# so\n" + bytes(flat(gray)),
         (bytes(v for v in flat(gray) for _ in range(3)), (WIDTH, HEIGHT)), "Pillow refuses it; the definition allows it")
    keep("trailing.ppm", b"P6 " + size + b" 255\n" + bytes(samples(color)) + b"more")


# TGA

MAPPED, COLORS, GRAY, RUNS = 1, 2, 3, 8


def tga(kind, depth, pixels, origin=0x20, alpha=0, colormap=None, first=0, count=0, entry=0, note=b"", tail=b""):
    header = struct.pack("<BBBHHBHHHHBB", len(note), colormap is not None, kind, first, count, entry, 5, 9, WIDTH, HEIGHT, depth, origin | alpha)
    return header + note + (colormap or b"") + pixels + tail


def packets(values, across=True):
    """Pixels, as bytes each, in packets. across: a packet may go on in the next row."""
    out, at = b"", 0
    while at < len(values):
        end = len(values) if across else at - at % WIDTH + WIDTH
        n = 1
        while at + n < min(end, at + 128) and values[at + n] == values[at]:
            n += 1
        if n > 1:
            out += bytes((0x7F + n,)) + values[at]
        else:
            while at + n < min(end, at + 128) and values[at + n] != values[at + n - 1]:
                n += 1
            out += bytes((n - 1,)) + b"".join(values[at:at + n])
        at += n
    return out


def make_tga():
    color, gray, full = rgb_picture(), rgb_picture().convert("L"), rgba_picture()
    la = Image.merge("LA", (gray, full.getchannel("A")))
    for name, image in {"1": color.convert("1"), "l": gray, "la": la, "p": color.quantize(20), "rgb": color, "rgba": full}.items():
        keep(f"pillow_{name}.tga", saved(image, "TGA"))
        if name != "1":
            keep(f"pillow_{name}_rle.tga", saved(image, "TGA", compression="tga_rle"))
        keep(f"pillow_{name}_top.tga", saved(image, "TGA", orientation=1, id_section=b"spool"))

    flat = [struct.pack("B", v) for row in FLAT for v in row]
    words16 = [struct.pack("<H", (v * 257 + 0x4321 * x) & 0xFFFF) for row in FLAT for x, v in enumerate(sorted(row))]
    bgr = [bytes((v, v ^ 0x35, 255 - v)) for row in FLAT for v in row]
    bgra = [p + bytes((p[0] ^ p[1],)) for p in bgr]
    two = [struct.pack("<H", v * 129) for row in FLAT for v in row]
    kinds = {"gray_8": (GRAY, 8, flat), "gray_16": (GRAY, 16, two), "16": (COLORS, 16, words16), "24": (COLORS, 24, bgr), "32": (COLORS, 32, bgra)}
    for name, (kind, depth, values) in kinds.items():
        for corner, origin in {"bottom_left": 0, "bottom_right": 0x10, "top_left": 0x20, "top_right": 0x30}.items():
            keep(f"{name}_{corner}.tga", tga(kind, depth, b"".join(values), origin))
            keep(f"{name}_{corner}_rle.tga", tga(kind | RUNS, depth, packets(values, across=False), origin))
    count = 60
    maps = {16: b"".join(struct.pack("<H", i * 1093 & 0xFFFF) for i in range(count)), 24: b"".join(bytes(PALETTE[i]) for i in range(count)),
            32: b"".join(bytes((*PALETTE[i], i * 4)) for i in range(count))}
    indices = [bytes((v % 70,)) for row in INDEX for v in row]
    for entry, colormap in maps.items():
        for first in (0, 4):
            keep(f"map_{entry}_from_{first}.tga", tga(MAPPED, 8, b"".join(indices), 0, colormap=colormap, first=first, count=count, entry=entry))
        keep(f"map_{entry}_rle.tga", tga(MAPPED | RUNS, 8, packets(indices, across=False), 0, colormap=colormap, count=count, entry=entry, note=b"note"))
    footer = lambda area: struct.pack("<II", area, 0) + b"TRUEVISION-XFILE.\0"
    body = tga(COLORS, 32, b"".join(bgra))
    for name, kind in {"none": 0, "straight": 3}.items():
        extension = struct.pack("<H", 495).ljust(494, b"\0") + bytes((kind,))
        keep(f"32_alpha_{name}.tga", body + extension + footer(len(body)))

    flipped = lambda values: b"".join(bytes(reversed(v)) for v in values)
    keep("map_not_used.tga", tga(COLORS, 24, b"".join(bgr), colormap=maps[24], count=count, entry=24), (flipped(bgr), (WIDTH, HEIGHT)), "Pillow refuses it")
    keep("24_literals_across_rows_rle.tga", tga(COLORS | RUNS, 24, packets(bgr)))
    runs_of_5 = [bytes((v, v ^ 0x35, 255 - v)) for v in (i // 5 * 9 for i in range(WIDTH * HEIGHT))]
    turned = [runs_of_5[y * WIDTH + x] for y in reversed(range(HEIGHT)) for x in range(WIDTH)]
    for name, origin, values in (("", 0x20, runs_of_5), ("_up", 0, turned)):
        keep(f"24_runs_across_rows_rle{name}.tga", tga(COLORS | RUNS, 24, packets(runs_of_5), origin), (flipped(values), (WIDTH, HEIGHT)),
             "Pillow refuses it; the first version of the format allows it")
    level = lambda w: b"".join(bytes(((v >> s & 31) * 255 // 31,)) for (v,) in (struct.unpack("<H", w),) for s in (10, 5, 0))
    keep("15.tga", tga(COLORS, 15, b"".join(words16)), (b"".join(level(w) for w in words16), (WIDTH, HEIGHT)), "Pillow refuses it")


# Structures

STRUCTURES = pathlib.Path("structure")


def make_structures():
    color, full = rgb_picture(), rgba_picture()
    frames = [color.rotate(90 * i) for i in range(3)]
    files = {
        "baseline.jpg": (color, {}), "progressive.jpg": (color, {"progressive": True}),
        "restart.jpg": (color, {"restart_marker_blocks": 1}), "exif.jpg": (color, {"exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0"}),
        "rgb.png": (color, {}), "palette.png": (color.quantize(9), {}), "animated.png": (frames[0], {"save_all": True, "append_images": frames[1:]}),
        "lossy.webp": (color, {}), "lossless.webp": (full, {"lossless": True}),
        "animated.webp": (frames[0], {"save_all": True, "append_images": frames[1:]}),
        "still.gif": (color, {}), "animated.gif": (frames[0], {"save_all": True, "append_images": frames[1:]}),
        "raw.tiff": (color, {}), "big.tiff": (color, {"big_tiff": True}), "deflate.tiff": (color, {"compression": "tiff_adobe_deflate"}),
        "strips.tiff": (color, {"compression": "tiff_lzw", "strip_size": 2 * WIDTH * 3}), "pages.tiff": (frames[0], {"save_all": True, "append_images": frames[1:]}),
        "big_endian.tiff": (Image.new("I;16B", (5, 4), 500), {}),
        "still.avif": (color, {"quality": 30}), "animated.avif": (frames[0], {"save_all": True, "append_images": frames[1:], "quality": 30}),
        "boxed.jp2": (color, {}), "bare.j2k": (color, {}), "tiles.jp2": (color, {"tile_size": (8, 4)}),
    }
    for name, (image, settings) in files.items():
        kind = {"jpg": "JPEG", "jp2": "JPEG2000", "j2k": "JPEG2000"}.get(name[-3:], name.rpartition(".")[2].upper())
        if name.endswith("j2k"):
            settings = settings | {"no_jp2": True}
        data = bytearray(saved(image, kind, **settings))
        for box in (b"mvhd", b"tkhd", b"mdhd"):  # of a sequence: when it was made, and changed
            if box in data:
                at = data.index(box) + 8
                data[at:at + 16] = bytes(16)
        (STRUCTURES / name).write_bytes(data)


for folder in (FOLDER, STRUCTURES):
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
make_bmp()
make_pnm()
make_tga()
make_structures()
report = {"pillow": PIL.__version__, "python": platform.python_version(), "files": dict(sorted(entries.items()))}
pathlib.Path("golanes.json").write_text(json.dumps(report, indent=1) + "\n")
print(len(entries), "files,", sum(f.stat().st_size for f in FOLDER.iterdir()), "bytes")
