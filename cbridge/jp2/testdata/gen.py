#!/usr/bin/env python3
"""Makes the images of this folder, and golden.json with Pillow's pixels of them.

Needs Pillow 12 or later with JPEG 2000, NumPy, imagecodecs, ffmpeg and opj_compress of OpenJPEG. The tests need only
this folder.
"""

import hashlib
import io
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import imagecodecs
import numpy as np
from PIL import Image, features

HERE = Path(__file__).parent
W, H = 45, 34
golden = {}


def scene(channels, bits, width=W, height=H):
    """Slopes, an edge, a little noise, black and white."""
    rng = np.random.default_rng(5)
    y, x = np.mgrid[0:height, 0:width].astype(float)
    planes = [x / width, y / height, (x + y) / (width + height), 1 - x / width]
    a = np.stack(planes[:channels], -1) * 0.9 + rng.random((height, width, channels)) * 0.1
    a[10:20, 15:40] = 1 - a[10:20, 15:40]
    a[0:4, 0:4], a[0:4, 4:8] = 0, 1
    return np.minimum(a * (1 << bits), (1 << bits) - 1).astype(np.int64)


def codestream(planes, bits, distances=None, signed=False, args=()):
    """planes: lists of rows, all of so many bits, losslessly as opj_compress writes them."""
    with tempfile.TemporaryDirectory() as folder:
        raw = b"".join(
            np.ascontiguousarray(p, (">i" if signed else ">u") + ("1" if bits <= 8 else "2")).tobytes() for p in planes
        )
        Path(folder, "x.raw").write_bytes(raw)
        distances = distances or [(1, 1)] * len(planes)
        height, width = planes[0].shape[0] * distances[0][1], planes[0].shape[1] * distances[0][0]
        size = f"{width},{height},{len(planes)},{bits},{'s' if signed else 'u'}@" + ":".join(
            f"{x}x{y}" for x, y in distances
        )
        subprocess.run(
            ["opj_compress", "-i", folder + "/x.raw", "-o", folder + "/x.j2k", "-F", size, *(args or ("-n", "4"))],
            check=True,
            capture_output=True,
        )
        return Path(folder, "x.j2k").read_bytes()


def split(a):
    return [a[..., i] for i in range(a.shape[-1])]


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I4s", 8 + len(body), kind) + body


def colr(space):
    return box(b"colr", struct.pack(">BBBI", 1, 0, 0, space))


def boxed(stream, components, bits, *more):
    """more: the boxes behind the image header."""
    left, top = struct.unpack(">II", stream[16:24])
    right, bottom = struct.unpack(">II", stream[8:16])
    header = struct.pack(">IIHBBBB", bottom - top, right - left, components, bits - 1, 7, 0, 0)
    return (
        box(b"jP  ", b"\r\n\x87\n")
        + box(b"ftyp", b"jp2 ", bytes(4), b"jp2 ")
        + box(b"jp2h", box(b"ihdr", header), *more)
        + box(b"jp2c", stream)
    )


def saved(image, **o):
    to = io.BytesIO()
    image.save(to, "JPEG2000", **o)
    return to.getvalue()


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def pillow(data):
    """Pixels as RGBA. Of 16 bits the upper 8: Pillow's own convert clips."""
    image = Image.open(io.BytesIO(data))
    if image.mode == "I;16":
        high = (np.asarray(image) >> 8).astype(np.uint8)
        return image.mode, np.stack([high] * 3 + [np.full_like(high, 255)], -1)
    image.load()
    return image.mode, np.asarray(image.convert("RGBA"))


def add(name, data, bits=8, wide=None, ours=None, **known):
    """ours: RGB or RGBA where Pillow's pixels are not wanted, see doc.go; wide: gray or RGB of 16 bits."""
    (HERE / name).write_bytes(data)
    mode, pixels = pillow(data)
    if ours is not None:
        if ours.shape[-1] == 3:
            ours = np.concatenate([ours, np.full_like(ours[..., :1], 255)], -1)
        assert (pixels != ours).any(), name
        pixels = ours
    entry = dict(
        mode=mode,
        width=pixels.shape[1],
        height=pixels.shape[0],
        bits=bits,
        rgb=sha(pixels[..., :3]),
        rgba=sha(pixels),
        **known,
    )
    if wide is not None:
        entry["wide"] = sha(wide.astype("<u2"))
    golden[name] = entry


