"""sortlast: composite the images of a sort-last parallel renderer over MPI.

::

    from mpi4py import MPI
    import sortlast

    comp = sortlast.Compositor(MPI.COMM_WORLD)
    order = sortlast.visibility_order(MPI.COMM_WORLD, bounds, eye)
    tile = comp.composite(image, op="over", order=order)
    frame = comp.gather(tile, root=0)
"""

from importlib.metadata import version as _version

from sortlast import _oversubscription, schedule
from sortlast._core import Event, Timing
from sortlast._errors import ArgumentError, Error, MismatchError, MpiError, TimeoutError  # noqa: A004
from sortlast.serial import composite_serial, execute_serial

_oversubscription.relax()

from sortlast.compositor import Compositor, Tile, visibility_order  # noqa: E402

__version__ = _version("sortlast")

__all__ = [
    "ArgumentError",
    "Compositor",
    "Error",
    "Event",
    "MismatchError",
    "MpiError",
    "Tile",
    "TimeoutError",
    "Timing",
    "__version__",
    "composite_serial",
    "execute_serial",
    "schedule",
    "visibility_order",
]
