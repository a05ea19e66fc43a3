"""Loaders of photos in an object store, each written as usual: the other contestants of bench/objectstore.

loaders.py LOADER --endpoint URL --bucket NAME --count N --images N [--batch 32] [--size 224] [--workers 2]
                  [--fetchers N] [--pool N] [--want FILE]

A sample is a whole photo, read from the store, and decoded and resized by torchvision. The --count photos of the bucket
are repeated up to --images samples. A run prints a JSON line with the keys of the peers' benchmark: rate is images a
second after the first batch, cpu_ms is CPU time for an image, including children.

--want names a file that `photos FILE...` has printed: for each local file, its number and the digest of its pixels,
channels last. All photos are then loaded once from the bucket ms0, and compared with the file before anything is timed.
client-NAME prints the cost of a request for that client.

loaders.py serve

reads such command lines, JSON lists of words, one on a line, and runs each in a fork, since importing torch takes
longer than many runs. It answers each by a line of JSON with its "output" or "error".
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import hashlib
import importlib.metadata
import io
import json
import os
import resource
import sys
import tempfile
import time

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, default_collate, get_worker_info
from torchvision.io import ImageReadMode, decode_image, read_file
from torchvision.transforms import v2

PACKAGES = ["torch", "torchvision", "spdl", "boto3", "s3fs", "s3torchconnector", "obstore"]


def pixels(data, size):
    encoded = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    image = decode_image(encoded, mode=ImageReadMode.RGB, apply_exif_orientation=True)
    return v2.functional.resize(image, [size, size], antialias=True)


class Photos(Dataset):
    """The usual dataset: __getitem__ reads from the store."""

    def __init__(self, a):
        self.bucket, self.endpoint, self.size = a.bucket, a.endpoint, a.size
        self.count, self.images = a.count, a.images
        self.connections, self.client = max(a.fetchers, 1), None

    def __len__(self):
        return self.images

    def key(self, i):
        return f"photos/{i % self.count:03}.jpg"

    def __getitem__(self, i):
        return pixels(self.read(i), self.size), i

    def read(self, i):
        if self.client is None:
            self.client = boto3_client(self.endpoint, self.connections)
        return self.client.get_object(Bucket=self.bucket, Key=self.key(i))["Body"].read()


def boto3_client(endpoint, connections):
    import boto3
    from botocore.config import Config

    config = Config(max_pool_connections=connections)
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", config=config)


class S3fsPhotos(Photos):
    """The same with fsspec."""

    def read(self, i):
        if self.client is None:
            import s3fs

            self.client = s3fs.S3FileSystem(
                client_kwargs={"endpoint_url": self.endpoint, "region_name": "us-east-1"},
                config_kwargs={"max_pool_connections": self.connections},
                skip_instance_cache=True,
            )
        return self.client.cat_file(f"{self.bucket}/{self.key(i)}")


class Connector:
    """S3MapDataset of s3-connector-for-pytorch, repeated."""

    def __new__(cls, a):
        from s3torchconnector import S3ClientConfig, S3MapDataset

        size, repeat = a.size, -(-a.images // a.count)
        photos = S3MapDataset.from_prefix(
            f"s3://{a.bucket}/photos/", region="us-east-1", endpoint=a.endpoint, transform=Decode(size),
            s3client_config=S3ClientConfig(force_path_style=True),
        )
        return torch.utils.data.Subset(photos, (list(range(a.count)) * repeat)[: a.images])


class Decode:
    def __init__(self, size):
        self.size = size

    def __call__(self, reader):
        return pixels(reader.read(), self.size), int(reader.key[-7:-4])


def sequential(a):
    return DataLoader(Photos(a), batch_size=a.batch, num_workers=a.workers)


def s3fs(a):
    return DataLoader(S3fsPhotos(a), batch_size=a.batch, num_workers=a.workers)


def connector(a):
    return DataLoader(Connector(a), batch_size=a.batch, num_workers=a.workers)


class Fetched(IterableDataset):
    """The work of a ConcurrentDataloader's worker (arXiv 2211.04908), like its _ThreadedMapDatasetFetcher.

    num_fetch_workers threads get the samples of all batches in a batch pool. Batches are collated when they are
    complete. Then the next pool begins. Without a pool, it gets one batch at a time.
    """

    def __init__(self, photos, a):
        self.photos, self.batch, self.fetchers, self.together = photos, a.batch, a.fetchers, max(1, a.pool // a.batch)

    def __iter__(self):
        worker = get_worker_info()
        self.photos.read(0)  # creates the client
        indices = range(len(self.photos))
        batches = [indices[i : i + self.batch] for i in range(0, len(indices), self.batch)]
        batches = batches[worker.id :: worker.num_workers]
        for i in range(0, len(batches), self.together):
            with concurrent.futures.ThreadPoolExecutor(self.fetchers) as threads:
                chosen = batches[i : i + self.together]
                pool = [[threads.submit(self.photos.__getitem__, n) for n in batch] for batch in chosen]
                for batch in pool:
                    yield default_collate([sample.result() for sample in batch])


def concurrent_dataloader(a):
    return DataLoader(Fetched(Photos(a), a), batch_size=None, num_workers=a.workers)


def spdl(a):
    from spdl.pipeline import PipelineBuilder

    photos = Photos(a)
    photos.read(0)
    pipeline = (
        PipelineBuilder()
        .add_source(range(a.images))
        .pipe(lambda i: (photos.read(i), i), concurrency=a.fetchers, output_order="input")
        .pipe(lambda s: (pixels(s[0], a.size), s[1]), concurrency=a.workers, output_order="input")
        .aggregate(a.batch)
        .pipe(default_collate)
        .add_sink(3)
        .build(num_threads=a.fetchers + a.workers + 1)
    )

    def batches():
        with pipeline.auto_stop():
            yield from pipeline

    return batches()


class Bytes(Photos):
    """The same dataset without decoding, which spool's collate function does."""

    def __getitem__(self, i):
        return self.read(i), i


