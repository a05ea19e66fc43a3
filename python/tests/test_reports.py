"""The types of reports have the keys of real reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import spool
from spool import reports


def fits(found: dict[str, Any], kind: Any) -> None:
    """Check a report against its type: all keys are known, and the required ones are there."""
    assert kind.__required_keys__ <= found.keys() <= kind.__annotations__.keys()


def test_doctor() -> None:
    found = spool.doctor()
    fits(found, reports.Doctor)
    fits(found["devices"], reports.Devices)
    fits(found["device_decoders"], reports.DeviceDecoders)
    for decoder in ("nvjpeg", "nvdec"):
        fits(found["device_decoders"][decoder], reports.DeviceDecoder)
    for device in found["devices"]["list"]:
        fits(device, reports.Device)
    for missing in found["missing"]:
        fits(missing, reports.Missing)


@pytest.mark.slow
def test_a_store_that_is_not_there() -> None:
    found = spool.doctor("http://127.0.0.1:1/bucket/key")
    fits(found, reports.Store)
    assert found["class"], "the store answers"
    for step in found["steps"]:
        fits(step, reports.StoreStep)


def test_loader(testdata: Path, tmp_path: Path) -> None:
    photos = testdata / "photos"
    with spool.ImageLoader(
        photos, size=8, batch=16, disk_cache=tmp_path, disk_cache_of="samples", profile="fast"
    ) as loader:
        for _ in loader:
            pass
        found = loader.stats
    fits(found, reports.LoaderReport)
    fits(found["jpeg"], reports.JPEGCounts)
    fits(found["disk_cache"], reports.CacheReport)
    assert found["stages"]
    for stage in found["stages"]:
        fits(stage, reports.StageReport)


def test_padding(testdata: Path) -> None:
    images = {"image": spool.Image("path")}
    with spool.Loader(testdata / "photos", fields=images, form="pad", batch=8, limit=8) as loader:
        for _ in loader:
            pass
        fits(loader.stats["waste"], reports.Waste)


def test_failures(testdata: Path) -> None:
    with spool.ImageLoader(testdata / "hard/bad", size=8, batch=4) as loader:
        with pytest.raises(spool.DecodeError):
            for _ in loader:
                pass
        assert loader.failures
        for failure in loader.failures:
            fits(failure, reports.Failure)
