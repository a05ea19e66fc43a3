"""Records the results of torchvision 0.29 and Pillow 13 in golden.json, random.json and nearest.json. README.md
describes the formats.

    python make.py

It needs torchvision, Pillow and NumPy, and an x86-64 machine with AVX2: without AVX2, torchvision's bilinear filter
runs other code.
"""

import hashlib
import json
import math
import pathlib
import random

import numpy as np
import PIL
import torch
import torchvision
from PIL import Image, ImageOps
from torchvision.transforms import InterpolationMode, v2

HERE = pathlib.Path(__file__).parent
TORCH = {"bilinear": InterpolationMode.BILINEAR, "bicubic": InterpolationMode.BICUBIC}
PILLOW = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
    "box": Image.Resampling.BOX,
    "nearest": Image.Resampling.NEAREST,
}


# Content: must stay the same as in README.md and in the Go tests.


def noise(seed, n):
    """The bytes of the words 1, 2, ... of splitmix64(seed), little endian."""
    words = np.arange(1, (n + 7) // 8 + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + words * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))).astype("<u8").view(np.uint8)[:n]


def content(kind, seed, width, height, channels):
    pixels = noise(seed, width * height * channels).reshape(height, width, channels)
    if kind == "noise":
        return pixels.copy()
    if kind == "mask":
        return np.where(pixels >= 128, 255, 0).astype(np.uint8)
    assert kind == "smooth"
    y, x = np.mgrid[:height, :width]
    ramps = [
        x * 255 // max(width - 1, 1),
        y * 255 // max(height - 1, 1),
        (x + y) * 255 // max(width + height - 2, 1),
    ]
    ramps.append(255 - ramps[0])
    base = np.stack(ramps[:channels], 2)
    return np.clip(base + (pixels & 31).astype(int) - 16, 0, 255).astype(np.uint8)


def sha256(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


# Cases


def edge(rng, most=700):
    """A size from 1 to most, with small and large sizes equally likely."""
    return rng.randint(1, most) if rng.random() < 0.5 else int(math.exp(rng.uniform(0, math.log(most + 1))))


def torch_transform(case):
    """The case's spec in torchvision's options."""
    resize = {"interpolation": TORCH[case["filter"]], "antialias": True}
    steps = []
    if "shorter" in case:
        steps.append(v2.Resize(case["shorter"], **resize))
    elif "size" in case:
        steps.append(v2.Resize(case["size"][::-1], **resize))
    if "crop" in case:
        steps.append(v2.CenterCrop(case["crop"][::-1]))
    return v2.Compose(steps)


def torch_output(case):
    array = content(case["content"], case["seed"], *case["in"], case["channels"])
    transform = torch_transform(case)
    last = torch.from_numpy(array).permute(2, 0, 1)  # channels-last memory
    first = last.contiguous()
    if case.get("mode") == "fit":  # torchvision lacks this mode: its resize, placed as by ImageOps.pad
        x, y, width, height = placed(case["in"], case["size"])
        resize = v2.Resize((height, width), interpolation=TORCH[case["filter"]], antialias=True)
        out = np.empty((case["size"][1], case["size"][0], case["channels"]), np.uint8)
        out[:] = case["pad"][: case["channels"]]
        out[y : y + height, x : x + width] = resize(last).permute(1, 2, 0).numpy()
        return out
    outs = []
    for tensor in (last, first):
        try:
            outs.append(transform(tensor).permute(1, 2, 0).numpy())
        except RuntimeError as problem:  # PyTorch 2.15 fails for some sides of one pixel, in one of the layouts
            assert "INTERNAL ASSERT FAILED" in str(problem), case
    assert outs and all((out == outs[0]).all() for out in outs), case
    return outs[0]


def torch_cases():
    rng = random.Random(29)

    def case(size_in, **spec):
        return {
            "content": rng.choice(["noise", "noise", "smooth", "mask"]),
            "seed": rng.getrandbits(32),
            "in": size_in,
            "channels": rng.choice([1, 3, 3, 3, 4]),
            "filter": rng.choice(["bilinear", "bilinear", "bicubic"]),
            **spec,
        }

    cases = []
    for _ in range(620):
        cases.append(case([edge(rng), edge(rng)], size=[edge(rng), edge(rng)]))
    for _ in range(80):  # one side or both unchanged
        w, h = edge(rng), edge(rng)
        cases.append(case([w, h], size=rng.choice([[w, edge(rng)], [edge(rng), h], [w, h]])))
    for w, h, size in [
        (1, 1, [1, 1]),
        (1, 1, [64, 64]),
        (700, 700, [1, 1]),
        (2, 2, [3, 3]),
        (3, 3, [2, 2]),
        (256, 256, [128, 64]),
        (64, 64, [256, 128]),
        (500, 375, [224, 224]),
        (375, 500, [224, 224]),
        (4000, 3, [224, 224]),
        (3, 4000, [224, 224]),
        (6000, 1, [1, 1]),
        (224, 224, [225, 223]),
        (333, 333, [111, 999]),
        (1, 700, [700, 1]),
        (20000, 2, [7, 2]),
    ]:
        for name in TORCH:
            cases.append(case([w, h], size=size, filter=name, channels=3))
    for _ in range(120):
        spec = {}
        if rng.random() < 0.8:
            spec["shorter"] = edge(rng, 300)
        elif rng.random() < 0.5:
            spec["size"] = [edge(rng, 300), edge(rng, 300)]
        if not spec or rng.random() < 0.8:
            spec["crop"] = [edge(rng, 320), edge(rng, 320)]
        cases.append(case([rng.randint(20, 500), rng.randint(20, 500)], **spec))
    for _ in range(40):
        while True:  # skip sizes at which nothing of the image remains in Pillow: package resize defines these
            size_in, size = [edge(rng, 500), edge(rng, 500)], [edge(rng, 300), edge(rng, 300)]
            if min(contained(size_in, size)) > 0:
                break
        pad = [rng.randrange(256) for _ in range(3)]
        cases.append(case(size_in, mode="fit", size=size, pad=pad, channels=3))
    for c in cases:
        out = torch_output(c)
        c["out"] = [out.shape[1], out.shape[0]]
        c["sha256"] = sha256(out)
    return cases


# Random cases, which the tests draw in the same way. Only their digests are recorded.


class Draw:
    """Numbers from the words of splitmix64."""

    def __init__(self, seed):
        self.words = iter(np.frombuffer(noise(seed, 8 * 64).tobytes(), "<u8").tolist())

    def below(self, n):
        return next(self.words) % n

    def edge(self):
        """1 to 512, with short edges more often."""
        return 1 + self.below(2 << self.below(9))


def random_case(profile, i):
    draw = Draw(PROFILES.index(profile) << 32 | i)
    case = {"in": [draw.edge(), draw.edge()], "size": [draw.edge(), draw.edge()]}
    as_it_is = draw.below(8)
    if as_it_is < 2:
        case["size"][as_it_is] = case["in"][as_it_is]
    case["channels"] = [1, 3, 3, 4][draw.below(4)]
    case["filter"] = FILTERS[profile][draw.below(len(FILTERS[profile]))]
    case["content"] = ["noise", "noise", "smooth", "mask"][draw.below(4)]
    case["seed"] = draw.below(1 << 32)
    match draw.below(4):
        case 0:
            left, top = draw.below(case["in"][0]), draw.below(case["in"][1])
            case["box"] = [
                left,
                top,
                left + 1 + draw.below(case["in"][0] - left),
                top + 1 + draw.below(case["in"][1] - top),
            ]
        case 1 if profile == "pillow":
            case["mode"] = "cover"
    return case


def cut(array, case):
    left, top, right, bottom = case.get("box", [0, 0, *case["in"]])
    return np.ascontiguousarray(array[top:bottom, left:right])


def exact_output(case):
    first = torch.from_numpy(cut(content(case["content"], case["seed"], *case["in"], case["channels"]), case)).permute(
        2, 0, 1
    )
    for tensor in (first, first.contiguous()):
        try:
            return v2.Resize(case["size"][::-1], TORCH[case["filter"]], antialias=True)(tensor).permute(1, 2, 0).numpy()
        except RuntimeError as problem:  # see above
            assert "INTERNAL ASSERT FAILED" in str(problem), case


def pillow_output(case):
    array = content(case["content"], case["seed"], *case["in"], case["channels"])
    image = Image.fromarray(array[:, :, 0] if case["channels"] == 1 else array)
    size, method = tuple(case["size"]), PILLOW[case["filter"]]
    match case.get("mode", "stretch"):
        case "stretch":
            out = image.crop(case.get("box", [0, 0, *case["in"]])).resize(size, method)
        case "fit":
            out = ImageOps.pad(image, size, method, color=tuple(case["pad"]))
        case "cover":
            out = ImageOps.fit(image, size, method)
    return np.asarray(out).reshape(size[1], size[0], case["channels"])


PROFILES = ["exact", "pillow"]
OUTPUTS = {"exact": exact_output, "pillow": pillow_output}
FILTERS = {"exact": ["bilinear", "bicubic"], "pillow": ["bilinear", "bicubic", "lanczos", "box", "nearest"]}


def random_cases():
    return {
        profile: [sha256(OUTPUTS[profile](random_case(profile, i)))[:16] for i in range(2500)] for profile in PROFILES
    }


def pillow_cases():
    rng = random.Random(13)
    cases = []
    for i in range(260):
        mode = ["stretch", "stretch", "fit", "cover"][i % 4]
        most = rng.choice([12, 24, 40, 400])
        while True:
            size_in, size = [edge(rng, 700), edge(rng, 700)], [edge(rng, most), edge(rng, most)]
            if mode != "fit" or min(contained(size_in, size)) > 0:
                break
        case = {
            "content": rng.choice(["noise", "smooth", "smooth", "mask"]),
            "seed": rng.getrandbits(32),
            "in": size_in,
            "channels": rng.choice([1, 3, 3]),
            "filter": rng.choice(FILTERS["pillow"]),
            "mode": mode,
            "size": size,
        }
        if mode == "fit":
            case["channels"], case["pad"] = 3, [rng.randrange(256) for _ in range(3)]
        case["out"] = size
        case["sha256"] = sha256(pillow_output(case))
        cases.append(case)
    return cases


# Geometry, observed on the functions themselves.


class Observed(Exception):
    pass


def contained(size_in, size):
    """The size to which ImageOps.contain resizes."""
    image = Image.new("L", size_in)
    image.resize = lambda size, **_: Image.new("L", size)
    return list(ImageOps.contain(image, tuple(size)).size)


def placed(size_in, size):
    """x, y, width, height of the image in the result of ImageOps.pad."""
    out = ImageOps.pad(Image.new("L", size_in, 255), tuple(size), Image.Resampling.NEAREST, color=0)
    left, top, right, bottom = out.getbbox()
    return left, top, right - left, bottom - top


def fitted(size_in, size):
    """The box that ImageOps.fit passes to resize, in single precision as in resize."""
    image = Image.new("L", size_in)

    def resize(size, method, box):
        raise Observed([float(np.float32(v)) for v in box])

    image.resize = resize
    try:
        ImageOps.fit(image, tuple(size))
    except Observed as seen:
        return seen.args[0]


def shortened(size_in, n):
    out = v2.Resize(n, interpolation=InterpolationMode.NEAREST)(
        torch.zeros(1, size_in[1], size_in[0], dtype=torch.uint8)
    )
    return [out.shape[2], out.shape[1]]


def cropped(size_in, crop):
    """Left and top of the crop that CenterCrop keeps, then its x and y on the canvas."""
    index = torch.arange(1, size_in[0] * size_in[1] + 1, dtype=torch.int32).reshape(1, size_in[1], size_in[0])
    out = v2.CenterCrop(crop[::-1])(index)[0].numpy()
    assert out.shape == (crop[1], crop[0])
    y, x = np.argwhere(out)[0]
    top, left = divmod(int(out[y, x]) - 1, size_in[0])
    return [left, top, int(x), int(y)]


def geometry():
    rng = random.Random(5)
    rows = {"fit": [], "cover": [], "shorter": [], "crop": []}

    def pair(most=700):
        return [edge(rng, most), edge(rng, most)]

    while len(rows["fit"]) < 500:
        size_in, size = pair(), pair(400)
        if min(contained(size_in, size)) > 0:
            rows["fit"].append([*size_in, *size, *placed(size_in, size)])
    for _ in range(500):
        size_in, size = pair(5000), pair(700)
        rows["cover"].append([*size_in, *size, *fitted(size_in, size)])
    while len(rows["shorter"]) < 500:
        size_in, n = pair(3000), edge(rng, 700)
        if n * max(size_in) / min(size_in) < 50000:
            rows["shorter"].append([*size_in, n, *shortened(size_in, n)])
    for _ in range(500):
        size_in, crop = pair(300), pair(300)
        rows["crop"].append([*size_in, *crop, *cropped(size_in, crop)])
    return rows


def lines(rows):
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"


def taken(n, out, mode):
    """The pixel of n that torchvision takes for each of out outputs, in both memory layouts."""
    index = torch.arange(n)
    row = torch.stack([index % 256, index // 256, index * 0]).to(torch.uint8).reshape(3, 1, n)
    rows = [row, row.permute(1, 2, 0).contiguous().permute(2, 0, 1)]
    taken = [v2.Resize((1, out), interpolation=mode, antialias=True)(r).to(torch.int32) for r in rows]
    taken = [r[0, 0] + 256 * r[1, 0] for r in taken]
    assert torch.equal(*taken)
    return taken[0].numpy().astype("<i4")


def nearest_rows():
    rng = random.Random(18)
    pairs = [(n, out) for n in range(1, 13) for out in range(1, 13)]
    pairs += [(edge(rng, 4000), edge(rng, 2000)) for _ in range(400)]
    modes = [InterpolationMode.NEAREST, InterpolationMode.NEAREST_EXACT]
    return [[n, out, *(sha256(taken(n, out, mode))[:8] for mode in modes)] for n, out in pairs]


def main():
    torch.set_num_threads(1)
    assert torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
    versions = {
        "torchvision": torchvision.__version__.partition("+")[0],
        "torch": torch.__version__.partition("+")[0],
        "pillow": PIL.__version__,
        "numpy": np.__version__,
    }
    parts = {"versions": json.dumps(versions), "torchvision": lines(torch_cases()), "pillow": lines(pillow_cases())}
    for name, rows in geometry().items():
        parts[name] = lines(rows)
    body = ",\n".join(f'"{name}": {text}' for name, text in parts.items())
    (HERE / "golden.json").write_text("{\n" + body + "\n}\n")
    (HERE / "nearest.json").write_text(lines(nearest_rows()) + "\n")
    (HERE / "random.json").write_text(json.dumps({"versions": versions, **random_cases()}, indent=0) + "\n")


if __name__ == "__main__":
    main()
