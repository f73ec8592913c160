"""One rank of a loop of frames in which a rank dies: what this one met, in a file of its own.

``python dead_rank.py FOLDER SETTINGS`` composites frames whose right pixels it knows until a call raises. It
reports that, and goes on without MPI's end, which waits for the dead. Settings are those of
:class:`test_dead_ranks.Death`, as JSON.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

import sortlast

SHAPE = (96, 128, 4)
STEPS = 8  # frames after which the images repeat
STAY = 60.0  # longest wait to be let go [s]

# A launcher may end all ranks once one has ended without MPI_Finalize, so all stay until all have reported.
GO = "go"


def write(path: Path, value: object) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value))
    part.rename(path)


def is_right(frame: np.ndarray, ranks: int, step: int) -> bool:
    """Whether the pixels are those of all ranks added: multiples of 2^-12, so the sum is exact."""
    return bool((frame == ranks * (ranks + 1) / 2 * (step + 1) / 4096).all())


def image(rank: int, step: int) -> np.ndarray:
    return np.full(SHAPE, (rank + 1) * (step + 1) / 4096, np.float32)


def frames(comp: sortlast.Compositor, comm: MPI.Intracomm, report: dict[str, Any]) -> None:
    """Composite until something raises."""
    images = [image(comm.rank, step) for step in range(STEPS)]
    while True:
        step = report["frames"] % STEPS
        tile = comp.composite(images[step], op="add")
        right = is_right(tile.pixels, comm.size, step)
        if step % 3 == 0:
            frame = comp.gather(tile)
            right = right and (frame is None or is_right(frame, comm.size, step))
        report["wrong"] += not right
        report["frames"] += 1


def goes_on(comm: MPI.Intracomm, limit: float) -> list[Any]:
    """Composite with the survivors alone, on a communicator of theirs; their number, and if it is right."""
    comm.Revoke()
    rest = comm.Shrink()
    with sortlast.Compositor(rest, timeout=limit) as comp:
        tile = comp.composite(image(rest.rank, 0), op="add")
        return [rest.size, is_right(tile.pixels, rest.size, 0)]


def main(folder: Path, settings: dict[str, Any]) -> None:
    comm = MPI.COMM_WORLD
    crash = (folder / f"{comm.rank}.crash").open("w")
    faulthandler.enable(crash)
    limit = settings["limit"]
    comp = sortlast.Compositor(comm, settings["algorithm"], timeout=limit, node_ranks=settings["node_ranks"])
    report: dict[str, Any] = {"frames": 0, "wrong": 0}
    write(folder / f"{comm.rank}.ready", os.getpid())
    try:
        frames(comp, comm, report)
    except Exception as error:
        report |= {"at": time.monotonic(), "error": [type(error).__name__, str(error)]}

    # The next call fails at once, and the end of the compositor waits for nobody.
    begin = time.monotonic()
    try:
        comp.composite(image(comm.rank, 0), op="add")
    except Exception as error:
        report["again"] = [type(error).__name__, str(error)]
    comp.close()
    report["end"] = time.monotonic() - begin
    if settings["ulfm"]:
        try:
            report["rest"] = goes_on(comm, 10 * limit)
        except Exception as error:
            report["rest"] = [type(error).__name__, str(error)]
    write(folder / f"{comm.rank}.json", report)
    stay = time.monotonic() + STAY
    while not (folder / GO).exists() and time.monotonic() < stay:
        time.sleep(0.02)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
