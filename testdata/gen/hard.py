"""Makes testdata/hard/good and testdata/hard/bad from two photos: python hard.py PHOTOS HARD

good: every storage variant that a decoder must read, small and of odd size. bad: files that it must refuse. Files
that Pillow cannot write (16-bit RGB and interlaced PNG, YCCK, broken markers) are assembled here.
"""

import pathlib
import struct
import sys
import zlib

from PIL import Image

ORIENTATION = 0x0112


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, bits, color, passes, interlace=0):
    """A PNG file of the given rows; passes has the rows of each interlace pass, unfiltered."""
    raw = b"".join(b"\0" + row for rows in passes for row in rows)
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def interlaced(image):
    """The image as an Adam7 PNG (for each pass the first column and row, then the steps)."""
    grid = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    width, height = image.size
    pixel = image.load()
    passes = [[b"".join(bytes(pixel[x, y]) for x in range(left, width, dx)) for y in range(top, height, dy)]
              for left, top, dx, dy in grid]
    return png(width, height, 8, 2, passes, interlace=1)


def deep(image):
    """The image as a 16-bit RGB PNG. The high bytes are the image, and the low bytes differ from it."""
    width, height = image.size
    data = image.tobytes()
    rows = [b"".join(bytes((v, (v * 7 + x) & 0xFF)) for x, v in enumerate(data[y * width * 3:(y + 1) * width * 3]))
            for y in range(height)]
    return png(width, height, 16, 2, [rows])


