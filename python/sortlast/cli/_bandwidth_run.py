"""Measures bandwidths on the ranks of the user's mpiexec, or on ranks started here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import launch
from sortlast.cli import _progress
from sortlast.provenance import Provenance

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast.bandwidth import Bandwidths

PIXEL_BYTES = 16  # RGBA of float32


@dataclass(frozen=True)
class Settings:
    """What to measure.

    ``message_bytes``: size of a message; None: 1/p of an image of ``pixels``, as in a shift.
    ``repeat``: timed runs of each stage.
    """

    message_bytes: int | None
    pixels: int
    repeat: int

    def bytes_for(self, p: int) -> int:
        """Bytes of a message among p ranks; for an image, at least one pixel."""
        if self.message_bytes is not None:
            return self.message_bytes
        return PIXEL_BYTES * max(-(-self.pixels // p), 1)


@dataclass(frozen=True)
class Measured:
    """The bandwidths, and their provenance."""

    bandwidths: Bandwidths
    origin: Provenance


def measure(comm: MPI.Intracomm, settings: Settings) -> Measured:
    """Measure on the ranks of ``comm`` with a progress bar on rank 0's standard error. Communicates."""
    from sortlast import bandwidth, bench

    with _progress.bar(f"stages of {comm.size} ranks", enabled=comm.rank == 0) as bar:
        found = bandwidth.measure(
            comm,
            settings.bytes_for(comm.size),
            settings.repeat,
            lambda done, total: bar.tell(f"{done}/{total}", done, total),
        )
    return Measured(found, bench.origin(comm))


def started(ranks: int, settings: Settings) -> Measured:
    """Measure on ranks started here. Raises RanksError if they fail."""
    from sortlast.bandwidth import Bandwidths

    told = launch.ranks("sortlast.cli._bandwidth_ranks", asdict(settings), ranks)
    found = Bandwidths(np.array(told["matrix"]), told["names"], told["message_bytes"])
    return Measured(found, Provenance(**told["provenance"]))


def as_json(found: Bandwidths) -> dict[str, Any]:
    """A complete matrix, with bandwidths in bytes per second."""
    return {
        "p": found.p,
        "message_bytes": found.message_bytes,
        "minimum": found.minimum,
        "mean": found.mean,
        "maximum": found.maximum,
        "names": found.names,
        "matrix": found.matrix.tolist(),
    }
