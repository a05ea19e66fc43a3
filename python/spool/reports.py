"""Reports of loaders, and of what the library found: the objects that the command prints as JSON."""

from __future__ import annotations

from typing import Literal, TypedDict


class StageReport(TypedDict):
    """A stage of a loader. Times are those of an item, and waits are added up over the workers."""

    name: str
    workers: int
    items: int
    failures: int
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    wait_in_s: float
    """Waiting for items."""
    wait_out_s: float
    """Waiting for room for results."""
    occupancy: float
    """The share of the workers' time at work, from 0 to 1."""
    queue: float
    """The mean fill of the queue after the stage, from 0 to 1."""


class Stuck(TypedDict):
    """A sample that has been in one step for longer than ``watch``."""

    id: str
    file: str
    stage: str
    seconds: float


class _JPEGCounts(TypedDict):
    own: int
    turbo: int
    """By libjpeg-turbo."""


class JPEGCounts(_JPEGCounts, total=False):
    """JPEG files by the engine that decoded them."""

    left: dict[str, int]
    """Of these, files that spool's engine declined, by reason."""


class _FLACCounts(TypedDict):
    own: int
    ffmpeg: int


class FLACCounts(_FLACCounts, total=False):
    """FLAC files by the engine that decoded them."""

    left: dict[str, int]
    """Of these, files that spool's engine declined, by reason."""


class RemoteReport(TypedDict):
    """Requests to stores. Times are to the first byte, and 0 until there are enough requests."""

    requests: int
    bytes: int
    in_flight: int
    in_flight_limit: int
    p50_ms: float
    p95_ms: float
    p99_ms: float
    hedges: int
    hedges_won: int
    retries: int
    throttled: int


class CacheReport(TypedDict):
    """Counts of the disk cache."""

    hits: int
    misses: int
    bytes_read: int
    bytes_written: int
    kept: int
    refused: int
    evicted: int
    broken: int
    entries: int
    bytes: int
    ceiling: int
    off: bool
    """Whether an error, such as a full disk, ended caching."""


class Waste(TypedDict):
    """Padding of batches."""

    pixels: int
    """Of all images, frames and audio, with their padding."""
    padding: int
    """Of these, what shows nothing of an image, and samples after the audio's end."""
    share: float
    """From 0 to 1."""


class _LoaderReport(TypedDict):
    samples: int
    """Delivered, placeholders included."""
    failed: int
    batches: int
    epochs: int
    rate: float
    """Samples a second, from the start to the last batch."""
    ttfb_s: float
    """From the start to the first batch."""
    wall_s: float
    cpu_ms: float
    """For each sample."""
    rss_mb: int
    """The peak."""
    workers: int
    stages: list[StageReport]
    verdict: str


class LoaderReport(_LoaderReport, total=False):
    """Counts and times of a loader's run, with the keys of ``spool run --json``."""

    jpeg: JPEGCounts
    flac: FLACCounts
    remote: RemoteReport
    disk_cache: CacheReport
    waste: Waste
    left_out: int
    """Rows of tables that a filter leaves out."""
    stuck: list[Stuck]


class _Part(TypedDict, total=False):
    """What only some failures have."""

    field: str
    start: float
    end: float
    stream: int
    epoch: int
    occurrence: int


# By call, since class is a keyword.
_Failure = TypedDict(
    "_Failure",
    {
        "id": str,
        "file": str,
        "stage": str,
        "class": str,
        "text": str,
        "attempts": int,
        "action": Literal["skip", "fail", "placeholder"],
    },
)


class Failure(_Failure, _Part):
    """A failed sample: a line of the ledger."""


class Device(TypedDict):
    """A CUDA device."""

    name: str
    """The value of ``device``."""
    model: str
    memory_bytes: int
    capability: str
    bus: str


class _Devices(TypedDict):
    list: list[Device]


class Devices(_Devices, total=False):
    """The CUDA devices, or why there are none."""

    cuda: str
    """The newest version of CUDA that the driver supports."""
    why: str


class DeviceDecoder(TypedDict, total=False):
    """A library that decodes on devices."""

    version: str
    why: str
    """Why it cannot be used."""


class DeviceDecoders(TypedDict):
    """The libraries that decode on devices."""

    nvjpeg: DeviceDecoder
    nvdec: DeviceDecoder


# By call, since for is a keyword.
_Missing = TypedDict("_Missing", {"what": str, "for": str})


class Missing(_Missing, total=False):
    """A library that is missing, and what for."""

    package: str


class Doctor(TypedDict):
    """What spool found on this machine."""

    spool: str
    go: str
    platform: str
    versions: dict[str, str]
    """Of the libraries."""
    packages: dict[str, str]
    """Of Debian 12, which have them; none in a static build."""
    filters: list[str]
    """FFmpeg's, for graphs."""
    simd: str
    jpeg_simd: str
    formats: dict[str, bool]
    """Whether each can be decoded."""
    loaders: dict[str, bool]
    """Whether each can be allowed."""
    encodes: dict[str, bool]
    """Whether video and audio can be written in each codec."""
    limits: dict[str, int]
    """Of the machine and of this process; -1 for none."""
    devices: Devices
    device_decoders: DeviceDecoders
    isolation: str
    missing: list[Missing]


class _StoreStep(TypedDict):
    name: str
    ms: float


class StoreStep(_StoreStep, total=False):
    """A step of reaching a store: ``resolve``, ``connect``, ``tls``, ``list`` or ``read``."""

    text: str
    error: str


class StoreLatency(TypedDict):
    """Times to the first byte of small requests, one after the other."""

    requests: int
    p50_ms: float
    p95_ms: float


class StoreBandwidth(TypedDict):
    """What a number of requests in flight gives."""

    in_flight: int
    requests_s: float
    bytes_s: float


# By call, since class is a keyword.
_StoreFailure = TypedDict("_StoreFailure", {"class": str, "error": str}, total=False)


class _Store(_StoreFailure):
    url: str
    endpoint: str
    credentials: str
    """Their origin; ``none`` if requests are not signed."""
    steps: list[StoreStep]


class Store(_Store, total=False):
    """What was measured of a store."""

    region: str
    latency: StoreLatency
    bandwidth: list[StoreBandwidth]
    settings: dict[str, int]
    """Proposed, where the defaults are insufficient."""
    advice: list[str]


class _DecoderCounts(TypedDict):
    device: int
    """Decoded by nvJPEG."""
    failed: int
    engine: bool
    """Whether the device has an engine for JPEG."""
    nvjpeg: str
    """Its version."""


class Work(TypedDict):
    """What it took to decode frames of a video."""

    read: int
    """Packets that were read."""
    decoded: int
    """Packets that were sent to the decoder."""
    skipped: int
    """Of these, packets whose frames nobody wanted, which the decoder skipped."""
    seeks: int
    """Jumps to another key frame."""
    damaged: int
    """Packets that were found damaged."""


class DecoderCounts(_DecoderCounts, total=False):
    """Images of a device's decoder."""

    host: dict[str, int]
    """Decoded by the host, by reason."""
