"""Clusters of Ray whose nodes are processes of this machine."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import need

ray = need.peer("ray")

from ray.cluster_utils import Cluster  # noqa: E402

MEMORY = {"object_store_memory": 80 << 20}


@contextmanager
def running(head: dict[str, Any], *nodes: dict[str, Any], path: str = "", **environment: str) -> Iterator[Cluster]:
    """Run a cluster and connect to it.

    Args:
        head: the head node's arguments.
        nodes: the arguments of the other nodes.
        path: a folder that workers import from, beside those of the tests.
        environment: further environment variables of the workers.
    """
    cluster = Cluster(initialize_head=True, head_node_args={"include_dashboard": False, **MEMORY, **head})
    for node in nodes:
        cluster.add_node(**MEMORY, **node)
    # pytest imports test modules under a name that the workers do not know.
    tests = Path(__file__).parent
    paths = [path, str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")]
    variables = {"PYTHONPATH": ":".join(filter(None, paths)), **environment}
    ray.init(
        address=cluster.address,
        logging_level=logging.ERROR,
        log_to_driver=False,
        runtime_env={"env_vars": variables},
    )
    try:
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition for at most five minutes."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
