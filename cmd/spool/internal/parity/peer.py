"""The peer of `spool parity`: decodes images with a Python package.

Runs as `python3 -c SCRIPT PACKAGE MAX_PIXELS`, reads requests on stdin and answers each on stdout. A message is a frame
of JSON and a frame of bytes; a frame is its length, a 64-bit little-endian number, and that many bytes.

    request   {"width", "height", "mode", "shorter", "max_size", "crop", "box", "filter", "orient"}, the file
    answer    {"width", "height", "reader"} or {"error"}, pixels: RGB, rows without gaps

The first message is sent without a request: {"python", "executable", "versions", "error"}, and no bytes.
"""

import sys

sys.path = [folder for folder in sys.path if folder]  # -c searches the working folder first

import io
import json
import os
import struct
import warnings


def sides(shorter, most, width, height):
    """Returns the size with the given shorter side, and at most a longer side, rounded as torchvision's Resize does."""
    if height < width:
        return sides(shorter, most, height, width)[::-1]
    size = (shorter, int(shorter * height / width)) if shorter else (width, height)
    if most and (size[1] > most or not shorter):
        return max(int(most * size[0] / size[1]), 1), most
    return size


def middle(edge, crop):
    """Returns where torchvision's CenterCrop begins; it pads images that are too small."""
    return round((edge - crop) / 2) if crop <= edge else -((crop - edge) // 2)


class Pillow:
    def __init__(self, max_pixels):
        import PIL
        import PIL.Image
        import PIL.ImageOps

        PIL.Image.MAX_IMAGE_PIXELS = max_pixels or None
        warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)  # refuse above the limit, not above twice
        self.image, self.ops = PIL.Image, PIL.ImageOps
        self.versions = {"pillow": PIL.__version__}

    def decode(self, data, orient):
        with self.image.open(io.BytesIO(data)) as file:
            image = self.ops.exif_transpose(file) if orient else file
            if image.mode.startswith("I;16") or image.mode == "I" and file.format == "PPM":
                return self.high_byte(image).convert("RGB"), "pillow, high byte"  # convert would clip at 255
            return image.convert("RGB"), "pillow"

    def high_byte(self, image):
        high = {"I;16B": slice(0, None, 2), "I": slice(1 if sys.byteorder == "little" else 2, None, 4)}.get(
            image.mode, slice(1, None, 2)
        )
        return self.image.frombytes("L", image.size, image.tobytes()[high])

    def crop(self, image, left, top, width, height):
        return image.crop((left, top, left + width, top + height))

    def resize(self, image, width, height, mode, filter):
        method = self.image.Resampling[filter.upper()]
        if mode == "fit":
            return self.ops.pad(image, (width, height), method)
        if mode == "cover":
            return self.ops.fit(image, (width, height), method)
        return image.resize((width, height), method)

    def size(self, image):
        return image.size

    def pixels(self, image):
        return image.tobytes()


class Torchvision:
    """Uses torchvision's decoders, and Pillow, if installed, for other formats."""

    def __init__(self, max_pixels):
        import torch
        import torchvision
        from torchvision.io import ImageReadMode, decode_image
        from torchvision.transforms import InterpolationMode
        from torchvision.transforms.v2 import functional

        torch.set_num_threads(1)
        self.torch, self.decoder, self.rgb = torch, decode_image, ImageReadMode.RGB
        self.functional, self.modes = functional, InterpolationMode
        self.versions = {"torchvision": torchvision.__version__, "torch": torch.__version__}
        try:
            self.pillow = Pillow(max_pixels)
            self.versions.update(self.pillow.versions)
        except ImportError:
            self.pillow = None

    def decode(self, data, orient):
        try:
            encoded = self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8)
            image = self.decoder(encoded, mode=self.rgb, apply_exif_orientation=orient)
        except RuntimeError as refusal:
            if self.pillow is None:
                raise
            try:
                image, reader = self.pillow.decode(data, orient)
            except Exception:
                raise refusal from None
            return self.functional.pil_to_tensor(image), reader
        if image.dtype != self.torch.uint8:  # 16 bits: the high byte, as in to_dtype(scale=True)
            image = self.torch.from_numpy((image.numpy() >> 8).astype("u1"))
        return image[0] if image.ndim == 4 else image, "torchvision"  # the first frame

    def crop(self, image, left, top, width, height):
        return self.functional.crop(image, top, left, height, width)

    def resize(self, image, width, height, mode, filter):
        mode = self.modes("nearest" if filter == "nearest-floor" else filter)
        return self.functional.resize(image, [height, width], mode, antialias=True)

    def size(self, image):
        return image.shape[2], image.shape[1]

    def pixels(self, image):
        return image.permute(1, 2, 0).contiguous().numpy().tobytes()


