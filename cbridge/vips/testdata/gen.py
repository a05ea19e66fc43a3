#!/usr/bin/env python3
"""Makes this folder's images, and golden.json with their contents.

TIFF is written here, sample by sample, so that what has to come out is known without any decoder. For the
other formats the reference is Pillow. Needs numpy, Pillow 12 or later, and cjxl of libjxl for JPEG XL.
The files are committed; tests do not run this script.
"""

import hashlib, io, json, os, struct, subprocess, sys, zlib
import numpy as np
from PIL import Image

os.chdir(os.path.dirname(os.path.abspath(__file__)))
W, H = 31, 23
golden = {}


def scene(channels, bits):
    """Smooth slopes, a hard edge and a little noise; every sample value occurs where bits are few."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[0:H, 0:W].astype(float)
    planes = [x / W, y / H, (x + y) / (W + H), 1 - x / W]
    a = np.stack(planes[:channels], -1) * 0.9 + rng.random((H, W, channels)) * 0.1
    a[10:20, 15:40] = 1 - a[10:20, 15:40]
    return np.minimum(a * (1 << bits), (1 << bits) - 1).astype(np.uint32)


def to8(a, bits):
    """What 8-bit output has to be: few bits spread over the range, of 16 the high byte."""
    return (a >> 8 if bits == 16 else a * 255 // ((1 << bits) - 1)).astype(np.uint8)


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()


def add(name, data, pixels, **header):
    """pixels: (H, W, 1|2|3|4) uint8 as stored; header: what ReadHeader has to say of it."""
    open(name, "wb").write(data)
    entry = dict(format=name.split(".")[-1], width=W, height=H, bits=8, pages=1, orientation=1, alpha=False)
    if pixels is not None:
        c = pixels.shape[2]
        rgb = pixels[:, :, :3] if c >= 3 else np.repeat(pixels[:, :, :1], 3, 2)
        alpha = pixels[:, :, -1:] if c in (2, 4) else np.full_like(pixels[:, :, :1], 255)
        entry.update(
            height=pixels.shape[0],
            width=pixels.shape[1],
            color="gray" if c < 3 else "rgb",
            alpha=c in (2, 4),
            rgb=sha(rgb),
            rgba=sha(np.concatenate([rgb, alpha], 2)),
        )
        if c < 3:
            entry["gray"] = sha(pixels[:, :, :1])
    entry.update(header)
    golden[name] = entry


def near(name, data, rgb, mean, **header):
    """Like add, for images that decoders decode differently: the reference is the file NAME.rgb."""
    add(name, data, rgb, **header)
    np.ascontiguousarray(rgb).tofile(name + ".rgb")
    for key in ("rgb", "rgba", "gray"):
        golden[name].pop(key, None)
    golden[name]["mean"] = mean


# --- TIFF --------------------------------------------------------------------------------------

exif = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"


def pack(rows, bits):
    """Samples of (h, n) to the bytes of each row, most significant bit first."""
    if bits == 16:
        return [r.astype(">u2").tobytes() for r in rows]
    return [np.packbits(((r[:, None] >> np.arange(bits - 1, -1, -1)) & 1).astype(np.uint8)).tobytes() for r in rows]


def tiff(pages, order="<"):
    """pages: lists of (array, bits, photometric, options); options: tile, planar, deflate, and tags."""
    mark = b"II*\0" if order == "<" else b"MM\0*"
    out = bytearray(mark + b"\0\0\0\0")
    link = 4
    for a, bits, photometric, o in pages:
        h, w, n = a.shape

        def encode(block):
            if bits == 16:
                data = block.astype(order + "u2").tobytes()
            elif bits == 32:
                data = block.astype(order + "f4").tobytes()
            else:
                data = b"".join(pack(block.reshape(block.shape[0], -1), bits))
            return zlib.compress(data, 9) if o.get("deflate") else data

        parts = [a[:, :, i : i + 1] for i in range(n)] if o.get("planar") else [a]
        blocks = []
        for part in parts:
            if "tile" in o:
                t = o["tile"]
                padded = np.pad(part, ((0, -h % t), (0, -w % t), (0, 0)))
                blocks += [encode(padded[y : y + t, x : x + t]) for y in range(0, h, t) for x in range(0, w, t)]
            else:
                blocks += [encode(part[y : y + o.get("rows", 10)]) for y in range(0, h, o.get("rows", 10))]
        offsets = []
        for b in blocks:
            offsets.append(len(out))
            out += b + b"\0" * (len(b) % 2)
        tags = {
            256: (4, [w]),
            257: (4, [h]),
            258: (3, [bits] * n),
            259: (3, [8 if o.get("deflate") else 1]),
            262: (3, [photometric]),
            277: (3, [n]),
            284: (3, [2 if o.get("planar") else 1]),
        }
        if "tile" in o:
            tags.update(
                {322: (3, [o["tile"]]), 323: (3, [o["tile"]]), 324: (4, offsets), 325: (4, [len(b) for b in blocks])}
            )
        else:
            tags.update({278: (4, [o.get("rows", 10)]), 273: (4, offsets), 279: (4, [len(b) for b in blocks])})
        tags.update(o.get("tags", {}))
        ifd = bytearray(struct.pack(order + "H", len(tags)))
        later = len(out) + 2 + 12 * len(tags) + 4
        tail = bytearray()
        for tag, (kind, values) in sorted(tags.items()):
            data = struct.pack(order + str(len(values)) + {3: "H", 4: "I"}[kind], *values)
            if len(data) <= 4:
                value = data.ljust(4, b"\0")
            else:
                value = struct.pack(order + "I", later + len(tail))
                tail += data
            ifd += struct.pack(order + "HHI", tag, kind, len(values)) + value
        struct.pack_into(order + "I", out, link, len(out))
        link = len(out) + len(ifd)
        out += ifd + b"\0\0\0\0" + tail
    return bytes(out)


def picture(name, a, bits, photometric, pixels=None, order="<", header={}, **o):
    data = tiff([(a, bits, photometric, o)], order)
    expected = to8(a, bits) if pixels is None else pixels
    add(name, data, expected, **{**dict(bits=max(bits, 8)), **header})
    try:  # a cross-check of this script
        seen = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        rgb = expected[:, :, :3] if expected.shape[2] >= 3 else np.repeat(expected[:, :, :1], 3, 2)
        if bits < 16 and not (seen == rgb).all():
            print("Pillow differs:", name, np.abs(seen.astype(int) - rgb).max())
    except Exception as e:
        print("Pillow does not read", name, e)


for bits in (1, 4, 8, 16):
    picture("gray%d.tif" % bits, scene(1, bits), bits, 1)
picture("white8.tif", scene(1, 8), 8, 0, 255 - to8(scene(1, 8), 8))
picture("rgb8.tif", scene(3, 8), 8, 2)
picture("rgb8.deflate.tif", scene(3, 8), 8, 2, deflate=True)
picture("rgb8.one-strip.tif", scene(3, 8), 8, 2, rows=H)
picture("rgb8.planar.tif", scene(3, 8), 8, 2, planar=True)
picture("rgb8.tiled.tif", scene(3, 8), 8, 2, tile=16)
picture("rgb8.tiled.deflate.tif", scene(3, 8), 8, 2, tile=32, deflate=True)
picture("rgb8.big-endian.tif", scene(3, 8), 8, 2, order=">")
picture("rgb16.tif", scene(3, 16), 16, 2)
picture("rgb16.big-endian.tif", scene(3, 16), 16, 2, order=">")
picture("rgb8.exif6.tif", scene(3, 8), 8, 2, tags={274: (3, [6])}, header=dict(orientation=6))
picture("rgba8.tif", scene(4, 8), 8, 2, tags={338: (3, [2])})
cmyk = scene(4, 8).astype(int)
white = 255 - cmyk[:, :, 3:]
t = cmyk[:, :, :3] * white + 128
mixed = (white - ((t >> 8) + t >> 8)).astype(np.uint8)
picture("cmyk8.tif", scene(4, 8), 8, 5, mixed, header=dict(color="cmyk"))
table = np.random.default_rng(3).integers(0, 256, (256, 3))
picture(
    "palette8.tif",
    scene(1, 8),
    8,
    3,
    table[scene(1, 8)[:, :, 0]].astype(np.uint8),
    tags={320: (3, [int(v) * 257 for v in table.T.reshape(-1)])},
)
two = scene(3, 8)
add("pages.tif", tiff([(two, 8, 2, {}), (255 - two[:20, :30], 8, 2, {})]), to8(two, 8), pages=2)
golden["pages.tif"]["page1"] = dict(width=30, height=20, rgb=sha((255 - two[:20, :30]).astype(np.uint8)))
add("float.tif", tiff([(scene(1, 8) / 255.0, 32, 1, dict(tags={339: (3, [3])}))]), to8(scene(1, 8), 8), bits=32)
add("signed.tif", tiff([(scene(1, 8), 8, 1, dict(tags={339: (3, [2])}))]), None, color="other")
add("lab.tif", tiff([(scene(3, 8), 8, 8, {})]), None, color="other")


def saved(image, kind, **o):
    f = io.BytesIO()
    image.save(f, kind, **o)
    return f.getvalue()


def opened(data, mode):
    image = Image.open(io.BytesIO(data))
    a = np.asarray(image.convert(mode))
    return a if a.ndim == 3 else a[:, :, None]


rgb = Image.fromarray(to8(scene(3, 8), 8))
rgba = Image.fromarray(to8(scene(4, 8), 8))
gray = Image.fromarray(to8(scene(1, 8), 8)[:, :, 0])
data = saved(rgb, "TIFF", compression="tiff_lzw")
add("rgb8.lzw.tif", data, opened(data, "RGB"))
data = saved(rgb, "TIFF", compression="jpeg")
add("rgb8.jpeg.tif", data, opened(data, "RGB"))

# --- JPEG XL -----------------------------------------------------------------------------------

smooth = Image.fromarray(np.asarray(rgb.resize((16, 12))).astype(np.uint8)).resize((W, H), Image.Resampling.BICUBIC)

cjxl = os.environ.get("CJXL", "cjxl")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(a, bits, kind):
    """What cjxl reads."""
    raw = b"".join(b"\0" + r for r in pack(a.reshape(a.shape[0], -1), bits))
    ihdr = struct.pack(">IIBBBBB", a.shape[1], a.shape[0], bits, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", ihdr) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")


def jxl(name, source, *options):
    kind = ".png" if source.startswith(b"\x89PNG") else ".jpg"
    open("tmp" + kind, "wb").write(source)
    subprocess.run([cjxl, "tmp" + kind, name, "--quiet", "-e", "3", *options], check=True, stderr=subprocess.DEVNULL)
    os.remove("tmp" + kind)
    return open(name, "rb").read()


for name, channels, bits, kind in (("rgb8", 3, 8, 2), ("gray8", 1, 8, 0), ("rgba8", 4, 8, 6), ("rgb16", 3, 16, 2)):
    a, name = scene(channels, bits), name + ".jxl"
    add(name, jxl(name, png(a, bits, kind), "-d", "0"), to8(a, bits), bits=bits)
add("container.jxl", jxl("container.jxl", png(scene(3, 8), 8, 2), "-d", "0", "--container=1"), to8(scene(3, 8), 8))
frames = [Image.fromarray(np.roll(to8(scene(3, 8), 8), 9 * i, 1)) for i in range(3)]
data = saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=100)
add("animated.jxl", jxl("animated.jxl", data, "-d", "0"), None, color="rgb", pages=0)
data = saved(smooth, "JPEG", quality=100, subsampling=0, exif=b"Exif\0\0" + exif)
near("turned.jxl", jxl("turned.jxl", data, "-j", "0", "-d", "0.2"), np.rot90(np.asarray(smooth), 3), 1.5)

json.dump(golden, open("golden.json", "w"), indent=1, sort_keys=True)
print(
    len(golden),
    "pictures,",
    sum(os.path.getsize(n) for n in golden) // 1024,
    "KB; Pillow",
    Image.__version__,
    file=sys.stderr,
)
