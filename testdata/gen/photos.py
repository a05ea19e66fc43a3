"""Makes testdata/photos from the photos of three public packages: python photos.py SOURCES PHOTOS

SOURCES is a folder with the originals by file name (gen.sh downloads them). Each row of the table is one photo: its
class, the original, the crop (fractions of its width and height), the length of the longer side, the quality, and the
encoder's settings. The settings vary as in a collected data set. README.md lists authors and licences.
"""

import pathlib
import sys

from PIL import Image

ALL = (0.0, 0.0, 1.0, 1.0)
PHONE = {"orientation": 6}  # stored rotated, like the photos of a phone held upright
S420, S422, S444 = ({"subsampling": s} for s in ("4:2:0", "4:2:2", "4:4:4"))
PROGRESSIVE = {"progressive": True}
OPTIMIZED = {"optimize": True}

PHOTOS = [
    # class, original, crop, longer side, quality, settings
    ("animal", "chelsea.png", ALL, 451, 85, S420),
    ("animal", "chelsea.png", (0.22, 0.0, 0.80, 0.95), 280, 90, S444),
    ("animal", "chelsea.png", (0.30, 0.10, 0.62, 0.55), 200, 75, S420 | OPTIMIZED),
    ("animal", "chelsea.png", (0.50, 0.35, 1.0, 1.0), 224, 80, PROGRESSIVE),
    ("animal", "friends_by_Aitzol_Berasategi.jpg", ALL, 500, 75, S420),
    ("animal", "friends_by_Aitzol_Berasategi.jpg", (0.25, 0.20, 0.72, 0.68), 400, 80, S420),
    ("animal", "friends_by_Aitzol_Berasategi.jpg", (0.28, 0.21, 0.56, 0.41), 320, 90, S422),
    ("animal", "friends_by_Aitzol_Berasategi.jpg", (0.42, 0.41, 0.72, 0.68), 333, 75, S420 | PHONE),
    ("landscape", "aitzgorri_by_Aitzol_Berasategi.jpg", ALL, 500, 70, S420),
    ("landscape", "aitzgorri_by_Aitzol_Berasategi.jpg", (0.30, 0.05, 1.0, 0.55), 400, 75, S420),
    ("landscape", "aitzgorri_by_Aitzol_Berasategi.jpg", (0.60, 0.30, 1.0, 0.80), 300, 72, PROGRESSIVE),
    ("landscape", "picosdeeuropa_by_Aitzol_Berasategi.jpg", ALL, 500, 65, S420),
    ("landscape", "picosdeeuropa_by_Aitzol_Berasategi.jpg", (0.40, 0.15, 1.0, 0.70), 320, 80, S444),
    ("landscape", "sunset_by_Aitzol_Berasategi.jpg", ALL, 480, 80, S420),
    ("landscape", "sunset_by_Aitzol_Berasategi.jpg", (0.20, 0.0, 0.80, 0.60), 500, 85, S422),
    ("landscape", "life_by_Aitzol_Berasategi.jpg", ALL, 375, 60, S420),
    ("landscape", "life_by_Aitzol_Berasategi.jpg", (0.25, 0.35, 0.70, 1.0), 300, 70, S420 | PHONE),
    ("landscape", "china.jpg", ALL, 500, 75, S420),
    ("landscape", "china.jpg", (0.15, 0.0, 0.60, 0.85), 330, 85, S420 | OPTIMIZED),
    ("object", "Picture_0B_by_freespace.jpg", ALL, 500, 80, S420),
    ("object", "Picture_0B_by_freespace.jpg", (0.35, 0.30, 0.80, 0.80), 256, 90, S420),
    ("object", "Picture_1A_by_freespace.jpg", ALL, 500, 75, S420),
    ("object", "Picture_1A_by_freespace.jpg", (0.30, 0.20, 0.95, 0.90), 333, 80, S444 | PROGRESSIVE),
    ("object", "Wine_by_Jakkub_Mede.jpg", ALL, 500, 80, S420),
    ("object", "Wine_by_Jakkub_Mede.jpg", (0.05, 0.45, 0.85, 1.0), 375, 85, S420),
    ("object", "Wine_by_Jakkub_Mede.jpg", (0.30, 0.08, 1.0, 0.50), 300, 85, S422),
    ("object", "coffee.png", ALL, 600, 85, S420),
    ("object", "coffee.png", (0.25, 0.05, 0.85, 0.95), 320, 92, S420),
    ("object", "coins.png", ALL, 384, 80, {}),
    ("object", "camera.png", (0.05, 0.05, 0.85, 0.95), 300, 80, {}),
    ("plant", "flower.jpg", ALL, 500, 85, S420),
    ("plant", "flower.jpg", (0.25, 0.10, 0.75, 0.80), 320, 92, S444),
    ("plant", "flower.jpg", (0.35, 0.20, 0.60, 0.55), 160, 95, S420),
    ("plant", "seeding_by_Clements_Engelhardt.jpg", ALL, 500, 80, S420),
    ("plant", "seeding_by_Clements_Engelhardt.jpg", (0.10, 0.05, 0.50, 0.80), 400, 80, PROGRESSIVE),
    ("plant", "seeding_by_Clements_Engelhardt.jpg", (0.50, 0.10, 1.0, 0.90), 375, 75, S420 | PHONE),
    ("plant", "grass.png", (0.0, 0.0, 0.70, 0.70), 256, 70, {}),
    ("space", "astronaut.png", ALL, 400, 80, S420),
    ("space", "astronaut.png", (0.20, 0.0, 0.70, 0.50), 256, 90, S420),
    ("space", "astronaut.png", (0.50, 0.0, 1.0, 1.0), 375, 75, PROGRESSIVE),
    ("space", "rocket.jpg", ALL, 500, 80, S420),
    ("space", "rocket.jpg", (0.35, 0.25, 0.70, 1.0), 320, 85, S420 | OPTIMIZED),
    ("space", "hubble_deep_field.jpg", (0.0, 0.0, 0.50, 0.50), 400, 75, S420),
    ("space", "hubble_deep_field.jpg", (0.50, 0.40, 1.0, 1.0), 300, 80, S444),
]


def main(sources, photos):
    number = {}
    for label, original, part, longer, quality, settings in PHOTOS:
        image = Image.open(sources / original)
        if image.mode not in ("L", "RGB"):
            image = image.convert("RGB")
        width, height = image.size
        box = [fraction * side for fraction, side in zip(part, (width, height, width, height))]
        scale = longer / max(box[2] - box[0], box[3] - box[1])
        size = (round((box[2] - box[0]) * scale), round((box[3] - box[1]) * scale))
        image = image.resize(size, Image.Resampling.LANCZOS, box=box)
        options = dict(settings)
        if orientation := options.pop("orientation", None):
            image = image.transpose(Image.Transpose.ROTATE_90)
            exif = Image.Exif()
            exif[0x0112] = orientation
            options["exif"] = exif
        number[label] = number.get(label, -1) + 1
        path = photos / label / f"{number[label]:02}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        image.save(path, quality=quality, **options)


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
