"""Seconds to read VTK's framebuffer back: ``python -m ...readback SETTINGS REPORT``.

It runs in a separate process, on one rank, because rendering without a display is chosen for a whole process.
Settings: ``sizes`` ([width, height]) and ``repeat``. The report is a list with one entry per size: seconds by
format, one value per repetition, for "RGBA8", the paper's format, and "RGBA32F", the format of the library's
renderers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sortlast import Error, launch
from sortlast.render import check_offscreen
from sortlast.render.arrays import to_numpy
from sortlast_studies.steps import Json

if TYPE_CHECKING:
    from mpi4py import MPI


def measure(comm: MPI.Intracomm, settings: Json) -> Json:
    """All sizes in both formats. Raises :class:`sortlast.Error` if VTK or OSMesa is missing."""
    check_offscreen()
    return [_seconds((width, height), settings["repeat"]) for width, height in settings["sizes"]]


def _seconds(size: tuple[int, int], repeat: int) -> dict[str, list[float]]:
    from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray

    window = _window(size)
    area = (0, 0, size[0] - 1, size[1] - 1)
    reads: dict[str, Callable[[], object]] = {
        "RGBA8": lambda: window.GetRGBACharPixelData(*area, 0, vtkUnsignedCharArray()),
        "RGBA32F": lambda: window.GetRGBAPixelData(*area, 0, vtkFloatArray()),
    }
    found: dict[str, list[float]] = {name: [] for name in reads}
    for _ in range(repeat):
        for name, read in reads.items():
            window.Render()
            window.WaitForCompletion()
            begin = time.perf_counter()
            read()
            found[name].append(time.perf_counter() - begin)
    if not np.any(_pixels(window, area)):
        raise Error(f"VTK rendered nothing at {size[0]}x{size[1]}: its framebuffer is black")
    return found


def _pixels(window: Any, area: tuple[int, int, int, int]) -> npt.NDArray[np.uint8]:
    from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

    values = vtkUnsignedCharArray()
    window.GetRGBACharPixelData(*area, 0, values)
    return to_numpy(values)


def _window(size: tuple[int, int]) -> Any:
    """A window filled by a scene."""
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the window classes)
    from vtkmodules.vtkFiltersSources import vtkSphereSource
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow

    sphere = vtkSphereSource()
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(sphere.GetOutputPort())
    actor = vtkActor()
    actor.SetMapper(mapper)
    scene = vtkRenderer()
    scene.AddActor(actor)
    window = cast(Any, vtkRenderWindow())  # actually an OpenGL window
    window.OffScreenRenderingOn()
    window.SetMultiSamples(0)
    window.SetAlphaBitPlanes(1)
    window.SetSize(*size)
    window.AddRenderer(scene)
    return window


if __name__ == "__main__":
    launch.serve(measure)
