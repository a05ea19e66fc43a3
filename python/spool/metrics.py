"""Metrics of loaders for Prometheus, with package prometheus_client.

::

    prometheus_client.REGISTRY.register(spool.metrics.Collector(loader))
    prometheus_client.start_http_server(9464, addr="127.0.0.1")

``docs/metrics.md`` lists the names, which are those of ``spool run --metrics``.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily

from .errors import ClosedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from prometheus_client.metrics_core import Metric

    from ._reports import Reports

_STAGE = ("spool_stage_name",)

# Name, key in the report, and what it is.
_STORES = (
    ("spool_store_requests", "requests", "Requests sent, with retries, hedges and listings."),
    ("spool_store_received_bytes", "bytes", "Bytes received."),
    ("spool_store_retries", "retries", "Requests repeated after a failure."),
    ("spool_store_hedges", "hedges", "Second requests because an answer was late."),
    ("spool_store_hedges_won", "hedges_won", "Hedges that were answered first."),
    ("spool_store_throttled", "throttled", "Answers that asked for fewer requests, and timeouts."),
)
_STAGES = (
    ("spool_stage_items", "items", CounterMetricFamily, "Items done without failure."),
    ("spool_stage_workers", "workers", GaugeMetricFamily, "Workers of the stage."),
    ("spool_stage_occupancy_ratio", "occupancy", GaugeMetricFamily, "Share of the workers' time at work so far."),
    ("spool_stage_queue_fill_ratio", "queue", GaugeMetricFamily, "How full the next stage found the queue so far."),
)


class Collector:
    """A collector of prometheus_client for one loader. Threads may collect while another runs the loader.

    Figures come from ``loader.report()`` at each collection, and cost nothing between two. No label has the name of a
    file. Counts of stages start again where the loader changes its position.

    Args:
        loader: the loader. It must be open while metrics are collected; a closed one has none.
        labels: labels of all metrics, like ``{"loader": "train"}``, which a program with several loaders needs.
    """

    def __init__(self, loader: Reports, labels: Mapping[str, str] | None = None) -> None:
        self._loader = loader
        self._names = tuple(labels or ())
        self._values = tuple((labels or {}).values())

    def describe(self) -> list[Metric]:
        """Return no names, since checking them at registration would open the loader.

        Returns:
            An empty list.
        """
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of this moment.

        Yields:
            The metrics that ``docs/metrics.md`` lists for Python; none of a closed loader.
        """
        try:
            report, failed = cast("dict[str, Any]", self._loader.report()), self._loader.failures
        except ClosedError:
            return
        yield self._one(CounterMetricFamily, "spool_loader_samples", "Samples in delivered batches.", report["samples"])
        yield self._one(CounterMetricFamily, "spool_loader_batches", "Delivered batches.", report["batches"])
        stuck = len(report.get("stuck", ()))
        yield self._one(GaugeMetricFamily, "spool_sample_stuck", "Samples in one step for longer than watch.", stuck)
        yield from self._stages(report["stages"])
        failures = CounterMetricFamily(
            "spool_stage_failures",
            "Items that failed, by the class of the error; of the first 10,000.",
            labels=(*self._names, *_STAGE, "error_type"),
        )
        counts = Counter((f["stage"], f["class"]) for f in failed)
        for where, n in sorted(counts.items()):
            failures.add_metric((*self._values, *where), n)
        yield failures
        if remote := report.get("remote"):
            for name, key, what in _STORES:
                yield self._one(CounterMetricFamily, name, what, remote[key])
            flying = remote["in_flight"]
            yield self._one(GaugeMetricFamily, "spool_store_active_requests", "Requests in flight.", flying)
        if cache := report.get("disk_cache"):
            lookups = CounterMetricFamily(
                "spool_cache_lookups", "Lookups in the disk cache.", labels=(*self._names, "spool_cache_result")
            )
            lookups.add_metric((*self._values, "hit"), cache["hits"])
            lookups.add_metric((*self._values, "miss"), cache["misses"])
            yield lookups
            yield self._one(GaugeMetricFamily, "spool_cache_usage_bytes", "Disk space of all entries.", cache["bytes"])

    def _one(self, family: Any, name: str, what: str, value: float) -> Metric:
        metric: Metric = family(name, what, labels=self._names)
        metric.add_metric(self._values, value)  # type: ignore[attr-defined, unused-ignore]
        return metric

    def _stages(self, stages: list[dict[str, Any]]) -> Iterator[Metric]:
        names = (*self._names, *_STAGE)
        for name, key, family, what in _STAGES:
            metric = family(name, what, labels=names)
            for stage in stages:
                metric.add_metric((*self._values, stage["name"]), stage[key])
            yield metric
        duration = SummaryMetricFamily("spool_stage_duration_seconds", "Time of one worker for one item.", labels=names)
        waits = CounterMetricFamily(
            "spool_stage_wait_time_seconds",
            "Time in which workers waited for items, or for room for results.",
            labels=(*names, "spool_wait_for"),
        )
        for stage in stages:
            values = (*self._values, stage["name"])
            done = stage["items"] + stage["failures"]
            duration.add_metric(values, count_value=done, sum_value=stage["mean_ms"] * done / 1e3)
            waits.add_metric((*values, "input"), stage["wait_in_s"])
            waits.add_metric((*values, "output"), stage["wait_out_s"])
        yield duration
        yield waits
