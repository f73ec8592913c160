"""What ``sortlast view`` starts on every rank; it is asked what :func:`sortlast.cli.view.run` takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sortlast import launch
from sortlast.cli import view
from sortlast.view import Controls, Settings
from sortlast.view.film import Film

if TYPE_CHECKING:
    from mpi4py import MPI


def show(comm: MPI.Intracomm, asked: Any) -> None:
    """Show the data or record them. Communicates."""
    settings, first = Settings(**asked["settings"]), Controls(**asked["first"])
    if asked["film"] is None:
        view.serve(comm, settings, first, asked["host"], asked["port"], Path(asked["cause"]))
        return
    film = asked["film"]
    made = Film(Path(film["path"]), tuple(film["size"]), film["frames"], film["rate"])
    view.write(comm, settings, first, made)


if __name__ == "__main__":
    launch.serve(show, alike=True)
