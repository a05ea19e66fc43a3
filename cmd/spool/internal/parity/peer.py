"""The other side of `spool parity`: what a Python package makes of pictures.

Runs as `python3 -c SCRIPT PACKAGE MAX_PIXELS` and answers on stdout each request that it gets on stdin. A message is a
frame of JSON and a frame of bytes; a frame is its length, a 64-bit little-endian number, and that many bytes.

    request   {"width", "height", "mode", "shorter", "crop", "box", "filter", "orient"}, the file
    answer    {"width", "height", "reader"} or {"error"}, pixels: RGB, rows without gaps

The first message is sent without a request: {"python", "executable", "versions", "error"}, and no bytes.
"""

import sys

sys.path = [folder for folder in sys.path if folder]  # -c looks into the working folder first, whatever lies there

import io
import json
import os
import struct
import warnings


def side(shorter, width, height):
    """The size whose shorter side is as asked, rounded as torchvision's Resize does."""
    if width < height:
        return shorter, int(shorter * height / width)
    return int(shorter * width / height), shorter


def middle(edge, crop):
    """Where torchvision's CenterCrop begins; it pads what is too small."""
    return round((edge - crop) / 2) if crop <= edge else -((crop - edge) // 2)


class Pillow:
    def __init__(self, max_pixels):
        import PIL
        import PIL.Image
        import PIL.ImageOps

        PIL.Image.MAX_IMAGE_PIXELS = max_pixels or None
        warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)  # refused above the limit, not above twice
        self.image, self.ops = PIL.Image, PIL.ImageOps
        self.versions = {"pillow": PIL.__version__}

    def decode(self, data, orient):
        with self.image.open(io.BytesIO(data)) as file:
            picture = self.ops.exif_transpose(file) if orient else file
            if picture.mode.startswith("I;16") or picture.mode == "I" and file.format == "PPM":
                return self.high_byte(picture).convert("RGB"), "pillow, high byte"  # convert would clip at 255
            return picture.convert("RGB"), "pillow"

    def high_byte(self, picture):
        high = {"I;16B": slice(0, None, 2), "I": slice(1 if sys.byteorder == "little" else 2, None, 4)}.get(picture.mode, slice(1, None, 2))
        return self.image.frombytes("L", picture.size, picture.tobytes()[high])

    def crop(self, picture, left, top, width, height):
        return picture.crop((left, top, left + width, top + height))

    def resize(self, picture, width, height, mode, filter):
        method = self.image.Resampling[filter.upper()]
        if mode == "fit":
            return self.ops.pad(picture, (width, height), method)
        if mode == "cover":
            return self.ops.fit(picture, (width, height), method)
        return picture.resize((width, height), method)

    def size(self, picture):
        return picture.size

    def pixels(self, picture):
        return picture.tobytes()


class Torchvision:
    """Its own decoders; Pillow's, where it is installed, for the formats that these do not read."""

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
            picture = self.decoder(encoded, mode=self.rgb, apply_exif_orientation=orient)
        except RuntimeError as refusal:
            if self.pillow is None:
                raise
            try:
                picture, reader = self.pillow.decode(data, orient)
            except Exception:
                raise refusal from None
            return self.functional.pil_to_tensor(picture), reader
        if picture.dtype != self.torch.uint8:  # 16 bits: the high byte, as to_dtype(scale=True) has it
            picture = self.torch.from_numpy((picture.numpy() >> 8).astype("u1"))
        return picture[0] if picture.ndim == 4 else picture, "torchvision"  # the first frame

    def crop(self, picture, left, top, width, height):
        return self.functional.crop(picture, top, left, height, width)

    def resize(self, picture, width, height, mode, filter):
        mode = self.modes("nearest" if filter == "nearest-floor" else filter)
        return self.functional.resize(picture, [height, width], mode, antialias=True)

    def size(self, picture):
        return picture.shape[2], picture.shape[1]

    def pixels(self, picture):
        return picture.permute(1, 2, 0).contiguous().numpy().tobytes()


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
        picture = self.cv2.imdecode(self.numpy.frombuffer(data, "u1"), flags)
        if picture is None:
            raise ValueError("imdecode gives nothing")
        return self.cv2.cvtColor(picture, self.cv2.COLOR_BGR2RGB), "opencv"

    def crop(self, picture, left, top, width, height):
        rows, columns = picture.shape[:2]
        around = [max(-top, 0), max(top + height - rows, 0), max(-left, 0), max(left + width - columns, 0)]
        picture = self.cv2.copyMakeBorder(picture, *around, self.cv2.BORDER_CONSTANT)
        left, top = max(left, 0), max(top, 0)
        return picture[top : top + height, left : left + width]

    def resize(self, picture, width, height, mode, filter):
        names = {"bilinear": "LINEAR", "bicubic": "CUBIC", "lanczos": "LANCZOS4", "box": "AREA", "nearest": "NEAREST"}
        return self.cv2.resize(picture, (width, height), interpolation=getattr(self.cv2, "INTER_" + names[filter]))

    def size(self, picture):
        return picture.shape[1], picture.shape[0]

    def pixels(self, picture):
        return self.numpy.ascontiguousarray(picture).tobytes()


def answer(peer, request, data):
    picture, reader = peer.decode(data, request["orient"])
    if request.get("box"):
        picture = peer.crop(picture, *request["box"])
    width, height = request.get("width"), request.get("height")
    if request.get("shorter"):
        width, height = side(request["shorter"], *peer.size(picture))
    if width:
        picture = peer.resize(picture, width, height, request["mode"], request["filter"])
    if request.get("crop"):
        corner = [middle(edge, crop) for edge, crop in zip(peer.size(picture), request["crop"])]
        picture = peer.crop(picture, *corner, *request["crop"])
    width, height = peer.size(picture)
    return {"width": width, "height": height, "reader": reader}, peer.pixels(picture)


def receive(stream):
    """A frame's bytes, None at the end."""
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
    os.dup2(2, 1)  # what libraries print is no answer
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
