"""The rank and the world size of this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any


def rank_of(options: Mapping[str, Any]) -> dict[str, int]:
    """Return rank and world from torch.distributed or the environment, unless the options have them.

    The library itself reads the other variables of the environment.

    Args:
        options: options of a loader.

    Returns:
        ``rank`` and ``world``, or an empty dict.

    Raises:
        ValueError: RANK or WORLD_SIZE is not an integer.
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
        raise ValueError(f"RANK={rank} and WORLD_SIZE={world} in the environment are not integers") from None