def ycck(image, path):
    """Saves the image as YCCK: a CMYK file of the converted channels, marked as YCCK by its Adobe marker."""
    luma, blue, red = image.convert("YCbCr").split()
    black = image.convert("L").point(lambda v: 255 - v // 4)
    inverse = [band.point(lambda v: 255 - v) for band in (luma, blue, red, black)]
    Image.merge("CMYK", inverse).save(path, quality=90, subsampling="4:4:4")  # Pillow inverts CMYK on saving
    data = bytearray(path.read_bytes())
    marker = data.index(b"Adobe")
    assert data[marker + 11] == 0, "the transform byte of a CMYK file"
    data[marker + 11] = 2
    path.write_bytes(data)


def segment(data, marker):
    """The offset of the JPEG segment with this marker."""
    at = 2
    while data[at + 1] != marker:
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    return at


def good(base, folder):
    """base is an RGB image of odd width and height."""
    def save(name, image=base, **options):
        image.save(folder / name, **options)

    gray = base.convert("L")
    alpha = Image.linear_gradient("L").resize(base.size)
    rgba = base.copy()
    rgba.putalpha(alpha)
    la = Image.merge("LA", (gray, alpha))
    frames = [base.rotate(angle) for angle in (0, 30, 60, 90, 120)]
    palette = base.quantize(64, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)

    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        save(f"exif{orientation}.jpg", quality=85, exif=exif)
    for name, subsampling in (("s420", "4:2:0"), ("s422", "4:2:2"), ("s444", "4:4:4")):
        save(f"{name}.jpg", quality=85, subsampling=subsampling)
    save("progressive.jpg", quality=85, progressive=True)
    save("restart.jpg", quality=85, restart_marker_blocks=5)
    save("q1.jpg", quality=1)
    save("q100.jpg", quality=100, subsampling="4:2:0")
    save("adobe_rgb.jpg", quality=85, keep_rgb=True)
    save("gray.jpg", gray, quality=85)
    save("cmyk.jpg", base.convert("CMYK"), quality=85)
    ycck(base, folder / "ycck.jpg")
    save("1x1.jpg", base.resize((1, 1)), quality=85)
    save("7x300.jpg", base.resize((7, 300)), quality=85)
    plain = (folder / "s420.jpg").read_bytes()
    (folder / "wrong_ext.png").write_bytes(plain)
    (folder / "trailing.jpg").write_bytes(plain + b"\0" * 100)
    table = segment(plain, 0xDB)
    (folder / "extraneous.jpg").write_bytes(plain[:table] + b"\x01\x02\x03" + plain[table:])

    save("rgb.png")
    save("gray.png", gray)
    save("gray1.png", gray.convert("1"))
    save("gray16.png", Image.frombytes("I;16", base.size, b"".join(
        struct.pack("<H", v * 256 + (v * 5 & 0xFF)) for v in gray.tobytes())))
    save("la.png", la)
    save("rgba.png", rgba)
    save("palette.png", palette)
    save("palette_alpha.png", palette, transparency=bytes(range(0, 256, 4)))
    save("300x3.png", base.resize((300, 3)))
    (folder / "rgb16.png").write_bytes(deep(base))
    (folder / "interlaced.png").write_bytes(interlaced(base))

    save("lossy.webp", quality=80)
    save("lossless.webp", lossless=True)
    save("rgba.webp", rgba, quality=80)
    save("anim.webp", frames[0], save_all=True, append_images=frames[1:], duration=80, quality=60)
    save("still.gif", palette)
    save("anim.gif", frames[0].quantize(32), save_all=True, duration=80,
         append_images=[frame.quantize(32) for frame in frames[1:]])
    save("rgb.tiff")
    save("lzw.tiff", compression="tiff_lzw")
    save("deflate.tiff", compression="tiff_adobe_deflate")
    save("gray.tiff", gray)
    save("multipage.tiff", gray, save_all=True, append_images=[gray.rotate(180)], compression="tiff_lzw")
    save("rgb.bmp")
    save("palette.bmp", palette)
    save("gray.bmp", gray)
    save("rgb.ppm")
    save("gray.pgm", gray)
    save("bitmap.pbm", gray.convert("1"))
    save("rgb.tga")
    save("rle.tga", palette.convert("RGB"), compression="tga_rle")
    save("gray.tga", gray)
    save("rgba.tga", rgba)
    save("lossy.avif", quality=70)
    save("lossless.jp2", irreversible=False)


def bad(folder, good):
    def write(name, data):
        (folder / name).write_bytes(data)

    jpeg = (good / "s420.jpg").read_bytes()
    write("empty.jpg", b"")
    write("text.jpg", b"This is no picture, whatever its name says.\n" * 9)
    write("zeros.jpg", bytes(5000))
    write("header_only.jpg", jpeg[:300])
    write("truncated60.jpg", jpeg[:len(jpeg) * 60 // 100])
    write("truncated99.jpg", jpeg[:len(jpeg) * 99 // 100])
    for name in ("rgb.png", "lossy.webp", "still.gif", "rgb.tiff", "rgb.bmp", "rgb.ppm", "rgb.tga"):
        data = (good / name).read_bytes()
        write("truncated." + name.split(".")[1], data[:len(data) * 6 // 10])

    frame = segment(jpeg, 0xC0)
    write("lossless.jpg", jpeg[:frame + 1] + b"\xc3" + jpeg[frame + 2:])  # SOF3, which no lane decodes
    write("twelve_bit.jpg", jpeg[:frame + 4] + b"\x0c" + jpeg[frame + 5:])
    write("no_size.jpg", jpeg[:frame + 5] + bytes(4) + jpeg[frame + 9:])
    table = segment(jpeg, 0xDB)
    after = table + 2 + struct.unpack(">H", jpeg[table + 2:table + 4])[0]
    write("no_table.jpg", jpeg[:table] + jpeg[after:])

    image = (good / "rgb.png").read_bytes()
    at = image.index(b"IDAT") + 40
    write("checksum.png", image[:at] + bytes([image[at] ^ 0xFF]) + image[at + 1:])
    side = 60000
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    write("bomb.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
          + chunk(b"IDAT", zlib.compress(bytes(1 << 20), 9)) + chunk(b"IEND", b""))


def main(photos, hard):
    base = Image.open(photos / "object" / "07.jpg").resize((125, 83), Image.Resampling.LANCZOS)
    for name in ("good", "bad"):
        (hard / name).mkdir(parents=True, exist_ok=True)
    good(base, hard / "good")
    bad(hard / "bad", hard / "good")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
