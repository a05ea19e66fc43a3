#!/usr/bin/env python3
"""Makes deep.json and its images: 16 bits, float, pages, profiles, HEIC, and formats that are loaded only on request.

The expected samples are known without a decoder if this script writes the file. Otherwise they come from OpenCV,
tifffile, imagecodecs or pillow-heif, which have to be installed. deep.json also has gen.py's images of 16 bits. The
files are committed; tests do not run this script.
"""

import hashlib, io, json, os, struct, sys
import cv2, imagecodecs, numpy as np, pillow_heif, tifffile
from PIL import Image

os.chdir(os.path.dirname(os.path.abspath(__file__)))
W, H = 31, 23
golden = {}
P3 = open("../../icc/testdata/display-p3.icc", "rb").read()


def sha(a):
    return hashlib.sha256(np.ascontiguousarray(a.astype(a.dtype.newbyteorder("<"))).tobytes()).hexdigest()


def scene(channels, bits):
    """gen.py's, so that its files can be looked at again."""
    rng = np.random.default_rng(7)
    y, x = np.mgrid[0:H, 0:W].astype(float)
    planes = [x / W, y / H, (x + y) / (W + H), 1 - x / W]
    a = np.stack(planes[:channels], -1) * 0.9 + rng.random((H, W, channels)) * 0.1
    a[10:20, 15:40] = 1 - a[10:20, 15:40]
    return np.minimum(a * (1 << bits), (1 << bits) - 1).astype(np.uint32)


def add(name, pixels, page=0, **header):
    """pixels: (H, W, 1, 3 or 4) uint16 as they are to come out; as 8 bits, their high bytes."""
    rgb = pixels[:, :, :3] if pixels.shape[2] >= 3 else np.repeat(pixels, 3, 2)
    entry = dict(
        format=name.split(".")[-1],
        page=page,
        height=pixels.shape[0],
        width=pixels.shape[1],
        rgb16=sha(rgb),
        rgb=sha((rgb >> 8).astype(np.uint8)),
        **header,
    )
    if pixels.shape[2] == 4:
        entry["rgba16"] = sha(pixels)
    golden[name if page == 0 else "%s#%d" % (name, page)] = entry


def opencv(data):
    a = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    return a[:, :, None] if a.ndim == 2 else a[:, :, [2, 1, 0, 3][: a.shape[2]]]


# --- 16 bits, as OpenCV reads them -------------------------------------------------------------

for name, channels in (("gray16.tif", 1), ("rgb16.tif", 3), ("rgb16.big-endian.tif", 3)):
    pixels = opencv(open(name, "rb").read())
    assert (pixels == scene(channels, 16)).all(), name
    add(name, pixels, bits=16)
assert (imagecodecs.jpegxl_decode(open("rgb16.jxl", "rb").read()) == scene(3, 16)).all()
add("rgb16.jxl", scene(3, 16).astype(np.uint16), bits=16)

# --- TIFF: pages, float, a profile -------------------------------------------------------------

first, second, third = (
    scene(3, 16).astype(np.uint16),
    scene(1, 8)[:20, :30, 0].astype(np.uint8),
    scene(4, 16).astype(np.uint16),
)
with tifffile.TiffWriter("deep-pages.tif", byteorder="<") as file:
    file.write(first, photometric="rgb", metadata=None)
    file.write(second, photometric="minisblack", metadata=None)
    file.write(third, photometric="rgb", extrasamples=["unassalpha"], metadata=None)
add("deep-pages.tif", first, bits=16, pages=3)
add("deep-pages.tif", second[:, :, None].astype(np.uint16) * 257, page=1, bits=8, pages=3)
add("deep-pages.tif", third, page=2, bits=16, pages=3, alpha=True)


def clipped(a):
    """0 is black and 1 white; as skimage.util.img_as_uint has it, but that it clips."""
    return np.floor(np.clip(np.nan_to_num(a.astype(np.float64), nan=0), 0, 1) * 65535 + 0.5).astype(np.uint16)


real = (scene(3, 16) / 50000.0 - 0.1).astype(np.float32)
real[3, :4, 0] = [np.nan, np.inf, -np.inf, 1]
tifffile.imwrite("float-rgb.tif", real, photometric="rgb", metadata=None)
add("float-rgb.tif", clipped(real), bits=32)
golden["float-rgb.tif"]["rgb"] = sha(
    np.floor(np.clip(np.nan_to_num(real.astype(np.float64), nan=0), 0, 1) * 255 + 0.5).astype(np.uint8)
)
tifffile.imwrite("double.tif", real.astype(np.float64), photometric="rgb", metadata=None)  # which libvips does not read
rgb = scene(3, 8).astype(np.uint8)
tifffile.imwrite("profile.tif", rgb, photometric="rgb", iccprofile=P3, metadata=None)
add("profile.tif", rgb.astype(np.uint16) * 257, bits=8, icc=True)