def image(channels, width=W, height=H):
    a = scene(channels, 8, width, height).astype(np.uint8)
    if channels == 2:
        return Image.fromarray(a, "LA")
    return Image.fromarray(a[..., 0] if channels == 1 else a)


def rounded(a, bits):
    """Pillow's 8 bits of more, but for the wrap of the upper half step."""
    return np.minimum((a + (1 << (bits - 9))) >> (bits - 8), 255).astype(np.uint8)


def repeated(plane, dx, dy, width, height):
    return plane[np.ix_(np.arange(height) // dy, np.arange(width) // dx)]


def ffmpeg(data, like):
    """The planes of a file: opj_compress mixes up those of odd size."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-f", "rawvideo", "-"], input=data, check=True, capture_output=True
    ).stdout
    ends = np.cumsum([p.size for p in like])
    assert ends[-1] == len(raw)
    return [a.reshape(p.shape) for a, p in zip(np.split(np.frombuffer(raw, np.uint8), ends[:-1]), like)]


def ycc(y, cb, cr):
    a = np.stack([y, cb, cr], -1).astype(np.uint8)
    return np.asarray(Image.fromarray(a, "YCbCr").convert("RGB"))


def packed(stream):
    """Moves the packet headers of a codestream of one tile-part, with SOP and EPH markers, to a PPT marker segment."""
    at = stream.index(b"\xff\x90")
    body = stream.index(b"\xff\x93", at) + 2
    headers, data = b"", b""
    for packet in stream[body:-2].split(b"\xff\x91\x00\x04")[1:]:
        header, content = packet[2:].split(b"\xff\x92", 1)
        headers += header + b"\xff\x92"
        data += b"\xff\x91\x00\x04" + packet[:2] + content
    segment = b"\xff\x61" + struct.pack(">HB", len(headers) + 3, 0) + headers
    part = segment + b"\xff\x93" + data
    return stream[: at + 6] + struct.pack(">I", 12 + len(part)) + stream[at + 10 : at + 12] + part + stream[-2:]


for name, channels in (("gray", 1), ("graya", 2), ("rgb", 3), ("rgba", 4)):
    add(name + ".jp2", saved(image(channels)))
    add(name + ".j2k", saved(image(channels), no_jp2=True))
add("lossy.jp2", saved(image(3), irreversible=True, mct=1, quality_mode="rates", quality_layers=[20, 10, 4]))
add("signed.j2k", saved(image(3), signed=True, no_jp2=True))
add("signed.jp2", saved(image(1), signed=True))
add("tiles.jp2", saved(image(3), tile_size=(16, 16)))
add("offset.j2k", saved(image(3), offset=(7, 11), tile_size=(16, 16), no_jp2=True))
add("offset_gray.jp2", saved(image(1), offset=(17, 33), tile_offset=(5, 3), tile_size=(20, 32)))
add("offset_whole.jp2", saved(image(3), offset=(17, 33), tile_size=(100, 100)))
plain = split(scene(3, 8))
add(
    "rpcl.jp2",
    boxed(
        codestream(plain, 8, args=["-p", "RPCL", "-n", "3", "-c", "[32,32]", "-b", "8,8", "-r", "8,4,1"]),
        3,
        8,
        colr(16),
    ),
)
add(
    "parts.jp2",
    boxed(
        codestream(plain, 8, args=["-t", "16,16", "-TP", "R", "-n", "2", "-SOP", "-EPH", "-M", "36"]), 3, 8, colr(16)
    ),
)
add(
    "poc.jp2",
    boxed(codestream(plain, 8, args=["-n", "3", "-POC", "T1=0,0,1,2,3,CPRL/T1=0,0,1,3,3,CPRL"]), 3, 8, colr(16)),
)

# Samples that do not have 8 bits.
for bits in (1, 4):
    add(f"gray{bits}.jp2", boxed(codestream(split(scene(1, bits)), bits), 1, bits, colr(17)), bits=bits)
    add(f"rgb{bits}.jp2", boxed(codestream(split(scene(3, bits)), bits), 3, bits, colr(16)), bits=bits)
for bits in (9, 12, 16):
    gray, rgb = scene(1, bits), scene(3, bits)
    up = 16 - bits
    for kind, data in (
        ("jp2", boxed(codestream(split(gray), bits), 1, bits, colr(17))),
        ("j2k", codestream(split(gray), bits)),
    ):
        rounds = kind == "jp2" and bits == 9  # Pillow takes 9 bits in a box for 8
        ours = np.repeat(rounded(gray, bits), 3, -1) if rounds else None
        add(f"gray{bits}.{kind}", data, bits=bits, wide=gray << up, ours=ours)
    add(
        f"rgb{bits}.jp2",
        boxed(codestream(split(rgb), bits), 3, bits, colr(16)),
        bits=bits,
        wide=rgb << up,
        ours=rounded(rgb, bits),
    )
signed = scene(1, 12) - 2048
add(
    "signed12.jp2",
    boxed(codestream(split(signed), 12, signed=True), 1, 0x80 | 12, colr(17)),
    bits=12,
    wide=(signed + 2048) << 4,
)

# YCbCr, subsampled or not, said or to be guessed.
for label, dx, dy in (("444", 1, 1), ("422", 2, 1), ("420", 2, 2), ("411", 4, 1), ("440", 1, 2)):
    for width, height in ((44, 32), (43, 31)):
        a = scene(3, 8, width, height)
        parts = [a[..., 0]] + [a[::dy, ::dx, i] for i in (1, 2)]
        odd = width % dx or height % dy
        data = codestream(parts, 8, [(1, 1), (dx, dy), (dx, dy)])
        if odd:
            parts = ffmpeg(boxed(data, 3, 8, colr(18)), parts)
        right = ycc(parts[0], *[repeated(p, dx, dy, width, height) for p in parts[1:]])
        add(f"ycc{label}{'_odd' if odd else ''}.jp2", boxed(data, 3, 8, colr(18)), ours=right if odd else None)
        if not odd:
            assert (pillow(boxed(data, 3, 8, colr(18)))[1][..., :3] == right).all()
            add(f"ycc{label}.j2k", data)
a = scene(4, 8, 44, 32)
parts = [a[..., 0], a[::2, ::2, 1], a[::2, ::2, 2], a[..., 3]]
add("ycca420.jp2", boxed(codestream(parts, 8, [(1, 1), (2, 2), (2, 2), (1, 1)]), 4, 8, colr(18)))
tiled = codestream(
    [a[..., 0], a[::2, ::2, 1], a[::2, ::2, 2]], 8, [(1, 1), (2, 2), (2, 2)], args=["-t", "16,16", "-n", "2"]
)
add("ycc420_tiles.jp2", boxed(tiled, 3, 8, colr(18)))
a = scene(3, 8, 44, 32)
add("rgb_subsampled.jp2", boxed(codestream([a[::2, ::2, i] for i in range(3)], 8, [(2, 2)] * 3), 3, 8, colr(16)))
deep = scene(3, 12, 44, 32)
y, cb, cr = [x.astype(float) * 16 - (32768 if i else 0) for i, x in enumerate(split(deep))]
wide = np.stack([y + 1.402 * cr, y - 0.34414 * cb - 0.71414 * cr, y + 1.772 * cb], -1).round().clip(0, 65535)
add(
    "ycc444_12.jp2",
    boxed(codestream(split(deep), 12), 3, 12, colr(18)),
    bits=12,
    wide=wide,
    ours=ycc(*split(rounded(deep, 12))),
)

# Four components that are not RGBA, and profiles.
four = codestream(split(scene(4, 8)), 8)
add("cmyk.jp2", boxed(four, 4, 8, colr(12)), inks=sha(scene(4, 8).astype(np.uint8)))
add("rgb_extra.jp2", boxed(four, 3, 8, colr(16)))
profile = (HERE / "../../../testdata/gen/display-p3.icc").read_bytes()
add("profile.jp2", boxed(codestream(plain, 8), 3, 8, box(b"colr", bytes([2, 0, 0]), profile)), icc=len(profile))
add("profile_second.jp2", boxed(codestream(plain, 8), 3, 8, colr(16), box(b"colr", bytes([2, 0, 0]), profile)))

# Palettes. Pillow drops entries that repeat others, and scales indices of less than 8 bits.
rng = np.random.default_rng(3)
index = scene(1, 8)


def palette(colors):
    count, columns = colors.shape
    entries = box(b"pclr", struct.pack(">HB", count, columns), bytes([7] * columns), colors.astype(np.uint8).tobytes())
    return entries + box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, i) for i in range(columns)))


colors = rng.permutation(1 << 24)[:256]
rgb = np.stack([colors >> 16, colors >> 8 & 255, colors & 255], -1)
rgba = np.concatenate([rgb, rng.integers(0, 256, (256, 1))], -1)
stream = codestream(split(index), 8)
add("palette.jp2", boxed(stream, 1, 8, colr(16), palette(rgb)))
add("palette_rgba.jp2", boxed(stream, 1, 8, colr(16), palette(rgba)))
add("palette_short.jp2", boxed(stream, 1, 8, colr(16), palette(rgb[:100])))
add("palette_alpha.jp2", boxed(codestream(split(scene(2, 8)), 8), 2, 8, colr(16), palette(rgb)))
repeating = rgb.copy()
repeating[7] = repeating[3]
add(
    "palette_repeats.jp2",
    boxed(stream, 1, 8, colr(16), palette(repeating)),
    ours=repeating[index[..., 0]].astype(np.uint8),
)
few = scene(1, 4)
add(
    "palette4.jp2",
    boxed(codestream(split(few), 4), 1, 4, colr(16), palette(rgb[:16])),
    ours=rgb[few[..., 0]].astype(np.uint8),
)

# Images that are decoded in bands: with one tile, and with two.
flat = np.zeros((1100, 1300), np.uint8)
flat[200:900, 300:1000], flat[::97] = 180, 90
large = Image.merge(
    "RGB", [Image.fromarray(flat), Image.fromarray(flat.T.copy()).resize((1300, 1100)), Image.fromarray(255 - flat)]
)
o = dict(irreversible=True, mct=1, quality_mode="rates", quality_layers=[500], offset=(3, 5), tile_size=(1310, 1120))
add("large.jp2", saved(large, **o))
wide = Image.new("RGB", (2100, 1100))
wide.paste(large), wide.paste(large.transpose(Image.Transpose.FLIP_LEFT_RIGHT), (1050, 0))
add("large_tiles.jp2", saved(wide, **{**o, "offset": (0, 0), "tile_size": (1050, 1100)}))

# Images of one tile whose areas libopenjp2 does not decode.
smooth = [np.asarray(p.resize((320, 400))) for p in large.split()]
packets = ["-SOP", "-EPH", "-n", "4", "-I", "-r", "60"]
add("packed.jp2", boxed(packed(codestream(smooth, 8, args=packets)), 3, 8, colr(16)))
add("high.jph", bytes(imagecodecs.htj2k_encode(np.stack(smooth, -1), level=0.05, reversible=False)))

# One tile of many code blocks, for tests of cancellation.
noisy = Image.fromarray(scene(1, 8, 640, 640)[..., 0].astype(np.uint8))
add("noisy.jp2", saved(noisy, irreversible=True, quality_mode="rates", quality_layers=[8]))

# One band in four steps.
strip = Image.fromarray(scene(1, 8, 720, 100)[..., 0].astype(np.uint8))
add("strip.jp2", saved(strip, irreversible=True, quality_mode="rates", quality_layers=[20]))

json.dump(
    dict(pillow=Image.__version__, openjpeg=features.version("jpg_2000"), files=golden),
    open(HERE / "golden.json", "w"),
    indent=1,
)
print(len(golden), "files,", sum(f.stat().st_size for f in HERE.glob("*.j*")), "bytes")
