"""The compared loaders: a module for each medium, and one for spool from Python.

A peer is a function that takes a Work, imports and sets up what it needs, and returns a function that loads. Only the
returned function is timed.
"""

from __future__ import annotations

import importlib

from .work import Peer

# The modules with the peers of each work.
MODULES = {
    "images": ["images", "own"],
    "train": ["images", "own"],
    "video": ["video", "own"],
    "videofull": ["video"],
    "audio": ["audio"],
}


def _peers(work: str) -> dict[str, Peer]:
    found: dict[str, Peer] = {}
    for module in MODULES[work]:
        found |= importlib.import_module(f".{module}", __name__).PEERS[work]
    return found


def names(work: str) -> list[str]:
    return list(_peers(work))


def find(work: str, name: str) -> Peer:
    peers = _peers(work)
    if name not in peers:
        raise SystemExit(f"{work} has no peer {name}, only {', '.join(peers)}")
    return peers[name]