def averaged(a):
    a = a.astype(np.uint16)
    return ((a[0::2, 0::2] + a[1::2, 0::2] + a[0::2, 1::2] + a[1::2, 1::2] + 2) // 4).astype(np.uint8)


# 96 x 64 with levels of half and a quarter of it: below the page's directory, and as pages of their own.
large = np.asarray(Image.fromarray(rgb).resize((12, 8)).resize((96, 64), Image.Resampling.BICUBIC))
levels = [large, averaged(large), averaged(averaged(large))]
o = dict(photometric="rgb", metadata=None, compression="zlib", predictor=True)
with tifffile.TiffWriter("levels-below.tif") as file:
    file.write(levels[0], subifds=2, **o)
    file.write(levels[1], subfiletype=1, **o)
    file.write(levels[2], subfiletype=1, **o)
    file.write(255 - levels[1], **o)
with tifffile.TiffWriter("levels-behind.tif") as file:
    file.write(levels[0], **o)
    file.write(levels[1], subfiletype=1, **o)
    file.write(levels[2], subfiletype=1, **o)
tifffile.imwrite("strips.tif", large[:, :24], photometric="rgb", metadata=None, rowsperstrip=8)
tifffile.imwrite("tiles.tif", large[:, :32], photometric="rgb", metadata=None, tile=(16, 16), compression="zlib")
add("strips.tif", large[:, :24].astype(np.uint16) * 257, bits=8)
add("tiles.tif", large[:, :32].astype(np.uint16) * 257, bits=8)
add("levels-below.tif", large.astype(np.uint16) * 257, bits=8, pages=2)
add("levels-behind.tif", large.astype(np.uint16) * 257, bits=8, pages=3)

# --- HEIC --------------------------------------------------------------------------------------

smooth = Image.fromarray(rgb).resize((8, 6)).resize((64, 48), Image.Resampling.BICUBIC)
turned = smooth.transpose(Image.Transpose.ROTATE_180)
heif = pillow_heif.HeifFile()
heif.add_from_pillow(smooth)
heif.add_from_pillow(turned.crop((0, 0, 64, 32)))
heif.save("collection.heic", quality=90, chroma=444, primary_index=0)
deep = np.asarray(smooth).astype(np.uint16) * 257
heif = pillow_heif.from_bytes(mode="RGB;16", size=(64, 48), data=deep.tobytes())
pillow_heif.options.SAVE_HDR_TO_12_BIT = False
heif.save("ten.heic", quality=90, chroma=444)


def near(name, page, pixels, mean, **header):
    """Add a lossy image; its reference is a file of 8 bits."""
    golden[name if page == 0 else "%s#%d" % (name, page)] = dict(
        format="heic",
        page=page,
        height=pixels.shape[0],
        width=pixels.shape[1],
        near="%s.%d.rgb" % (name, page),
        mean=mean,
        **header,
    )
    np.ascontiguousarray(pixels.astype(np.uint8)).tofile("%s.%d.rgb" % (name, page))


opened = pillow_heif.open_heif("collection.heic")
for page in range(2):
    near("collection.heic", page, np.asarray(opened[page].to_pillow().convert("RGB")), 0.5, bits=8, pages=2)
heif = pillow_heif.HeifFile()
heif.add_from_pillow(Image.merge("RGBA", (*smooth.split(), smooth.split()[0])))
heif.save("alpha.heic", quality=90, chroma=444)
near(
    "alpha.heic",
    0,
    np.asarray(pillow_heif.open_heif("alpha.heic")[0].to_pillow().convert("RGB")),
    0.5,
    bits=8,
    alpha=True,
)
opened = pillow_heif.open_heif("ten.heic", convert_hdr_to_8bit=False)
near("ten.heic", 0, np.asarray(opened).reshape(48, 64, 3) >> 8, 0.5, bits=10)

# --- What is loaded only when it is asked for --------------------------------------------------

open("drawing.svg", "w").write(
    '<svg xmlns="http://www.w3.org/2000/svg" width="31" height="23"><rect width="31" height="23" fill="#204060"/>'
    '<rect x="4" y="5" width="10" height="8" fill="#f0a010"/></svg>'
)
drawn = np.full((H, W, 4), (0x20, 0x40, 0x60, 255), np.uint16)
drawn[5:13, 4:14] = (0xF0, 0xA0, 0x10, 255)
add("drawing.svg", drawn * 257, bits=8, alpha=True)


def pdf(pages):
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (len(pages), b" ".join(b"%d 0 R" % (3 + 2 * i) for i in range(len(pages)))),
    ]
    for i, (w, h, content) in enumerate(pages):
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents %d 0 R/Resources<<>>>>" % (w, h, 4 + 2 * i)
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
    out, at = bytearray(b"%PDF-1.4\n"), []
    for i, o in enumerate(objects):
        at.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (i + 1, o)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(at) + 1) + b"".join(b"%010d 00000 n \n" % x for x in at)
    return bytes(out) + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(at) + 1, start)


