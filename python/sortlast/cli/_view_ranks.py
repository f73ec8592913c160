"""The ranks of ``sortlast view``; their settings are the arguments of :func:`sortlast.cli.view.run`."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import view
from sortlast.view import Controls, Settings
from sortlast.view.film import Film

if TYPE_CHECKING:
    from mpi4py import MPI

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of malloc.h


def show(comm: MPI.Intracomm, asked: Any) -> None:
    """Show the data or record them. Communicates."""
    settings, first = Settings(**asked["settings"]), Controls(**asked["first"])
    if asked["film"] is None:
        view.serve(comm, settings, first, asked["host"], asked["port"])
        return
    film = asked["film"]
    made = Film(Path(film["path"]), tuple(film["size"]), film["frames"])
    view.write(comm, settings, first, made)


def keep_no_freed_images() -> None:
    """Make glibc return the memory of freed images to the system.

    Images change size whenever the quality changes. The threads that draw them would keep freed pieces, each
    in its own arena: rank 0 grew by 2 MB per change.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, 2**16)


if __name__ == "__main__":
    keep_no_freed_images()
    launch.serve(show, alike=True)
