"""The cost of a message and of a byte of blending: measured on one machine, kept in ``machine.csv``.

All frames on the current fabric are simulated with the kept figures, so that results are the same everywhere.
The study repeats the measurement on the machine that it runs on, and shows both. :func:`write` measures with
two ranks and writes the file.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import launch, tune
from sortlast.schedule import Machine
from sortlast_studies.steps import Json, Step, on_ranks

if TYPE_CHECKING:
    from mpi4py import MPI

FIGURES = ("node_alpha", "gamma_read", "gamma_write")  # per message [s], per byte read and written [s]
_RANKS = 2
_SECONDS = 3.0
_TIMEOUT = 60.0


@cache
def kept() -> Machine:
    """The figures used by the simulations: messages cost as much as between two ranks of the machine."""
    text = files("sortlast_studies.scale").joinpath("machine.csv").read_text(encoding="utf-8")
    found = {row["figure"]: float(row["value"]) for row in csv.DictReader(text.splitlines())}
    return Machine(
        alpha=found["node_alpha"],
        node_alpha=found["node_alpha"],
        gamma_read=found["gamma_read"],
        gamma_write=found["gamma_write"],
    )


def blend_rate(machine: Machine, joined: float = 1) -> float:
    """Bytes of fragments per second that a rank joins to others, ``joined`` of them in one pass over memory.

    A pass reads each joined byte, and reads and writes one accumulated byte for all of them.
    """
    return 1 / (machine.gamma_read * (1 + 1 / joined) + machine.gamma_write / joined)


def step() -> Step:
    """The step that repeats the measurement on this machine."""
    return on_ranks("machine", __name__, {}, _RANKS, _TIMEOUT, work=1000)


def measure(comm: MPI.Intracomm, asked: Json) -> Json:
    """The figures of this machine by name: minimum, median and maximum. Collective."""
    report = tune.measure(comm, _SECONDS, node_ranks=1)
    sides = (report.low, report.machine, report.high)
    return {name: [getattr(each, name) for each in sides] for name in FIGURES}


def write() -> None:
    """Measure and replace ``machine.csv`` in the folder of this module."""
    found = launch.ranks(__name__, {}, _RANKS, _TIMEOUT)
    lines = [f"{name},{found[name][1]:.4g},s" for name in FIGURES]
    path = Path(__file__).with_name("machine.csv")
    path.write_text("\n".join(["figure,value,unit", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    launch.serve(measure)
