"""Which of several processes this is."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any


def rank_of(options: Mapping[str, Any]) -> dict[str, int]:
    """Give rank and world where options do not and torch.distributed or the environment does.

    The library looks for other variables of the environment.
    """
    if "rank" in options or "world" in options:
        return {}
    torch = sys.modules.get("torch.distributed")
    if torch is not None and torch.is_available() and torch.is_initialized():
        return {"rank": torch.get_rank(), "world": torch.get_world_size()}
    rank, world = os.environ.get("RANK"), os.environ.get("WORLD_SIZE")
    if rank is None or world is None:
        return {}
    try:
        return {"rank": int(rank), "world": int(world)}
    except ValueError:
        raise ValueError(f"RANK={rank} and WORLD_SIZE={world} of the environment are no numbers") from None
