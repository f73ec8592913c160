"""A renderer's camera, and its place in the window: sent by rank 0 and applied on all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sortlast.vtk.parts import Box, Part, corners
from sortlast.vtk.pixels import Rectangle
from sortlast.vtk.scene import Hidden, set_value

_CAMERA = (
    "Position",
    "FocalPoint",
    "ViewUp",
    "ViewAngle",
    "UseHorizontalViewAngle",
    "ParallelProjection",
    "ParallelScale",
    "ViewShear",
    "WindowCenter",
    "ClippingRange",
)
_WINDOW = ("TileScale", "TileViewport", "DesiredUpdateRate")


@dataclass(frozen=True)
class View:
    """Rank 0's view of a renderer: its viewport in the window, its camera, and the content of all ranks."""

    viewport: tuple[float, ...]
    camera: dict[str, Any]
    whole: Part
    background: tuple[float, float, float, float] | None  # if it is a single colour

    def viewer(self) -> dict[str, Any]:
        """The position of the viewer for the visibility orders: an eye or a direction."""
        eye, focal = self.camera["Position"], self.camera["FocalPoint"]
        if self.camera["ParallelProjection"]:
            return {"direction": tuple(there - here for here, there in zip(eye, focal, strict=True))}
        return {"eye": eye}


def view(renderer: Any, whole: Part, hidden: Hidden) -> View:
    """Rank 0's view of a renderer that shows ``whole``."""
    camera = renderer.GetActiveCamera()
    values = {name: getattr(camera, f"Get{name}")() for name in _CAMERA}
    return View(renderer.GetViewport(), values, whole, hidden.background)


def take_view(renderer: Any, told: View) -> None:
    """Apply rank 0's view."""
    renderer.SetViewport(*told.viewport)
    camera = renderer.GetActiveCamera()
    for name, value in told.camera.items():
        set_value(camera, name, value)


def window_state(window: Any) -> dict[str, Any]:
    """Size and tile of rank 0's window, and its desired frame rate."""
    return {"Size": window.GetActualSize()} | {name: getattr(window, f"Get{name}")() for name in _WINDOW}


def take_window_state(window: Any, told: dict[str, Any]) -> None:
    """Apply the state of rank 0's window."""
    for name, value in told.items():
        if name != "Size" or tuple(window.GetActualSize()) != tuple(value):
            set_value(window, name, value)


# ---- pixels


def reduced(viewport: tuple[float, ...], times: int) -> tuple[float, ...]:
    """A viewport with the same lower left corner and ``times`` smaller in both directions."""
    x0, y0, x1, y1 = viewport
    return (x0, y0, x0 + (x1 - x0) / times, y0 + (y1 - y0) / times)


def area(window: Any, renderer: Any) -> Rectangle | None:
    """The pixels of a window (x0, y0, x1, y1) that a renderer draws; None if there is none.

    A window that is a tile of a larger picture draws a part of each viewport, or nothing.
    """
    (across, up), tile = window.GetSize(), window.GetTileViewport()
    corner = (round(tile[0] * across), round(tile[1] * up))
    least = [max(low - begin, 0) for low, begin in zip(renderer.GetOrigin(), corner, strict=True)]
    most = [
        min(low + extent - begin, limit)
        for low, extent, begin, limit in zip(
            renderer.GetOrigin(), renderer.GetSize(), corner, window.GetActualSize(), strict=True
        )
    ]
    if least[0] >= most[0] or least[1] >= most[1]:
        return None
    return (least[0], least[1], most[0], most[1])


def rectangle(window: Any, renderer: Any, within: Rectangle, box: Box) -> Rectangle | None:
    """The pixels of ``within``, a renderer's area, that a box may cover; None if there is none."""
    if tuple(window.GetTileScale()) != (1, 1):
        return within  # the camera renders a tile
    matrix = renderer.GetActiveCamera().GetCompositeProjectionTransformMatrix(
        renderer.GetTiledAspectRatio(), -1, 1
    )
    points = np.array([matrix.MultiplyPoint((*corner, 1.0)) for corner in corners(box)])
    if (points[:, 3] <= 0).any():
        return within  # the box reaches behind the eye
    size = np.array([within[2] - within[0], within[3] - within[1]])
    places = within[:2] + (points[:, :2] / points[:, 3:] + 1) / 2 * size
    low = np.maximum(np.floor(places.min(axis=0)) - 1, within[:2]).astype(int).tolist()
    high = np.minimum(np.ceil(places.max(axis=0)) + 1, within[2:]).astype(int).tolist()
    if low[0] >= high[0] or low[1] >= high[1]:
        return None
    return (low[0], low[1], high[0], high[1])


def show_area(window: Any, area: Rectangle) -> None:
    """Restrict OpenGL's drawing to these pixels."""
    x0, y0, x1, y1 = area
    state = window.GetState()
    state.vtkglViewport(x0, y0, x1 - x0, y1 - y0)
    state.vtkglScissor(x0, y0, x1 - x0, y1 - y0)
