"""spool.torchcodec compared with torchcodec: the same programs give the same results."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest

import spool
from spool import torchcodec as ours

torch = need.peer("torch")
theirs = need.peer("torchcodec")
transforms = need.peer("torchvision.transforms.v2")

ROOT = Path(__file__).resolve().parents[3]
VIDEO = ROOT / "testdata/video/bframes.mp4"
PEERS = pytest.mark.parametrize("peer", [theirs, ours], ids=["torchcodec", "spool"])


@PEERS
def test_frames_are_views(peer: Any) -> None:
    """NCHW is a view of NHWC memory, as torch's channels_last."""
    decoder = peer.decoders.VideoDecoder(VIDEO)
    batch = decoder.get_frames_at(torch.tensor([0.0, 3.0, 1.0]))
    assert batch.data.is_contiguous(memory_format=torch.channels_last)
    assert batch.data.shape == (3, 3, 48, 64)
    assert batch.pts_seconds.tolist() == pytest.approx([0, 0.12, 0.04])
    assert peer.decoders.VideoDecoder(VIDEO, dimension_order="NHWC")[0].is_contiguous()
    assert isinstance(batch, peer.FrameBatch)


@PEERS
def test_errors(peer: Any) -> None:
    decoder = peer.decoders.VideoDecoder(VIDEO)
    with pytest.raises(IndexError, match="Invalid frame index=25"):
        decoder.get_frames_at([25])
    with pytest.raises(IndexError, match="absolute value less than the number of frames"):
        decoder.get_frames_at([-26])
    with pytest.raises(TypeError, match="Unsupported key type"):
        decoder["0"]
    with pytest.raises(IndexError, match="Invalid pts in seconds"):
        decoder.get_frame_played_at(9)
    with pytest.raises(RuntimeError, match="must be less than"):
        decoder.get_frames_played_at([9])
    with pytest.raises(ValueError, match="Invalid stop seconds"):
        decoder.get_frames_played_in_range(0, 9)
    audio = peer.decoders.AudioDecoder(ROOT / "testdata/audio/mp3.mp3")
    with pytest.raises(RuntimeError, match="No audio frames were decoded"):
        audio.get_samples_played_in_range(99)


def test_metadata() -> None:
    for name in ("bframes.mp4", "hdr.mp4", "full.mp4", "turned.mp4", "altref.webm"):
        a, b = (peer.decoders.VideoDecoder(ROOT / "testdata/video" / name).metadata for peer in (theirs, ours))
        for field in ("color_primaries", "color_space", "color_transfer_characteristic", "average_fps_from_header"):
            assert getattr(a, field) == getattr(b, field), (name, field)
        assert (a.pixel_aspect_ratio or None) == b.pixel_aspect_ratio
    for name in ("s16.wav", "f32.wav", "stereo.flac", "mp3.mp3", "vorbis.ogg", "opus.opus"):
        a, b = (peer.decoders.AudioDecoder(ROOT / "testdata/audio" / name).metadata for peer in (theirs, ours))
        assert a.sample_format == b.sample_format


@pytest.mark.parametrize(
    ("sampler", "options"),
    [
        ("clips_at_random_indices", {"num_clips": 4, "num_frames_per_clip": 3}),
        ("clips_at_random_indices", {"num_clips": 3, "num_frames_per_clip": 9, "num_indices_between_frames": 4}),
        ("clips_at_random_indices", {"num_frames_per_clip": 5, "sampling_range_start": -2, "sampling_range_end": 99}),
        ("clips_at_regular_indices", {"num_clips": 40, "num_frames_per_clip": 2}),
        ("clips_at_regular_indices", {"num_clips": 3, "num_frames_per_clip": 4, "sampling_range_start": 20}),
        ("clips_at_random_timestamps", {"num_clips": 5, "num_frames_per_clip": 3}),
        ("clips_at_random_timestamps", {"num_frames_per_clip": 3, "seconds_between_frames": 0.07}),
        ("clips_at_regular_timestamps", {"seconds_between_clip_starts": 0.21, "num_frames_per_clip": 2}),
        ("clips_at_regular_timestamps", {"seconds_between_clip_starts": 1 / 3 - 1e-9, "sampling_range_end": 9.0}),
    ],
)
@pytest.mark.parametrize("policy", ["repeat_last", "wrap"])
@pytest.mark.parametrize("seed", [0, 1])
def test_samplers(sampler: str, options: Any, policy: str, seed: int) -> None:
    if options.get("sampling_range_start") == 20:
        options = {**options, "sampling_range_end": 25}
    made = []
    for peer in (theirs, ours):
        torch.manual_seed(seed)
        made.append(getattr(peer.samplers, sampler)(peer.decoders.VideoDecoder(VIDEO), policy=policy, **options))
    a, b = made
    assert torch.equal(a.data, b.data)
    np.testing.assert_allclose(a.pts_seconds, b.pts_seconds, atol=1e-9)
    np.testing.assert_allclose(a.duration_seconds, b.duration_seconds, atol=1e-9)
    assert b.index.shape == b.state.shape == b.pts_seconds.shape


