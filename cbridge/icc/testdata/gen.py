#!/usr/bin/env python3
"""Generates this folder: profiles, by lcms, and the results of Pillow's ImageCms for pixels.bin with each.

pixels.bin is 32 x 32 x 4 random samples, slopes and extremes among them, taken as gray (the first of four),
RGB (the first three) or CMYK. NAME.rgb is profileToProfile(im, NAME.icc, sRGB, outputMode="RGB"). Needs
numpy, Pillow with ImageCms and liblcms2.so.2. The files are committed; tests do not run this script.
"""

import ctypes, io, os
import numpy as np
from PIL import Image, ImageCms

os.chdir(os.path.dirname(os.path.abspath(__file__)))
lcms = ctypes.CDLL("liblcms2.so.2")
D, P, U = ctypes.c_double, ctypes.c_void_p, ctypes.c_uint32
for name in (
    "cmsCreateRGBProfile",
    "cmsCreateGrayProfile",
    "cmsBuildParametricToneCurve",
    "cmsBuildGamma",
    "cmsD50_xyY",
    "cmsCreateProfilePlaceholder",
    "cmsPipelineAlloc",
    "cmsStageAllocCLut16bit",
    "cmsCreate_sRGBProfile",
    "cmsCreateLinearizationDeviceLink",
    "cmsStageAllocToneCurves",
    "cmsMLUalloc",
):
    getattr(lcms, name).restype = P


class xyY(ctypes.Structure):
    _fields_ = [("x", D), ("y", D), ("Y", D)]


class Primaries(ctypes.Structure):
    _fields_ = [("r", xyY), ("g", xyY), ("b", xyY)]


def signature(text):
    return int.from_bytes(text.encode(), "big")


