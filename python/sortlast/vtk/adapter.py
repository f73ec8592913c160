"""Images of one rank's VTK window that can be composited with images of other ranks. Does not use MPI."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortlast import _extras
from sortlast._errors import ArgumentError
from sortlast.vtk import parts, pixels, scene


class Picture(NamedTuple):
    """An image of this rank's part of a scene, top row first."""

    colour: NDArray[np.uint8]
    """(H, W, 4), premultiplied; all channels are 0 where the scene is empty."""
    depth: NDArray[np.float32]
    """(H, W), 0 near to 1 far between the camera's clipping planes; +inf where the scene is empty."""
    bounds: tuple[int, int, int, int]
    """Half-open rectangle of pixels (x0, y0, x1, y1) that contains everything drawn."""
    box: tuple[float, float, float, float, float, float] | None
    """(xmin, xmax, ymin, ymax, zmin, zmax) of the part; None if it is empty."""


def image(window: Any) -> Picture:
    """Render a ``vtkRenderWindow`` and return an image to composite, without background and annotations.

    Cameras and clipping ranges must be the same on every rank; otherwise depths of different ranks cannot be
    compared. The window renders once and is left unchanged, except for its pixels. ``colour``, ``depth`` and
    ``bounds`` are arguments of ``Compositor.composite``, ``box`` is an argument of ``visibility_order``.

    Raises:
        ArgumentError: ``window`` is no ``vtkRenderWindow``, renders in stereo or with a render pass, or has
            size 0.
        MissingExtraError: VTK is not installed.
    """
    check_window(window)
    renderers = scene.composed(window)
    scene.refuse_what_needs_one_rank(window, renderers)
    with ExitStack() as prepared:
        prepared.enter_context(scene.one_sample(window))
        others = [each for each in scene.all_renderers(window) if each not in renderers]
        for renderer in others:
            prepared.enter_context(scene.turned(renderer, "Draw", False))
        for renderer in renderers:
            prepared.enter_context(scene.part_alone(renderer))
        window.Render()
        boxes = [parts.part(renderer, None, {}).box for renderer in renderers]
        width, height = window.GetActualSize()
        reader = pixels.Reader()
        colour: NDArray[np.uint8] = np.ascontiguousarray(
            reader.colours(window, (0, 0, width, height), floats=False)[::-1]
        )
        depth = np.ascontiguousarray(reader.depths(window, (0, 0, width, height))[::-1])
    return Picture(colour, depth, _bounds(colour, depth), parts.around(boxes))


def _bounds(colour: NDArray[np.uint8], depth: NDArray[np.float32]) -> tuple[int, int, int, int]:
    drawn = colour.view(np.uint32)[..., 0] != 0
    drawn |= np.isfinite(depth)
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    if not rows.size:
        return (0, 0, 0, 0)
    return (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)


def check_window(window: Any) -> None:
    """Raise ArgumentError unless ``window`` is a VTK window, MissingExtraError if VTK is not installed."""
    with _extras.needed("a VTK window", extra="vtk"):
        from vtkmodules.vtkRenderingCore import vtkRenderWindow
    if not isinstance(window, vtkRenderWindow):
        raise ArgumentError(f"window is a {type(window).__name__}; expected a vtkRenderWindow")
    if not scene.composed(window):
        raise ArgumentError(
            "window has no renderer in layer 0 that draws; expected one: window.AddRenderer(...)"
        )
