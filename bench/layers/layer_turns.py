"""Check peers, measure their memory and the bytes they send, and time their frames alternately."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median

import numpy as np

from sortlast import Error
from sortlast.bench import memory, origin
from sortlast.bench.turns import time_frames

WARM_UPS = 2
_MEASURED = 3  # frames in which memory is watched


class Peer(ABC):
    """One method to make a frame of all ranks' data at rank 0. Its calls are collective."""

    name: str

    @abstractmethod
    def frame(self) -> None:
        """Make a frame; this is timed."""

    @abstractmethod
    def result(self) -> np.ndarray | None:
        """At rank 0, the last frame (height, width, 4), float32 or uint8; undefined elsewhere."""

    @abstractmethod
    def bytes_sent(self) -> int:
        """Bytes that this rank sent for the last frame, in messages."""

    def loss(self) -> float:
        """Maximum difference from the correct frame due to rounding of colours on the way."""
        return 0.0

    def close(self) -> None:  # noqa: B027  (most have nothing to release)
        """Release the resources of frame()."""


Maker = Callable[[], Peer]


def measure(comm, makers: Sequence[Maker], answer: np.ndarray, bound: float, frames: int) -> list[dict]:
    """A row for each peer; the same on every rank. Communicates.

    ``answer``: the correct frame, used at rank 0. ``bound``: maximum difference of a float32 frame from it.
    Raises sortlast.Error on every rank if an answer is wrong.
    """
    rows = [_check(comm, make, answer, bound) for make in makers]
    peers = [make() for make in makers]
    seconds = time_frames(comm, peers, frames, lambda share: None, WARM_UPS)
    for row, peer, wall, work in zip(rows, peers, *seconds, strict=True):
        row |= {
            "frames": frames,
            "median_ms": 1e3 * median(wall),
            "min_ms": 1e3 * float(wall.min()),
            "max_ms": 1e3 * float(wall.max()),
            "cpu_ms": 1e3 * median(work),
        }
        peer.close()
    made_by = asdict(origin(comm))
    return [row | made_by for row in rows]


def _check(comm, make: Maker, answer: np.ndarray, bound: float) -> dict:
    """Difference from the correct result, bytes sent and memory used by one peer alone."""
    peer = make()
    for _ in range(WARM_UPS):
        peer.frame()
    error = comm.bcast(_error(peer.result(), answer) if comm.rank == 0 else None)
    allowed = bound + peer.loss()
    if not error <= allowed:
        raise Error(
            f"{peer.name} is wrong: it differs from the right frame by {error:g}, more than {allowed:g}"
        )
    sent = comm.allreduce(peer.bytes_sent())

    memory.reset_peak()
    for _ in range(_MEASURED):
        comm.Barrier()
        peer.frame()
    comm.Barrier()
    peak = memory.peak()
    comm.Barrier()
    peer.close()
    name = peer.name
    del peer
    comm.Barrier()
    after = memory.resident()
    taken = None if peak is None or after is None else max(0, peak - after)
    known = [bytes_ for bytes_ in comm.allgather(taken) if bytes_ is not None]
    return {
        "peer": name,
        "max_abs_error": error,
        "bytes_sent": sent,
        "peak_bytes": max(known, default=None),
    }


def _error(frame: np.ndarray, answer: np.ndarray) -> float:
    scale = 255.0 if frame.dtype == np.uint8 else 1.0
    return float(np.abs(frame.reshape(answer.shape) / scale - answer).max())


def write(rows: Sequence[dict], path: Path | None) -> None:
    """Add rows to the JSON file."""
    if path is None:
        return
    before = json.loads(path.read_text()) if path.exists() else []
    path.write_text(json.dumps([*before, *rows], indent=1))


def table(rows: Sequence[dict]) -> str:
    """The rows of one cell as lines, with the ratio to the first."""
    first = rows[0]["median_ms"]
    lines = [
        f"{'peer':34} {'ms':>9} {'min':>9} {'ratio':>6} {'CPU ms':>9} {'sent MB':>9} {'x floor':>8}"
        f" {'peak MB':>9} {'error':>9}"
    ]
    for row in rows:
        peak = "" if row["peak_bytes"] is None else f"{row['peak_bytes'] / 1e6:.1f}"
        lines.append(
            f"{row['peer']:34} {row['median_ms']:9.2f} {row['min_ms']:9.2f} {row['median_ms'] / first:6.2f}"
            f" {row['cpu_ms']:9.1f} {row['bytes_sent'] / 1e6:9.2f}"
            f" {row['bytes_sent'] / max(1, row['floor_bytes']):8.2f} {peak:>9} {row['max_abs_error']:9.2e}"
        )
    return "\n".join(lines)