class OpenCV:
    def __init__(self, max_pixels):
        os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(max_pixels or 1 << 62))
        os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
        import cv2
        import numpy

        cv2.setNumThreads(1)
        self.cv2, self.numpy = cv2, numpy
        self.versions = {"opencv": cv2.__version__}

    def decode(self, data, orient):
        flags = self.cv2.IMREAD_COLOR if orient else self.cv2.IMREAD_COLOR | self.cv2.IMREAD_IGNORE_ORIENTATION
        image = self.cv2.imdecode(self.numpy.frombuffer(data, "u1"), flags)
        if image is None:
            raise ValueError("imdecode gives nothing")
        return self.cv2.cvtColor(image, self.cv2.COLOR_BGR2RGB), "opencv"

    def crop(self, image, left, top, width, height):
        rows, columns = image.shape[:2]
        around = [max(-top, 0), max(top + height - rows, 0), max(-left, 0), max(left + width - columns, 0)]
        image = self.cv2.copyMakeBorder(image, *around, self.cv2.BORDER_CONSTANT)
        left, top = max(left, 0), max(top, 0)
        return image[top : top + height, left : left + width]

    def resize(self, image, width, height, mode, filter):
        names = {"bilinear": "LINEAR", "bicubic": "CUBIC", "lanczos": "LANCZOS4", "box": "AREA", "nearest": "NEAREST"}
        return self.cv2.resize(image, (width, height), interpolation=getattr(self.cv2, "INTER_" + names[filter]))

    def size(self, image):
        return image.shape[1], image.shape[0]

    def pixels(self, image):
        return self.numpy.ascontiguousarray(image).tobytes()


def answer(peer, request, data):
    image, reader = peer.decode(data, request["orient"])
    if request.get("box"):
        image = peer.crop(image, *request["box"])
    width, height = request.get("width"), request.get("height")
    if request.get("shorter") or request.get("max_size"):
        width, height = sides(request.get("shorter"), request.get("max_size"), *peer.size(image))
    if width:
        image = peer.resize(image, width, height, request["mode"], request["filter"])
    if request.get("crop"):
        corner = [middle(edge, crop) for edge, crop in zip(peer.size(image), request["crop"])]
        image = peer.crop(image, *corner, *request["crop"])
    width, height = peer.size(image)
    return {"width": width, "height": height, "reader": reader}, peer.pixels(image)


def receive(stream):
    """Returns the bytes of a frame, None at the end."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    return stream.read(struct.unpack("<Q", head)[0])


def send(stream, header, data=b""):
    for frame in json.dumps(header).encode(), data:
        stream.write(struct.pack("<Q", len(frame)))
        stream.write(frame)
    stream.flush()


def main():
    package, max_pixels = sys.argv[1], int(sys.argv[2])
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries goes to stderr
    hello = {"python": sys.version.split()[0], "executable": sys.executable, "versions": {}}
    try:
        peer = {"pillow": Pillow, "torchvision": Torchvision, "opencv": OpenCV}[package](max_pixels)
        hello["versions"] = peer.versions
    except ImportError as missing:
        hello["error"] = str(missing)
    send(stdout, hello)
    while "error" not in hello:
        request = receive(stdin)
        data = receive(stdin)
        if request is None or data is None:
            return
        try:
            header, pixels = answer(peer, json.loads(request), data)
        except Exception as refusal:
            header, pixels = {"error": f"{type(refusal).__name__}: {refusal}"}, b""
        send(stdout, header, pixels)


main()
