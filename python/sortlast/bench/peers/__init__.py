"""The peers: one file each, listed here in the order of the tables."""

from __future__ import annotations

from sortlast.bench.peer import Peer
from sortlast.bench.peers.compositor import Allocated, Messages, Sortlast
from sortlast.bench.peers.icet import IceT
from sortlast.bench.peers.memory_copy import MemoryCopy
from sortlast.bench.peers.minigraphics import MiniGraphics
from sortlast.bench.peers.mpi_allreduce import MpiAllreduce
from sortlast.bench.peers.mpi_reduce import MpiReduce
from sortlast.bench.peers.mpi_reduce_scatter import MpiReduceScatter
from sortlast.bench.peers.network import Network
from sortlast.bench.peers.shared_window import SharedWindow

_CLASSES: tuple[type[Peer], ...] = (
    Sortlast,
    Allocated,
    Messages,
    IceT,
    MiniGraphics,
    MpiReduce,
    MpiReduceScatter,
    MpiAllreduce,
    MemoryCopy,
    Network,
    SharedWindow,
)
PEERS: dict[str, type[Peer]] = {peer.name: peer for peer in _CLASSES}

__all__ = ["PEERS"]
