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

IMAGE_BYTES = 4096 * 2048 * 16  # RGBA of float32, as in Figures 4 to 6 and 9 of the shift paper


@dataclass(frozen=True)
class Settings:
    """What to measure.

    ``message_bytes``: size of a message; None: 1/p of an image, as in a shift. ``repeat``: timed runs of each
    stage.
    """

    message_bytes: int | None
    repeat: int

    def bytes_for(self, p: int) -> int:
        """Bytes of a message among p ranks."""
        return max(IMAGE_BYTES // p, 1) if self.message_bytes is None else self.message_bytes


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