def spool_torch(a):
    """Replace the loader by spool's, and change nothing else."""
    import spool.torch

    return spool.torch.ConcurrentDataLoader(Photos(a), batch_size=a.batch, num_workers=a.workers, fetchers=a.fetchers)


def spool_torch_collate(a):
    """Also decode a batch in one call."""
    import spool.torch

    collate = spool.torch.collate(size=a.size)
    return spool.torch.ConcurrentDataLoader(
        Bytes(a), batch_size=a.batch, num_workers=a.workers, fetchers=a.fetchers, collate_fn=collate
    )


def spool_loader(a):
    import spool

    epochs = -(-a.images // a.count)
    url = f"s3://{a.bucket}/photos/"
    loader = spool.ImageLoader(
        url, batch=a.batch, size=a.size, workers=a.workers, epochs=epochs, layout="nchw", output="torch"
    )
    for _ in range(epochs):
        n = 0
        for batch in loader:
            yield batch.images, torch.arange(n, n + len(batch))
            n += len(batch)


LOADERS = {
    "sequential": sequential, "workers": sequential, "s3fs": s3fs, "connector": connector,
    "concurrent": concurrent_dataloader, "spdl": spdl, "spool_torch": spool_torch,
    "spool_torch_collate": spool_torch_collate, "spool_loader": spool_loader,
}  # fmt: skip


class ObstorePhotos(Photos):
    """The same with obstore, a client in Rust."""

    def read(self, i):
        if self.client is None:
            from obstore.store import S3Store

            options = {"allow_http": True}
            self.client = S3Store(self.bucket, endpoint=self.endpoint, region="us-east-1", client_options=options)
        return self.client.get(self.key(i)).bytes()


class ConnectorPhotos(Photos):
    """The same with the client of s3-connector-for-pytorch, in C."""

    def read(self, i):
        if self.client is None:
            from s3torchconnector import S3ClientConfig
            from s3torchconnector._s3client import S3Client

            config = S3ClientConfig(force_path_style=True)
            self.client = S3Client("us-east-1", endpoint=self.endpoint, s3client_config=config)
        return self.client.get_object(self.bucket, self.key(i)).read()


CLIENTS = {"boto3": Photos, "s3fs": S3fsPhotos, "obstore": ObstorePhotos, "s3torchconnector": ConnectorPhotos}


def client(name, a):
    """Measure the cost of reading a photo for a client, in threads that do nothing else."""
    photos = CLIENTS[name](a)
    photos.read(0)
    with concurrent.futures.ThreadPoolExecutor(a.fetchers) as threads:
        cpu, begin = times(), time.perf_counter()
        for _ in threads.map(photos.read, range(a.images)):
            pass
        took = time.perf_counter() - begin
    return {"client": name, "us": round(1e6 * (times() - cpu) / a.images), "rate": round(a.images / took)}


def times():
    return sum(os.times()[:4])


def digest(image):
    return hashlib.sha256(image.permute(1, 2, 0).contiguous().numpy().tobytes()).hexdigest()


def check(a):
    """Compare the loader's pixels with those of --want."""
    once = argparse.Namespace(**{**vars(a), "bucket": "ms0", "images": a.count})
    lines = []
    for images, numbers in LOADERS[a.loader](once):
        lines += [f"{number} {digest(image)}" for image, number in zip(images, numbers.tolist(), strict=True)]
    with open(a.want) as want:
        if sorted(lines) != sorted(want.read().splitlines()):
            raise SystemExit(f"{a.loader}: its photos are not torchvision's")


def measure(a):
    if a.want:
        check(a)
    cpu, start = times(), time.perf_counter()
    first = items = begun = 0
    for images, _ in LOADERS[a.loader](a):
        items += len(images)
        if not first:
            first, begun = time.perf_counter(), items
    end = time.perf_counter()
    if items < a.images:  # some loaders only log failures
        raise SystemExit(f"{a.loader}: only {items} of {a.images} photos were loaded")
    memory = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
    return {
        "peer": a.loader, "items": items, "rate": round((items - begun) / (end - first), 2) if items > begun else 0,
        "ttfb_s": round(first - start, 3), "cpu_ms": round(1e3 * (times() - cpu) / items, 4), "rss_mb": memory,
        "wall_s": round(end - start, 3),
    }  # fmt: skip


def serve():
    """Run command lines from stdin. They share only the imported packages."""
    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as said:
            child = os.fork()
            if child == 0:
                json.dump(answer(json.loads(line)), said)
                return
            _, status = os.waitpid(child, 0)
            said.seek(0)
            ended = {"error": f"the process ended with {os.waitstatus_to_exitcode(status)}"}
            print(said.read() or json.dumps(ended), flush=True)


def answer(line):
    """Return the output of a command line, or its error."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            run(line)
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {"output": out.getvalue()}


def run(line):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("loader", choices=[*LOADERS, *(f"client-{name}" for name in CLIENTS), "photos", "versions"])
    parser.add_argument("files", nargs="*")
    numbers = {"batch": 32, "size": 224, "workers": 2, "fetchers": 64, "pool": 0, "count": 0, "images": 0}
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--endpoint")
    parser.add_argument("--bucket")
    parser.add_argument("--want")
    a = parser.parse_intermixed_args(line)
    torch.set_num_threads(1)
    os.environ.update(
        AWS_ACCESS_KEY_ID="benchmark", AWS_SECRET_ACCESS_KEY="benchmark", AWS_REGION="us-east-1",
        AWS_ENDPOINT_URL=a.endpoint or "", AWS_EC2_METADATA_DISABLED="true",
    )  # fmt: skip
    if a.loader == "versions":
        print(json.dumps({package: importlib.metadata.version(package) for package in PACKAGES}))
    elif a.loader == "photos":
        for i, file in enumerate(a.files):
            print(i, digest(pixels(read_file(file).numpy().tobytes(), a.size)))
    elif a.loader.startswith("client-"):
        print(json.dumps(client(a.loader.removeprefix("client-"), a)))
    else:
        print(json.dumps(measure(a)))


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        serve()
    else:
        run(sys.argv[1:])
