"""The fields of records that are decoded from video and audio files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _option, field_options
from .fields import Field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from typing_extensions import Never

    from ._option import Augment, DType, Filter, Size


class Video(Field):
    """A clip of a video, or several: an array of shape (N, frames, H, W, C), or (N, frames, C, H, W).

    ``NAME.pts`` is float64 (N, frames): the times of the frames in the file, in seconds. ``NAME.index`` is int64, their
    numbers in the file. ``NAME.valid`` is uint8, 0 for frames that pad the clip.

    A clip is taken from a window of the file. If ``start``, ``end`` or ``at`` name columns, several rows of a table may
    have parts of one file, which stays open for them.

    Args:
        input: as for :class:`Image`.
        optional: bool, whether samples may lack it. They are then filled with ``fill``. Default: False.
        random_scale: two numbers; a random crop has a share of the image's area between them, like ``(0.08, 1)``.
        random_ratio: two numbers; a random crop is so many times as wide as high, like ``(0.75, 1.3333)``.
        random_crop: int, or four for left, top, right and bottom; ``crop`` is taken at a random position, after padding
            the image by this many pixels.
        flip_x: probability of mirroring left to right. Default: 0, with ``train`` 0.5.
        flip_y: probability of mirroring top to bottom. Default: 0.
        augment: operations on the pixels of results, drawn for each sample: one of :mod:`spool.augment`, like
            ``spool.RandAugment()``, or a sequence of them. Clips have the same for all frames. Default: none.
        size: N for N x N pixels, (height, width), or ``"WxH"`` like the command. Default: 224.
        mode: how ``size`` is reached: ``stretch``, the default; ``fit``, the whole image, padded; ``cover``, the
            largest centered crop of this aspect ratio.
        resize_shorter: int, pixels of the shorter side. With ``crop`` it replaces ``size``, like torchvision's
            ``Resize(N)`` and ``CenterCrop``.
        max_size: int, the most pixels of the longer side, above ``resize_shorter``, like torchvision's ``max_size``.
            Without ``resize_shorter``, the pixels of the longer side.
        crop: size of the center crop after ``resize_shorter``.
        train: bool; True takes a random crop, resized to ``size``, and flips it from left to right half of the time,
            like torchvision's RandomResizedCrop and RandomHorizontalFlip. Default: False.
        filter: ``bilinear``, the default, ``bicubic``, ``lanczos`` or ``box``, which antialias; ``nearest``, which is
            Pillow's; ``nearest-floor`` and ``nearest-exact``, which are torchvision's.
        profile: ``exact``, the default, gives torchvision's bytes; ``pillow`` gives Pillow's; ``fast`` is close to
            ``exact``.
        color: ``rgb``, the default, ``bgr``, ``gray``, ``rgba``, or ``index``, the indices of a palette or the luma of
            a video as they are stored, for labels and depth maps.
        dtype: ``uint8``, the default, ``uint16``, ``float16``, ``bfloat16`` or ``float32``. Floats are x/255. NumPy
            arrays of bfloat16 need package ml_dtypes.
        mean: one value, or one a channel, subtracted from floats. Default: 0.
        std: one value, or one a channel, that floats are divided by after ``mean``. Default: 1.
        layout: ``nhwc``, the default, or ``nchw``.
        orient: bool, whether to turn images and frames upright. Default: True.
        fill: color of placeholders and of damaged areas. Default: ``"#808080"``.
        pad_color: color that ``fit`` and crops pad with. Default: ``"#000000"``.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        stream: int, the stream's index in the file, or the input that has it, such as a column. Default: the best
            stream.
        frames: int, frames of a clip, spread evenly over its window by default. With ``train`` they are consecutive.
            ``"all"``: as many as the window has, ``stride`` or ``1/fps`` apart, which needs a ``form`` of the loader.
            Default: 16, or as many as ``times`` has.
        clips: int, how many clips of a file there are, spread evenly over the window, or random. The batch then has a
            list of them. Default: 0, one array.
        start: where the window begins: seconds, or the input that has them, such as a column. Default: the first frame.
        end: where the window ends, like ``start``. Default: the end of the file.
        random: bool; True takes the clip from a random position of the window; ``train`` does it, too. Default: False.
        stride: int, takes frames this many frames apart.
        fps: float, takes the frames that are shown at this rate.
        times: numbers, takes the frames that are nearest to these seconds after ``start`` and ``at``, like LeRobot's
            delta_timestamps.
        at: what ``times`` are relative to, after ``start``: seconds, or the input that has them. Default: 0.
        tolerance: the largest distance in seconds of a frame from its time; a clip with a larger one is a bad sample.
            Default: any distance.
        pad: what a clip has in place of frames outside of the window: ``repeat``, the default, repeats the nearest one;
            ``loop`` begins again; ``fill`` has the color ``fill``; ``refuse`` makes it a bad sample.
        on_damage: damaged or missing frames. With ``fail``, the default, the clip is a bad sample. With ``fill``,
            missing frames have the color ``fill``, and damaged ones are kept. With ``repeat``, the last good frame
            takes their place.
        threads: int, decoder threads of each file. Default: 1.
        hwaccel: device that decodes if it can, by FFmpeg's name, like ``cuda``. Default: none.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.
    """

    kind = "video"

    def __init__(
        self,
        input: str | None = None,
        *,
        optional: bool = False,
        random_scale: tuple[float, float] | None = None,
        random_ratio: tuple[float, float] | None = None,
        random_crop: int | tuple[int, int, int, int] | None = None,
        flip_x: float | None = None,
        flip_y: float = 0,
        augment: Augment | None = None,
        size: Size = 224,
        mode: Literal["stretch", "fit", "cover"] = "stretch",
        resize_shorter: int | None = None,
        max_size: int | None = None,
        crop: Size | None = None,
        train: bool = False,
        filter: Filter = "bilinear",
        profile: Literal["exact", "pillow", "fast"] = "exact",
        color: Literal["rgb", "bgr", "gray", "rgba", "index"] = "rgb",
        dtype: DType = "uint8",
        mean: float | Sequence[float] | None = None,
        std: float | Sequence[float] | None = None,
        layout: Literal["nhwc", "nchw"] = "nhwc",
        orient: bool = True,
        fill: str = "#808080",
        pad_color: str = "#000000",
        language: str | None = None,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
        stream: int | str | None = None,
        frames: int | Literal["all"] | None = None,
        clips: int = 0,
        start: float | str | None = None,
        end: float | str | None = None,
        random: bool = False,
        stride: int | None = None,
        fps: float | None = None,
        times: Sequence[float] | None = None,
        at: float | str | None = None,
        tolerance: float | None = None,
        pad: Literal["repeat", "loop", "fill", "refuse"] = "repeat",
        on_damage: Literal["fail", "fill", "repeat"] = "fail",
        threads: int = 1,
        hwaccel: str | None = None,
        **unknown: Never,
    ) -> None:
        super().__init__(input, optional, _option.given(locals(), Video.__init__), field_options.video_field)


class Audio(Field):
    """A window of audio: an array of shape (N, channels, samples), or (N, samples, channels).

    ``NAME.length`` is int64 (N,): the samples of each channel before the padding with silence. ``NAME.start`` is
    float64 (N,): the time of the first one, in seconds.

    Args:
        input: as for :class:`Image`.
        optional: bool, whether samples may lack it. They are then silent. Default: False.
        language: the best stream of this language.
        codec: FFmpeg's name of the decoder to use.
        codec_option: FFmpeg's options for this decoder, by name.
        stream: int, the stream's index in the file, or the input that has it, such as a column. Default: the best
            stream.
        duration: seconds of a sample. Longer audio is cut, and shorter audio is padded with silence. Default: all audio
            of the window, which needs a ``form`` of the loader.
        rate: int, sample rate in Hz. Default: 16000.
        channels: int, number of channels to mix to. Default: 1.
        like: the video field whose clips are the windows. Default: ``start`` and ``end`` are the window.
        start: where the window begins: seconds, or the input that has them, such as a column. Default: 0.
        end: where the window ends, like ``start``. Default: the end of the file.
        train: bool; True takes ``duration`` from a random position of the window. Default: False.
        dtype: ``float32``, the default, ``int16`` or ``int32``, as a name or as NumPy's or torch's type. Full scale is
            1 for floats.
        layout: ``ct``, the default, is (channels, time); ``tc`` is (time, channels).
        quality: of resampling: ``default``, ``fast`` or ``best``.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.
    """

    kind = "audio"

    def __init__(
        self,
        input: str | None = None,
        *,
        optional: bool = False,
        language: str | None = None,
        codec: str | None = None,
        codec_option: Mapping[str, str] | None = None,
        stream: int | str | None = None,
        duration: float | None = None,
        rate: int = 16000,
        channels: int = 1,
        like: str | None = None,
        start: float | str | None = None,
        end: float | str | None = None,
        train: bool = False,
        dtype: DType = "float32",
        layout: Literal["ct", "tc"] = "ct",
        quality: Literal["fast", "default", "best"] = "default",
        **unknown: Never,
    ) -> None:
        super().__init__(input, optional, _option.given(locals(), Audio.__init__), field_options.audio_field)
