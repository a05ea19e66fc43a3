"""Decoding audio, in one call and by a decoder."""

from __future__ import annotations

import gc
import io
import json
import subprocess
import wave
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import need
import numpy as np
import pytest
from conftest import ROOT

import spool
from spool import AudioDecoder, decode_audio


@pytest.fixture(scope="module")
def audio(testdata: Path) -> Path:
    """Stereo at 8000 Hz, 16 bits, 0.2 seconds."""
    return testdata / "audio/s16.wav"


@pytest.fixture(scope="module")
def whole(audio: Path) -> spool.AudioSamples:
    return decode_audio(audio)


def test_samples_are_those_of_the_file(audio: Path, whole: spool.AudioSamples) -> None:
    """The samples equal those of Python's own reader."""
    with wave.open(str(audio)) as w:
        want = np.frombuffer(w.readframes(w.getnframes()), "<i2").reshape(-1, w.getnchannels())
        assert (whole.sample_rate, whole.shape) == (w.getframerate(), want.T.shape)
    np.testing.assert_array_equal(whole.data, want.T.astype(np.float32) / 32768)
    np.testing.assert_array_equal(decode_audio(audio, dtype="int16", layout="tc"), want)
    np.testing.assert_array_equal(decode_audio(audio, dtype=np.int32), want.T.astype(np.int32) << 16)
    assert whole.pts_seconds == 0
    assert whole.duration_seconds == len(want) / whole.sample_rate


@pytest.mark.parametrize(
    ("start", "end"), [(0.0, 0.05), (0.05, None), (None, 0.1), (0.1, 0.1 + 1 / 8000), (5.0, 6.0), (0.15, 99.0)]
)
def test_windows(audio: Path, whole: spool.AudioSamples, start: float | None, end: float | None) -> None:
    """A window equals that part of the whole."""
    first = round((start or 0) * 8000)
    last = whole.shape[1] if end is None else round(end * 8000)
    window = decode_audio(audio, start=start, end=end)
    np.testing.assert_array_equal(window, whole.data[:, first:last])
    assert window.pts_seconds == pytest.approx(first / 8000)
    assert window.duration_seconds == window.shape[1] / 8000


def test_rate_and_channels(audio: Path, whole: spool.AudioSamples) -> None:
    mono = decode_audio(audio, rate=16000, channels=1)
    assert mono.shape == (1, 2 * whole.shape[1])
    assert mono.sample_rate == 16000
    data, pts, duration, rate = decode_audio(audio, rate=16000, channels=1, start=0.1, end=0.15)
    np.testing.assert_array_equal(data, mono.data[:, 1600:2400])
    assert (pts, duration, rate) == (0.1, 0.05, 16000)