@PEERS
def test_wrong_samples(peer: Any) -> None:
    decoder = peer.decoders.VideoDecoder(VIDEO)
    s = peer.samplers
    for sampler, options, text in (
        (s.clips_at_random_indices, {"num_clips": 0}, r"num_clips \(0\) must be > 0"),
        (s.clips_at_random_indices, {"policy": "no"}, "Invalid policy"),
        (s.clips_at_regular_indices, {"sampling_range_start": 25}, "must be smaller than"),
        (s.clips_at_random_timestamps, {"sampling_range_end": -1}, "must be at least"),
        (s.clips_at_random_timestamps, {"seconds_between_frames": 0}, "must be > 0"),
        (s.clips_at_regular_timestamps, {"seconds_between_clip_starts": -1}, "must be > 0"),
        (
            s.clips_at_regular_indices,
            {"num_frames_per_clip": 9, "sampling_range_start": 20, "sampling_range_end": 25, "policy": "error"},
            "beyond",
        ),
    ):
        with pytest.raises(ValueError, match=text):
            sampler(decoder, **options)


def mapping(**changed: Any) -> str:
    frames = [{"pts": 512 * i, "duration": 512, "key_frame": int(i == 0)} for i in range(25)]
    return json.dumps({"frames": frames} | changed)


def test_custom_frame_mappings(tmp_path: Path) -> None:
    want = ours.decoders.VideoDecoder(VIDEO)[7]
    assert torch.equal(ours.decoders.VideoDecoder(VIDEO, custom_frame_mappings=mapping())[7], want)
    (tmp_path / "mapping.json").write_text(mapping())
    with (tmp_path / "mapping.json").open() as file:
        assert torch.equal(ours.decoders.VideoDecoder(VIDEO, custom_frame_mappings=file)[7], want)
    for wrong, text in (("no", "Invalid"), ("{}", "'frames'"), (mapping(frames=[{"pts": 0}]), "required")):
        with pytest.raises(ValueError, match=text):
            ours.decoders.VideoDecoder(VIDEO, custom_frame_mappings=wrong)
    with pytest.raises(ValueError, match="24 frames, the video has 25"):
        ours.decoders.VideoDecoder(VIDEO, custom_frame_mappings=mapping(frames=json.loads(mapping())["frames"][1:]))
    with pytest.raises(ValueError, match="approximate"):
        ours.decoders.VideoDecoder(VIDEO, custom_frame_mappings=mapping(), seek_mode="approximate")


def test_transforms() -> None:
    """Resize and CenterCrop are torchvision's, whose objects are accepted."""
    plain = theirs.decoders.VideoDecoder(VIDEO)[9]
    for module in (transforms, spool.torchvision):
        steps = [module.Resize(24), module.CenterCrop((20, 28))]
        made = ours.decoders.VideoDecoder(VIDEO, transforms=steps)
        want = transforms.Compose([transforms.Resize(24), transforms.CenterCrop((20, 28))])(plain)
        assert torch.equal(made[9], want)
        assert torch.equal(pickle.loads(pickle.dumps(made))[9], want)
    with pytest.raises(TypeError, match="ColorJitter"):
        ours.decoders.VideoDecoder(VIDEO, transforms=[transforms.ColorJitter()])


def test_dtypes() -> None:
    for dtype in (torch.uint8, torch.float32, "auto"):
        for name in ("bframes.mp4", "hdr.mp4"):
            a, b = (
                peer.decoders.VideoDecoder(ROOT / "testdata/video" / name, output_dtype=dtype)[3]
                for peer in (theirs, ours)
            )
            assert a.dtype == b.dtype, (dtype, name)


def test_compile() -> None:
    """torch.compile leaves decoding out of the graph, and says why a whole graph is impossible."""
    decoder = ours.decoders.VideoDecoder(VIDEO)

    def brightness(decoder: Any) -> Any:
        return decoder.get_frame_at(3).data.float().mean() + decoder[5].float().mean()

    want = brightness(decoder)
    assert torch.compile(brightness, backend="eager")(decoder) == want
    torch.compiler.reset()  # a graph that was broken is kept
    with pytest.raises(Exception, match="spool decodes outside of PyTorch"):
        torch.compile(brightness, backend="eager", fullgraph=True)(decoder)

    def opened() -> Any:
        return ours.decoders.VideoDecoder(VIDEO)[5].float().mean()

    assert torch.compile(opened, backend="eager")() == opened()
    torch.compiler.reset()
    with pytest.raises(Exception, match="spool decodes outside of PyTorch"):
        torch.compile(opened, backend="eager", fullgraph=True)()
