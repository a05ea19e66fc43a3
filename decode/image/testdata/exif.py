"""Writes the orientations that others read from unusual Exif data: python exif.py > exif.json

The recorded file is from Pillow 13 and torchvision 0.29. Each case is a JPEG file: the base image with the segments of
the case after its first marker. torchvision's orientation is found by comparing pixels; Pillow reports its own.
"""

import io
import json
import struct
import sys
import warnings

import numpy
import PIL
import torch
import torchvision
from PIL import Image, ImageOps
from torchvision.io import ImageReadMode, decode_image

warnings.simplefilter("ignore")
picture = Image.new("L", (16, 8), 40)
picture.paste(220, (0, 0, 8, 3))
stream = io.BytesIO()
picture.save(stream, "JPEG", quality=90)
BASE = stream.getvalue()
cases = {}


def segment(marker, data, fill=b""):
    return fill + struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def exif(tiff, fill=b""):
    return segment(0xE1, b"Exif\0\0" + tiff, fill)


def tiff(*entries, order="<", at=8, magic=42, count=None, tail=b"\0\0\0\0"):
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", magic, at)
    head += bytes(max(0, at - 8)) + struct.pack(order + "H", len(entries) if count is None else count)
    return head + b"".join(struct.pack(order + "HHI", tag, kind, n) + value for tag, kind, n, value in entries) + tail


def short(value, kind=3, n=1, order="<", tag=0x112):
    return tag, kind, n, struct.pack(order + "HH", value, 0)


def long(value, kind=4, n=1, order="<"):
    return 0x112, kind, n, struct.pack(order + "I", value)


def applied(data):
    """The orientation that torchvision applies; None when it refuses the file."""
    try:
        read = lambda apply: decode_image(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode=ImageReadMode.GRAY,
                                          apply_exif_orientation=apply)[0].numpy()
        stored, turned = read(False), read(True)
    except RuntimeError:
        return None
    for number in range(1, 9):
        image = Image.fromarray(stored)
        image.getexif()[0x112] = number
        if numpy.array_equal(numpy.asarray(ImageOps.exif_transpose(image)), turned):
            return number
    raise AssertionError("no orientation fits")


def case(name, *segments):
    segments = b"".join(segments)
    data = BASE[:2] + segments + BASE[2:]
    with Image.open(io.BytesIO(data)) as image:
        value = image.getexif().get(0x112)
    cases[name] = {"segments": segments.hex(), "torchvision": applied(data), "pillow": value if isinstance(value, int) else str(value)}


xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
six = tiff(short(6))
case("none")
for number in range(10):
    case(f"little endian {number}", exif(tiff(short(number))))
    case(f"big endian {number}", exif(tiff(short(number, order=">"), order=">")))
case("65535", exif(tiff(short(65535))))
case("long", exif(tiff(long(6))))
case("long, big endian", exif(tiff(long(6, order=">"), order=">")))
case("byte", exif(tiff((0x112, 1, 1, b"\6\0\0\0"))))
case("ascii", exif(tiff((0x112, 2, 2, b"6\0\0\0"))))
case("rational", exif(tiff(long(8, kind=5))))
case("unknown type", exif(tiff(short(6, kind=99))))
case("two values", exif(tiff((0x112, 3, 2, struct.pack("<HH", 6, 1)))))
case("no value", exif(tiff(short(6, n=0))))
case("among others", exif(tiff(short(1, tag=0x100), short(2, tag=0x101), short(6), short(3, tag=0x10F))))
case("6 and 1", exif(tiff(short(6), short(1))))
case("1 and 6", exif(tiff(short(1), short(6))))
case("0 and 6", exif(tiff(short(0), short(6))))
case("after other segments", segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"), segment(0xFE, b"\xff\xe1\0\x10"), exif(six))
case("XMP first", xmp, exif(six))
case("XMP second", exif(six), xmp)
case("Exif twice, 6 first", exif(six), exif(tiff(short(1))))
case("Exif twice, 1 first", exif(tiff(short(1))), exif(six))
case("Exif twice, first without", exif(tiff(short(1, tag=0x110))), exif(six))
case("Exif twice, first empty", exif(b""), exif(six))
case("split in two", exif(six[:12]), exif(six[12:]))
case("BigTIFF", exif(tiff(short(6), magic=43)))
case("unknown order", exif(b"XX" + six[2:]))
case("other padding", segment(0xE1, b"Exif\0x" + six))
case("in APP2", segment(0xE2, b"Exif\0\0" + six))
case("fill bytes", exif(six, fill=b"\xff\xff\xff"))
case("directory later", exif(tiff(short(6), at=16)))
case("directory at 0", exif(six[:4] + struct.pack("<I", 0) + six[8:]))
case("directory beyond", exif(six[:4] + struct.pack("<I", 26) + six[8:]))
case("directory far beyond", exif(six[:4] + struct.pack("<I", 0xFFFFFFFF) + six[8:]))
case("no next directory", exif(six[:-4]))
case("value cut", exif(six[:-6]))
case("value's padding cut", exif(six[:-5]))
case("more entries promised", exif(tiff(short(6), count=5)))
case("more entries promised, cut", exif(tiff(short(6), count=5, tail=b"")))
case("fewer entries promised", exif(tiff(short(2, tag=0x110), short(6), count=1)))
case("no entries", exif(tiff(count=0)))
case("only a header", exif(six[:8]))

versions = {"pillow": PIL.__version__, "torchvision": torchvision.__version__.split("+")[0]}
json.dump({**versions, "base": BASE.hex(), "cases": cases}, sys.stdout, indent=1)
print()
