"""sortlast: composite the images of a sort-last parallel renderer over MPI.

::

    from mpi4py import MPI
    import sortlast

    comp = sortlast.Compositor(MPI.COMM_WORLD)
    order = sortlast.visibility_order(MPI.COMM_WORLD, bounds, eye)
    tile = comp.composite(image, op="over", order=order)
    frame = comp.gather(tile, root=0)  # on rank 0; its colours are frame.colour
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

from sortlast import schedule
from sortlast._core import DeviceArray, Event, Timing
from sortlast._errors import (
    ArgumentError,
    Error,
    MismatchError,
    MissingExtraError,
    MpiError,
    RemoteError,
    TimeoutError,  # noqa: A004
    UsageError,
)
from sortlast._fragments import Fragments
from sortlast._frame import Frame
from sortlast.compositor import Compositor
from sortlast.protocols import Tile
from sortlast.serial import composite_layers_serial, composite_serial, execute_serial
from sortlast.visibility import BoxPositions, SplitTree, visibility_order, visibility_positions

if TYPE_CHECKING:
    __version__: str
    from sortlast import fabric, simulate, trace, tune

# Parts that are imported when they are first used.
_PARTS = ("fabric", "simulate", "trace", "tune")


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return _import_module(f"sortlast.{name}")
    if name == "__version__":
        return _import_module("importlib.metadata").version("sortlast")
    raise AttributeError(f"module 'sortlast' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PARTS, "__version__"})


__all__ = [
    "ArgumentError",
    "BoxPositions",
    "Compositor",
    "DeviceArray",
    "Error",
    "Event",
    "Fragments",
    "Frame",
    "MismatchError",
    "MissingExtraError",
    "MpiError",
    "RemoteError",
    "SplitTree",
    "Tile",
    "TimeoutError",
    "Timing",
    "UsageError",
    "__version__",
    "composite_layers_serial",
    "composite_serial",
    "execute_serial",
    "fabric",
    "schedule",
    "simulate",
    "trace",
    "tune",
    "visibility_order",
    "visibility_positions",
]
