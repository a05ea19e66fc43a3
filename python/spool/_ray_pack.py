"""Packing over a Ray cluster: a task writes some of the shards."""

from __future__ import annotations

import contextlib
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

import ray
import ray.exceptions

from .errors import Error

_COPIED_AFTER: Final = 3  # finished tasks, whose time says what is slow
_CANCELLED_WITHIN: Final = 0.2  # seconds


class _KilledError(RuntimeError):
    """The command was killed by a signal."""


def _run(command: str, arguments: Sequence[str], out: str, first: int, last: int, workers: int) -> dict[str, Any]:
    """Write the shards first to last - 1, and return the command's report of them."""
    words = [command, "pack", *arguments, "--out", out, "--only-shards", f"{first}..{last}"]
    code, output, errors = _wait([*words, "--workers", str(workers), "--json"])
    if code < 0:
        raise _KilledError(f"{command} pack was ended by signal {-code}")
    if code:
        raise Error(errors.strip().rpartition("\n")[2] or f"{command} pack: exit code {code}")
    return cast("dict[str, Any]", json.loads(output))


def _wait(words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command, and kill it when the task is cancelled. Return its exit code, output and errors.

    Ray raises KeyboardInterrupt in a cancelled task between two instructions of Python, never inside a system call. The
    exception is lost if Python is in a finalizer at that time, so the task's state is asked for, too.
    """
    context = ray.get_runtime_context()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            while not context.is_canceled():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    output, errors = process.communicate(timeout=_CANCELLED_WITHIN)
                    return process.returncode, output, errors
            raise ray.exceptions.TaskCancelledError
        except BaseException:
            process.kill()
            process.wait()  # which leaving the block does not do after KeyboardInterrupt
            raise


def _finish(out: str, shards: list[dict[str, Any]]) -> dict[str, Any]:
    """Write the manifest, which the command would write, and remove what killed copies of tasks left."""
    folder = Path(out)
    plan = (folder / "plan.json").read_text(encoding="utf-8").removesuffix("\n}")
    listed = json.dumps(shards, indent=2).replace("\n", "\n  ")
    text = f'{plan},\n  "shards": {listed}\n}}\n'
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".manifest.json", delete=False, encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).chmod(0o644)
    Path(file.name).replace(folder / "manifest.json")
    for left in folder.glob("*.part"):
        left.unlink(missing_ok=True)
    return cast("dict[str, Any]", json.loads(text))


class _Tasks:
    """The tasks of one pack: which run, since when, and which are done."""

    def __init__(self, write: Any, num_cpus: float, count: int, each: int | None) -> None:
        self._write, self._num_cpus = write, num_cpus
        each = each or max(1, count // (4 * self._slots()))
        self._waiting = deque((first, min(count, first + each)) for first in range(0, count, each))
        self._running: dict[Any, tuple[tuple[int, int], float]] = {}
        self._seconds: list[float] = []
        self.parts: dict[tuple[int, int], list[dict[str, Any]]] = {}

    def _slots(self) -> int:
        return max(1, int(ray.cluster_resources().get("CPU", 1) / self._num_cpus))  # nodes come and go

    def _start(self, part: tuple[int, int]) -> None:
        self._running[self._write(*part)] = part, time.monotonic()

    def _copy(self, slower: float) -> None:
        """Start a second copy of each task that takes much longer than others."""
        parts = [part for part, _ in self._running.values()]
        usual = statistics.median(self._seconds)
        for part, since in list(self._running.values()):
            if len(self._running) >= self._slots():
                return
            if parts.count(part) == 1 and time.monotonic() - since > slower * usual:
                self._start(part)

    def run(self, slower: float) -> None:
        """Run all tasks. A second copy starts when a task takes this many times as long as the usual one."""
        try:
            while self._waiting or self._running:
                while self._waiting and len(self._running) < self._slots():
                    self._start(self._waiting.popleft())
                if not self._waiting and len(self._seconds) >= _COPIED_AFTER:
                    self._copy(slower)
                done, _ = ray.wait(list(self._running), num_returns=1, timeout=0.5)
                for one in done:
                    self._took(one)
        finally:
            self._stop(list(self._running))

    def _took(self, one: Any) -> None:
        """Take the result of a task, and stop its copies."""
        if one not in self._running:  # a copy that was stopped
            return
        part, since = self._running.pop(one)
        made: Any = ray.get(one)
        self.parts[part] = made["shards"]
        self._seconds.append(time.monotonic() - since)
        copies = [other for other, (its, _) in self._running.items() if its == part]
        for other in copies:
            del self._running[other]
        self._stop(copies)

    @staticmethod
    def _stop(tasks: list[Any]) -> None:
        for task in tasks:
            ray.cancel(task)
        for task in tasks:  # until the command has ended, so that it leaves nothing
            with contextlib.suppress(ray.exceptions.RayError, Error):
                ray.get(task, timeout=60)


def pack(
    arguments: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    command: str = "spool",
    num_cpus: float = 1,
    shards_per_task: int | None = None,
    retries: int = 3,
    slower: float = 3,
) -> dict[str, object]:
    """Pack samples into shards, by tasks on all nodes of a Ray cluster.

    A task calls ``spool pack --only-shards`` for some of the shards. The result is that of ``spool pack`` in one
    process, byte for byte. A shard is in the folder as a whole or not at all. A task whose node, worker or command is
    killed runs again. At the end, slow tasks get a second copy on free CPUs, and the copy that is done first counts. A
    call with the same arguments continues where an earlier one ended.

    Every task lists the sources: for many samples, make a table first by ``spool list --out FILE.arrow``.

    Args:
        arguments: those of ``spool pack``: sources and flags, but ``--out``, ``--workers``, ``--only-shards``,
            ``--split`` and ``--json``. Relative paths begin where Ray's workers run: give absolute ones.
        out: folder of the shards, which all nodes reach under this path.
        command: the command on all nodes. Default: ``spool``, by PATH.
        num_cpus: CPUs of a task, which writes as many shards at a time. Default: 1.
        shards_per_task: how many shards a task writes. Default: a quarter of a CPU's share.
        retries: how often a task that was killed runs again. Default: 3.
        slower: a second copy of a task starts when it takes this many times as long as others. Default: 3.

    Returns:
        The manifest, which ``spool verify`` compares with the shards.

    Raises:
        spool.Error: the command failed, for example because a sample cannot be read. Finished shards stay.
    """
    words, folder = [os.fspath(word) for word in arguments], os.fspath(out)
    limits: dict[str, Any] = {"max_retries": retries, "retry_exceptions": [_KilledError]}
    task = ray.remote(num_cpus=num_cpus, **limits)(_run)
    workers = max(1, math.ceil(num_cpus))

    def write(first: int, last: int) -> Any:
        return task.remote(command, words, folder, first, last, workers)

    try:
        nothing: Any = ray.get(write(0, 0))
        tasks = _Tasks(write, num_cpus, nothing["count"], shards_per_task)
        tasks.run(slower)
    except ray.exceptions.RayTaskError as e:
        if isinstance(e.cause, Error):
            raise e.cause from None
        raise
    shards = [shard for _, part in sorted(tasks.parts.items()) for shard in part]
    finish = ray.remote(num_cpus=num_cpus, **limits)(_finish)
    made: dict[str, Any] = ray.get(finish.remote(folder, shards))
    return made