@pytest.mark.parametrize(
    "source", [str, Path.read_bytes, lambda p: memoryview(p.read_bytes()), lambda p: io.BytesIO(p.read_bytes())]
)
def test_sources(audio: Path, whole: spool.AudioSamples, source: Callable[[Path], Any]) -> None:
    np.testing.assert_array_equal(decode_audio(source(audio)), whole.data)
    np.testing.assert_array_equal(AudioDecoder(source(audio)).get_all_samples(), whole.data)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"rate": 0}, ValueError, "rate=0"),
        ({"rate": "fast"}, TypeError, "rate"),
        ({"channels": 1.5}, TypeError, "channels"),
        ({"dtype": "uint8"}, ValueError, "dtype=.uint8."),
        ({"layout": "nchw"}, ValueError, "layout=nchw"),
        ({"start": 2, "end": 1}, ValueError, "start"),
        ({"start": -1}, ValueError, "start"),
        ({"end": 0}, ValueError, "end=0"),
        ({"start": 0.1, "end": 0.1}, ValueError, "end=0.1"),
        ({"quality": "good"}, ValueError, "quality=good"),
        ({"volume": 3}, TypeError, "volume"),
    ],
)
def test_wrong_arguments(audio: Path, options: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        decode_audio(audio, **options)


def test_bad_input(audio: Path, testdata: Path) -> None:
    with pytest.raises(FileNotFoundError):
        decode_audio(audio.with_name("missing.wav"))
    with pytest.raises(spool.DecodeError) as silent:
        decode_audio(testdata / "video/bframes.mp4")
    assert (silent.value.error_class, silent.value.file) == ("not-media", str(testdata / "video/bframes.mp4"))
    with pytest.raises(spool.DecodeError) as damaged:
        decode_audio(testdata / "audio/damaged.m4a")
    assert damaged.value.error_class == "corrupt"
    assert decode_audio(testdata / "audio/damaged.m4a", on_damage="fill").shape[1] > 0
    with pytest.raises(IndexError):
        decode_audio(audio, stream=3)


@pytest.mark.slow
def test_every_audio_is_the_commands(testdata: Path, tmp_path: Path) -> None:
    command = ROOT / "bin" / "spool"
    compared = 0
    for file in sorted((testdata / "audio").iterdir()):
        for flags, options in (
            ([], {}),
            (
                ["--rate", "16000", "--channels", "1", "--dtype", "s16"],
                {"rate": 16000, "channels": 1, "dtype": "int16"},
            ),
        ):
            ended = subprocess.run(
                [command, "decode", "audio", file, "--out", tmp_path / "a.npy", *flags],
                capture_output=True,
                text=True,
                check=False,
            )
            if ended.returncode:
                with pytest.raises(spool.DecodeError) as refused:
                    decode_audio(file, **options)  # type: ignore[arg-type]
                assert refused.value.error_class == ended.stderr.split(": ")[2]
                continue
            samples = decode_audio(file, **options)  # type: ignore[arg-type]
            np.testing.assert_array_equal(samples, np.load(tmp_path / "a.npy"), err_msg=str(file))
            compared += 1
    assert compared >= 50


def test_every_shared_audio(shared: Path) -> None:
    """The number of samples is torchcodec's. Samples differ only by rounding, or at 16 kHz by the resampling filter."""
    compared = 0
    for name, file in json.loads((shared / "expected/index.json").read_text()).items():
        want = file.get("audio")
        if not want:
            continue
        samples = decode_audio(shared / name)
        assert samples.sample_rate == want["rate"], name
        beyond = 480 if name == "audio/a.m4a" else 0  # torchcodec returns samples beyond the stream's duration
        assert samples.shape[1] == want["shape"][1] - beyond, name
        expected = np.load(shared / "expected" / want["npy"])
        assert np.abs(samples.data[:, : expected.shape[1]] - expected).max() < 1e-3, name
        mono = decode_audio(shared / name, rate=16000, channels=1)
        expected = np.load(shared / "expected" / want["mono16k_npy"])
        off = mono.data[:, : expected.shape[1]] - expected
        assert np.sqrt((off**2).mean()) < 3e-3, name
        compared += 1
    assert compared >= 18


def test_decoder(testdata: Path) -> None:
    """Windows are on the container's clock, and are rounded to samples like torchcodec's."""
    file = testdata / "audio/mp3.mp3"
    decoder = AudioDecoder(file)
    m = decoder.metadata
    whole = decode_audio(file)
    begin = m.begin_stream_seconds
    assert (m.sample_rate, m.num_channels, m.codec) == (whole.sample_rate, whole.shape[0], "mp3")
    assert begin > 0  # the encoder's delay
    everything = decoder.get_all_samples()
    np.testing.assert_array_equal(everything, whole.data)
    assert everything.pts_seconds == begin
    for start, stop in (
        (0.0, 0.1),
        (begin, 0.1),
        (0.1, 0.15),
        (0.05, None),
        (-1.0, 0.06),
        (9.0, 10.0),
        (0.1, 0.1),
        (0.0, 0.0),
    ):
        samples = decoder.get_samples_played_in_range(start, stop)
        first = max(0, int(np.floor((start - begin) * m.sample_rate + 0.5)))
        last = whole.shape[1] if stop is None else max(0, int(np.floor((stop - begin) * m.sample_rate + 0.5)))
        np.testing.assert_array_equal(samples, whole.data[:, first:last], err_msg=str((start, stop)))
        assert samples.pts_seconds == max(start, begin)
        assert samples.duration_seconds == samples.shape[1] / m.sample_rate
    with pytest.raises(ValueError, match="start_seconds"):
        decoder.get_samples_played_in_range(0.2, 0.1)


@pytest.mark.slow
def test_sample_formats_are_ffprobes(testdata: Path) -> None:
    command = [need.command("ffprobe"), "-v", "error", "-select_streams", "a:0", "-of", "csv=p=0"]
    compared = set()
    for file in sorted((testdata / "audio").iterdir()):
        found = subprocess.run([*command, "-show_entries", "stream=sample_fmt", file], capture_output=True, text=True)
        want = (found.stdout.split() or [""])[0].rstrip(",")
        try:
            m = AudioDecoder(file).metadata
        except spool.Error:
            continue
        assert m.sample_format == want, file.name
        compared.add(want)
    assert compared >= {"u8", "s16", "s32", "flt", "fltp"}


def test_decoder_arguments(audio: Path, testdata: Path) -> None:
    decoder = AudioDecoder(audio, sample_rate=16000, num_channels=1, output_dtype=np.int16)
    samples = decoder.get_all_samples()
    np.testing.assert_array_equal(samples, decode_audio(audio, rate=16000, channels=1, dtype="int16"))
    assert samples.sample_rate == 16000
    assert decoder.metadata.sample_rate == 8000
    assert "8000 Hz" in repr(decoder)
    assert "sample_rate: 8000" in repr(decoder.metadata)
    assert "sample_rate: 16000" in repr(samples)
    with pytest.raises(ValueError, match="output"):
        AudioDecoder(audio, output="jax")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="layout"):
        AudioDecoder(audio, layout="tc")  # type: ignore[call-arg]
    decoder.close()
    with pytest.raises(spool.ClosedError):
        decoder.get_all_samples()
    with AudioDecoder(testdata / "audio/opus.webm", stream_index=0) as d:
        assert d.stream_index == 0


def test_memory(audio: Path, whole: spool.AudioSamples) -> None:
    """The decoder keeps the bytes alive, samples outlive the decoder, and nothing leaks."""
    gc.collect()
    before = spool.stats()
    decoder = AudioDecoder(bytearray(audio.read_bytes()))
    samples = decoder.get_samples_played_in_range(0.05, 0.1)
    del decoder
    gc.collect()
    np.testing.assert_array_equal(samples, whole.data[:, 400:800])
    assert np.shares_memory(np.asarray(samples), np.from_dlpack(samples))
    del samples
    gc.collect()
    after = spool.stats()
    assert {k: after[k] for k in ("handles", "arrays")} == {k: before[k] for k in ("handles", "arrays")}


def test_many_threads_with_one(audio: Path, whole: spool.AudioSamples) -> None:
    decoder = AudioDecoder(audio)
    starts = np.random.default_rng(3).integers(0, 1400, 100) / 8000
    with ThreadPoolExecutor(8) as pool:
        windows = pool.map(lambda start: decoder.get_samples_played_in_range(start, start + 100 / 8000), starts)
        for start, window in zip(starts, windows, strict=True):
            first = round(start * 8000)
            np.testing.assert_array_equal(window, whole.data[:, first : first + 100])