open("pages.pdf", "wb").write(pdf([(31, 23, b"1 0 0 rg 4 10 10 8 re f"), (16, 12, b"0 0 1 rg 0 0 16 6 re f")]))
one, two = np.full((H, W, 4), 255, np.uint16), np.full((12, 16, 4), 255, np.uint16)
one[5:13, 4:14] = (255, 0, 0, 255)
two[6:] = (0, 0, 255, 255)
add("pages.pdf", one * 257, bits=8, pages=2, alpha=True)
add("pages.pdf", two * 257, page=1, bits=8, pages=2, alpha=True)


def curve(light):
    light = np.clip(light.astype(np.float64), 0, 1)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.floor(encoded * 65535 + 0.5).astype(np.uint16)


light = (scene(3, 16) / 40000.0).astype(np.float32)
channels = b"".join(c + b"\0" + struct.pack("<iBxxxii", 2, 0, 1, 1) for c in (b"B", b"G", b"R")) + b"\0"
box = struct.pack("<4i", 0, 0, W - 1, H - 1)
head = b"\x76\x2f\x31\x01\x02\0\0\0"
for name, kind, value in (
    (b"channels", b"chlist", channels),
    (b"compression", b"compression", b"\0"),
    (b"dataWindow", b"box2i", box),
    (b"displayWindow", b"box2i", box),
    (b"lineOrder", b"lineOrder", b"\0"),
    (b"pixelAspectRatio", b"float", struct.pack("<f", 1)),
    (b"screenWindowCenter", b"v2f", bytes(8)),
    (b"screenWindowWidth", b"float", struct.pack("<f", 1)),
):
    head += name + b"\0" + kind + b"\0" + struct.pack("<i", len(value)) + value
head += b"\0"
line = 8 + 12 * W
table = b"".join(struct.pack("<Q", len(head) + 8 * H + y * line) for y in range(H))
rows = b"".join(struct.pack("<ii", y, 12 * W) + light[y][:, ::-1].T.astype("<f4").tobytes() for y in range(H))
open("light.exr", "wb").write(head + table + rows)
golden["light.exr"] = dict(
    format="exr", page=0, width=W, height=H, bits=32, near="light.exr.0.rgb", mean=0.1, alpha=True
)
half = light.astype(np.float16).astype(np.float32)  # libvips reads OpenEXR as half
(curve(half) / 257.0 + 0.5).astype(np.uint8).tofile("light.exr.0.rgb")
ok, data = cv2.imencode(".hdr", light[:, :, ::-1].copy())
data = data.tobytes()
open("light.hdr", "wb").write(data)
seen = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)[:, :, ::-1]
golden["light.hdr"] = dict(format="hdr", page=0, width=W, height=H, bits=32, near="light.hdr.0.rgb", mean=1)
(curve(seen) / 257.0 + 0.5).astype(np.uint8).tofile("light.hdr.0.rgb")
icon = Image.fromarray(rgb[:16, :16]).convert("RGBA")
f = io.BytesIO()
icon.save(f, "ICO", sizes=[(16, 16)], bitmap_format="bmp")
open("icon.ico", "wb").write(f.getvalue())
add("icon.ico", np.asarray(icon).astype(np.uint16) * 257, bits=8, alpha=True)

for entry in golden.values():
    for key, value in (("pages", 1), ("alpha", False), ("icc", False)):
        entry.setdefault(key, value)
json.dump(golden, open("deep.json", "w"), indent=1, sort_keys=True)
names = {n.split("#")[0] for n in golden}
print(len(golden), "pictures,", sum(os.path.getsize(n) for n in names), "bytes", file=sys.stderr)
