"""Predictions of runs with other settings, and the speeds of a loader's stages."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from . import _native, _option
from ._narrow import is_mapping
from ._shown import Table
from ._wait import interruptibly

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Never


class Range(NamedTuple):
    """A predicted value, and the error bar in which that of a real run is expected."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Prediction(Table):
    """A predicted run. ``print``, notebooks and rich show it as a table.

    Attributes:
        rate: samples a second.
        ttfb_s: seconds from the start of the loader's stages to the first batch.
        rss_mb: the peak of the process's memory, in MiB. 0 if it is unknown.
        batch_mb: memory of all batches at a time, at most, in millions of bytes.
        verdict: the stage that limits, by how much, and what to change.
        measured_rate: the rate of the run whose costs were recorded.
        deviation: how far a simulation of that run differs from it; 0.01 is 1 % faster.
    """

    rate: Range
    ttfb_s: Range
    rss_mb: Range
    batch_mb: float
    verdict: str
    measured_rate: float
    deviation: float

    def _summary(self) -> str:
        return f"{self.rate.value:.1f} samples/s, from {self.rate.low:.1f} to {self.rate.high:.1f}"

    def _table(self) -> list[list[str]]:
        rows = (("samples/s", self.rate, 1), ("first batch s", self.ttfb_s, 3), ("memory MiB", self.rss_mb, 0))
        return [["", "predicted", "from", "to"], *([name, *(f"{v:.{n}f}" for v in x)] for name, x, n in rows)]

    def _end(self) -> str:
        return (
            f"{self.verdict} The run itself had {self.measured_rate:.1f} samples/s; the simulation of its settings "
            f"differs by {self.deviation:+.1%}."
        )


class Speed(TypedDict):
    """How fast a stage runs alone, with a number of workers."""

    workers: int
    items: int
    """Items measured."""
    rate: float
    """Items a second that do not fail."""
    speedup: float
    """Relative to the first number of workers."""
    mean_ms: float
    p50_ms: float
    p99_ms: float


class StageProfile(TypedDict):
    """The speeds of a stage. There are none if no sample reached it."""

    name: str
    speeds: list[Speed]


@dataclass(frozen=True)
class Profile(Table):
    """The speed of each stage alone. ``print``, notebooks and rich show it as a table.

    Attributes:
        cores: the cores that the library uses.
        stages: the stages in order, each with the numbers of workers that were tried.
    """

    cores: int
    stages: list[StageProfile]

    def _summary(self) -> str:
        return f"each stage alone, on {self.cores} cores"

    def _table(self) -> list[list[str]]:
        head = ["stage", "workers", "items", "items/s", "speedup", "mean ms", "p50", "p99"]
        return [head] + [
            [
                stage["name"],
                str(x["workers"]),
                str(x["items"]),
                f"{x['rate']:.5g}",
                f"{x['speedup']:.2f}",
                *(f"{ms:.3f}" for ms in (x["mean_ms"], x["p50_ms"], x["p99_ms"])),
            ]
            for stage in self.stages
            for x in stage["speeds"]
        ]


def simulate(
    costs: str | os.PathLike[str],
    *,
    workers: int = 0,
    prefetch: int = 0,
    cores: int = 0,
    files: int = 0,
    latency: float = 0.0,
    stage_workers: Mapping[str, int] | None = None,
    **unknown: Never,
) -> Prediction:
    """Predict a run with other settings from the costs of a run. 0 leaves a setting as it was.

    Args:
        costs: path, the file that ``costs`` of a loader or ``spool run --costs`` wrote.
        workers: int, samples decoded at a time. Default: 0.
        prefetch: int, finished batches that wait for their consumer. Default: 0.
        cores: int, cores of the machine. Default: 0.
        files: int, files opened, and as many read, at a time. Default: 0.
        latency: float, seconds that each read of a file, or each request to a store, takes in addition. Default: 0.
        stage_workers: mapping, the workers of other stages by name, like ``{"size/0/decode": 4}``, for the costs of a
            pipeline in Go. Default: none.
        **unknown: other keywords are refused, and the message names the keyword that was probably meant.

    Returns:
        The prediction, with error bars. These have twice the standard deviation of predictions from parts of the run,
        and the difference between the run and a simulation of it.

    Raises:
        TypeError, ValueError: an argument is wrong. The message names it.
        DecodeError: there is no such file, or it has no costs.
    """
    options = {k: v for k, v in _option.given(locals(), simulate).items() if k != "latency"}
    if stage_workers is not None:
        options["stage_workers"] = stage_workers
    seconds = _option.number("latency", latency)
    kinds = {**_kinds, "stage_workers": _stages}
    text = _option.encode(options, kinds, ("costs",), extra={"latency": f"{seconds:.9f}s"} if seconds else {})
    made: dict[str, Any] = _native.query("spool_simulate", os.fsencode(costs), text.encode())
    ranges: dict[str, Any] = {k: Range(**made.pop(k)) for k in ("rate", "ttfb_s", "rss_mb")}
    return Prediction(**ranges, **made)


def profiled(loader: _native.Handle, items: int, workers: Iterable[int] | None) -> Profile:
    """Profile a loader, see ``profile`` of loaders.

    Args:
        loader: the opened loader.
        items: int, the samples for each number of workers.
        workers: the numbers of workers to try. Default: the library chooses them.

    Returns:
        The speeds by stage.
    """
    kinds: _option.Kinds = {"items": _option.integer, "workers": _option.texts}
    numbers = None if workers is None else [str(_option.integer("workers", n)) for n in workers]
    text = _option.encode({"items": items, "workers": numbers}, kinds).encode()
    made = _native.array()
    interruptibly(lambda cancel: _native.call("spool_loader_profile", loader, text, cancel, made.out))
    return Profile(**json.loads(_native.content(made)))


_kinds: _option.Kinds = dict.fromkeys(("workers", "prefetch", "cores", "files"), _option.integer)


def _stages(name: str, value: Any) -> str:
    """Convert workers by stage."""
    if not is_mapping(value):
        raise _option.wrong(name, value, "a mapping of names to workers")
    return ",".join(f"{_option.text(name, k)}={_option.integer(name, v)}" for k, v in value.items())