def save(profile, name):
    size = U(0)
    lcms.cmsSaveProfileToMem(P(profile), None, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    assert lcms.cmsSaveProfileToMem(P(profile), data, ctypes.byref(size))
    lcms.cmsCloseProfile(P(profile))
    data = bytearray(data.raw[: size.value])
    data[24:36] = bytes([7, 234, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])  # not the time of day
    data[84:100] = bytes(16)  # no checksum over it
    open(name + ".icc", "wb").write(data)


def gamma(g):
    return P(lcms.cmsBuildGamma(None, D(g)))


def parametric(kind, *values):
    return P(lcms.cmsBuildParametricToneCurve(None, kind, (D * 10)(*values)))


def rgb(name, white, primaries, curve):
    points = Primaries(*[xyY(x, y, 1) for x, y in primaries])
    save(
        lcms.cmsCreateRGBProfile(ctypes.byref(xyY(*white, 1)), ctypes.byref(points), (P * 3)(curve, curve, curve)), name
    )


def tables(name, space, version, inputs, grid, color):
    """A profile of tables: color(device values 0..1) gives Lab, as 16 bits of ICC version 2 or 4."""
    profile = P(lcms.cmsCreateProfilePlaceholder(None))
    lcms.cmsSetProfileVersion(profile, D(version))
    lcms.cmsSetDeviceClass(profile, signature("prtr"))
    lcms.cmsSetColorSpace(profile, signature(space))
    lcms.cmsSetPCS(profile, signature("Lab "))
    axes = np.meshgrid(*[np.linspace(0, 1, grid)] * inputs, indexing="ij")
    L, a, b = color(*axes)
    # in lcms' own pipelines Lab has the encoding of version 4
    encoded = np.stack([L / 100 * 65535, (a + 128) / 255 * 65535, (b + 128) / 255 * 65535], -1)
    table = np.clip(np.rint(encoded), 0, 65535).astype(np.uint16)
    if version < 4:
        table = np.clip(np.rint(encoded * 65280 / 65535), 0, 65535).astype(np.uint16)
    pipeline = P(lcms.cmsPipelineAlloc(None, inputs, 3))
    identity = [gamma(1.0)] * 4
    lcms.cmsPipelineInsertStage(pipeline, 1, P(lcms.cmsStageAllocToneCurves(None, inputs, (P * 4)(*identity))))
    lcms.cmsPipelineInsertStage(
        pipeline, 1, P(lcms.cmsStageAllocCLut16bit(None, grid, inputs, 3, table.ctypes.data_as(P)))
    )
    lcms.cmsPipelineInsertStage(pipeline, 1, P(lcms.cmsStageAllocToneCurves(None, 3, (P * 4)(*identity))))
    assert lcms.cmsWriteTag(profile, signature("A2B0"), pipeline)
    save(profile.value, name)


srgb_curve = parametric(4, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
D65 = (0.3127, 0.3290)
rgb("srgb", D65, [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)], srgb_curve)
rgb("display-p3", D65, [(0.68, 0.32), (0.265, 0.69), (0.15, 0.06)], srgb_curve)
rgb("adobe-rgb", D65, [(0.64, 0.33), (0.21, 0.71), (0.15, 0.06)], gamma(563 / 256))
rgb("prophoto", (0.3457, 0.3585), [(0.7347, 0.2653), (0.1596, 0.8404), (0.0366, 0.0001)], gamma(1.8))
save(lcms.cmsCreateGrayProfile(P(lcms.cmsD50_xyY()), gamma(1.8)), "gray-1.8")
save(lcms.cmsCreateGrayProfile(P(lcms.cmsD50_xyY()), srgb_curve), "gray-srgb")


def duplicator(r, g, b):
    light = 0.3 * r + 0.6 * g + 0.1 * b
    return 8 + 87 * light**0.8, 90 * (r - g), 70 * (g - b)


def press(c, m, y, k):
    light = (1 - 0.75 * k) * (1 - 0.3 * c - 0.35 * m - 0.12 * y)
    return 6 + 89 * light, 70 * (m - c) * (1 - k), (85 * y - 45 * (c + m) / 2) * (1 - k)


tables("rgb-table", "RGB ", 4.3, 3, 7, duplicator)
tables("cmyk-table", "CMYK", 2.1, 4, 5, press)

random = np.random.default_rng(5)
pixels = random.integers(0, 256, (32, 32, 4), np.uint8)
pixels[:8] = np.arange(256, dtype=np.uint8).reshape(8, 32, 1)  # neutral
pixels[8:16] = random.choice(np.array([0, 1, 2, 253, 254, 255], np.uint8), (8, 32, 4))
pixels.tofile("pixels.bin")
to = ImageCms.createProfile("sRGB")
press_profile = open("cmyk-table.icc", "rb").read()
for name, options in (("inks.jpg", dict(quality=95)), ("inks.tif", {})):  # for package decode
    Image.frombytes("CMYK", (32, 32), pixels.tobytes()).resize((20, 12), Image.Resampling.BOX).save(
        name, icc_profile=press_profile, **options
    )
    image = Image.open(name)
    assert image.mode == "CMYK"
    profile = ImageCms.ImageCmsProfile(io.BytesIO(press_profile))
    np.asarray(ImageCms.profileToProfile(image, profile, to, outputMode="RGB")).tofile(name + ".rgb")
for file in sorted(os.listdir(".")):
    name, kind = os.path.splitext(file)
    if kind != ".icc":
        continue
    if name.startswith("gray"):
        image = Image.fromarray(pixels[:, :, 0])
    elif name.startswith("cmyk"):
        image = Image.frombytes("CMYK", (32, 32), pixels.tobytes())
    else:
        image = Image.fromarray(np.ascontiguousarray(pixels[:, :, :3]))
    profile = ImageCms.ImageCmsProfile(io.BytesIO(open(file, "rb").read()))
    out = np.asarray(ImageCms.profileToProfile(image, profile, to, outputMode="RGB"))
    out.tofile(name + ".rgb")
    print(
        "%-12s %5d bytes, moved by mean %.1f"
        % (name, os.path.getsize(file), abs(out.astype(int) - pixels[:, :, :3]).mean())
    )
