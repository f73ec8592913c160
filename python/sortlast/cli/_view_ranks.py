"""What ``sortlast view`` starts on every rank; it is asked what :func:`sortlast.cli.view.run` takes."""

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
    made = Film(Path(film["path"]), tuple(film["size"]), film["frames"], film["rate"])
    view.write(comm, settings, first, made)


def keep_no_freed_images() -> None:
    """Have the C library give the memory of freed images back, where it is glibc.

    Images change their size whenever quality falls or returns, and the threads that draw them would keep
    the pieces of the old ones, each in an arena of its own: rank 0 grew by 2 MB a change.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, 2**16)


if __name__ == "__main__":
    keep_no_freed_images()
    launch.serve(show, alike=True)
