"""Records the samples that torchvision's ImageFolder finds in a tree of files: python imagefolder.py > imagefolder.json

The test builds the same tree again and compares. Needs torchvision (0.29 made the recorded file).
"""

import json
import os
import sys
import tempfile

import torchvision
from torchvision.datasets.folder import IMG_EXTENSIONS, find_classes, make_dataset

FILES = [
    "stray.jpg",
    "README.txt",
    "10/a.jpg",
    "9/a.jpg",
    "B/upper.JPEG",
    "a/z.png",
    "a/a.jpg",
    "a/B.jpg",
    "a/10.jpg",
    "a/9.jpg",
    "a/notes.txt",
    "a/no_extension",
    "a/two.jpg.txt",
    "a/two.txt.jpg",
    "a/x/1.jpg",
    "a/x/y/1.jpg",
    "a/x-y/1.jpg",
    "a/x y/1.jpg",
    "a/x.y/1.jpg",
    "a/deep/er/still/1.webp",
    "a/photo.jpg/inside.bmp",
    "a-b/1.ppm",
    "a b/with space.tif",
    "a b/[x]*?.tiff",
    "\u00e9t\u00e9/\u00fc.jpg",
    "\u00e9t\u00e9/u.jpg",
    "\U0001f600/1.pgm",
    "elsewhere.d/1.jpg",
]
FOLDERS = ["a/empty"]
LINKS = {  # link: target, relative to the link
    "a/to_folder": "../elsewhere.d",
    "a/to_file.jpg": "../9/a.jpg",
    "a/to_nowhere.jpg": "nowhere.jpg",
    "linked class": "9",
}


def main():
    with tempfile.TemporaryDirectory() as root:
        for name in FILES:
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            open(os.path.join(root, name), "w").close()
        for name in FOLDERS:
            os.makedirs(os.path.join(root, name))
        for link, target in LINKS.items():
            os.symlink(target, os.path.join(root, link))
        classes, index = find_classes(root)
        samples = [
            [os.path.relpath(p, root), label] for p, label in make_dataset(root, index, extensions=IMG_EXTENSIONS)
        ]
    json.dump(
        {
            "torchvision": torchvision.__version__,
            "extensions": IMG_EXTENSIONS,
            "files": FILES,
            "folders": FOLDERS,
            "links": LINKS,
            "classes": classes,
            "samples": samples,
        },
        sys.stdout,
        indent=1,
    )
    print()


main()
