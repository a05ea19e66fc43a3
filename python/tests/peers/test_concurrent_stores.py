"""spool.torch.ConcurrentDataLoader with datasets that read from S3 by boto3, s3fs, and a client of coroutines."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import need
import pytest
import stores
import torch
from torch.utils.data import DataLoader, Dataset

import spool
import spool.torch
from spool.torch import ConcurrentDataLoader

need.peer("boto3")
COUNT = 24


@pytest.fixture(scope="module", params=stores.NAMES)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, photos: list[Path]
) -> Iterator[str]:
    with stores.serve(request.param, tmp_path_factory.mktemp("s3")) as url:
        stores.fill(url, "photos", {f"photos/{i:03}.jpg": photos[i].read_bytes() for i in range(COUNT)})
        with pytest.MonkeyPatch.context() as patched:
            for name, value in stores.environment(url).items():
                patched.setenv(name, value)  # undone with the server, as are the changes by the datasets
            yield url


class Boto3(Dataset[Any]):
    """A common pattern: each process makes its client when it first needs it."""

    client: Any = None

    def __init__(self, url: str, count: int = COUNT) -> None:
        self.url, self.count = url, count

    def __len__(self) -> int:
        return self.count

    def login(self) -> None:
        """Set the environment here, since a worker has the environment with which the fork server was started."""
        os.environ.update(stores.environment(self.url))

    def __getitem__(self, i: int) -> Any:
        if self.client is None:
            import boto3

            self.login()
            self.client = boto3.client("s3", endpoint_url=self.url)
        return self.client.get_object(Bucket="photos", Key=f"photos/{i:03}.jpg")["Body"].read(), i


class S3fs(Boto3):
    def __getitem__(self, i: int) -> Any:
        if self.client is None:
            import s3fs

            self.login()
            self.client = s3fs.S3FileSystem(endpoint_url=self.url, skip_instance_cache=True)
        with self.client.open(f"photos/photos/{i:03}.jpg") as file:
            return file.read(), i


class Aiobotocore(Boto3):
    async def __getitem__(self, i: int) -> Any:
        if self.client is None:
            from aiobotocore.session import get_session

            self.login()
            self.client = await get_session().create_client("s3", endpoint_url=self.url).__aenter__()
        answer = await self.client.get_object(Bucket="photos", Key=f"photos/{i:03}.jpg")
        async with answer["Body"] as body:
            return await body.read(), i


@pytest.fixture(scope="module")
def expected(photos: list[Path]) -> torch.Tensor:
    return spool.torch.collate(size=64)([str(path) for path in photos[:COUNT]])


@pytest.mark.parametrize(("dataset", "workers"), [(Boto3, 0), (S3fs, 0), (Aiobotocore, 0), (Boto3, 2)])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_images(server: str, dataset: type[Boto3], workers: int, expected: torch.Tensor) -> None:
    # This process has used spool, so its workers cannot be forks.
    context = {"multiprocessing_context": "forkserver"} if workers else {}
    loader = ConcurrentDataLoader(
        dataset(server),
        batch_size=5,
        shuffle=True,
        generator=torch.Generator().manual_seed(2),
        num_workers=workers,
        collate_fn=spool.torch.collate(size=64),
        fetchers=8,
        **context,
    )
    order = [DataLoader(range(COUNT), 5, True, generator=torch.Generator().manual_seed(2))]  # type: ignore[arg-type]
    for (images, numbers), want in zip(loader, order[0], strict=True):
        assert numbers.tolist() == want.tolist()
        assert torch.equal(images, expected[numbers])


@pytest.mark.parametrize("dataset", [Boto3, S3fs])
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_an_object_that_is_not_there(server: str, dataset: type[Boto3]) -> None:
    def failure(kind: type[DataLoader[Any]]) -> Exception:
        batches = iter(kind(dataset(server, COUNT + 1), batch_size=4, collate_fn=len))  # type: ignore[arg-type]
        assert [next(batches) for _ in range(6)] == [4] * 6
        with pytest.raises(Exception, match=r"\S") as raised:
            next(batches)
        return raised.value

    got, want = failure(ConcurrentDataLoader), failure(DataLoader)
    # boto3 makes new error classes for each client.
    assert (type(got).__name__, str(got)) == (type(want).__name__, str(want))
