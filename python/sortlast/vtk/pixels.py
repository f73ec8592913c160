"""Reads and writes a rectangle of pixels of a VTK window, with rows from the bottom up as in VTK."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast._errors import Error

Rectangle = tuple[int, int, int, int]  # x0, y0, x1, y1 [pixels], half open
Colours = NDArray[np.uint8] | NDArray[np.float32]


class Reader:
    """Reads into memory that is reused from frame to frame."""

    def __init__(self) -> None:
        from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray

        self._bytes, self._floats, self._depths = vtkUnsignedCharArray(), vtkFloatArray(), vtkFloatArray()

    def colours(self, window: Any, area: Rectangle, *, floats: bool) -> Colours:
        """RGBA of the last drawing, (H, W, 4) float32 or uint8; valid until the next call."""
        x0, y0, x1, y1 = area
        if floats:
            window.GetRGBAPixelData(x0, y0, x1 - 1, y1 - 1, 0, self._floats)
        else:
            window.GetRGBACharPixelData(x0, y0, x1 - 1, y1 - 1, 0, self._bytes)
        found: Colours = _numpy(self._floats if floats else self._bytes).reshape(y1 - y0, x1 - x0, 4)
        return found

    def depths(self, window: Any, area: Rectangle) -> NDArray[np.float32]:
        """Depths, (H, W) float32: 0 near to 1 far, +inf where nothing is drawn; valid until the next call."""
        x0, y0, x1, y1 = area
        window.GetZbufferData(x0, y0, x1 - 1, y1 - 1, self._depths)
        depths: NDArray[np.float32] = _numpy(self._depths).reshape(y1 - y0, x1 - x0)
        depths[depths >= 1] = np.inf
        return depths


def write(window: Any, area: Rectangle, colours: Colours, depths: NDArray[np.float32] | None) -> None:
    """Write pixels, and depths if there are any, into the current framebuffer."""
    x0, y0, x1, y1 = area
    values = _vtk(colours.reshape(-1, 4))
    if colours.dtype == np.float32:
        window.SetRGBAPixelData(x0, y0, x1 - 1, y1 - 1, values, 0, 0)
    else:
        window.SetRGBACharPixelData(x0, y0, x1 - 1, y1 - 1, values, 0, 0)
    if depths is not None:
        window.SetZbufferData(x0, y0, x1 - 1, y1 - 1, _vtk(np.minimum(depths, 1).ravel()))


def put_behind(colours: Colours, background: Colours) -> Colours:
    """Premultiplied ``colours`` over a background of the same shape."""
    most = 255.0 if colours.dtype == np.uint8 else 1.0
    through = 1 - colours[..., 3:].astype(np.float32) / most
    mixed = colours + through * background
    return np.rint(mixed).astype(np.uint8) if most > 1 else mixed


def enlarge(plane: NDArray[Any], width: int, height: int) -> NDArray[Any]:
    """Resample a plane of pixels to another size by nearest neighbour."""
    rows = np.arange(height) * plane.shape[0] // height
    columns = np.arange(width) * plane.shape[1] // width
    return np.ascontiguousarray(plane[rows[:, None], columns])


def use_floats(window: Any) -> None:
    """Make a window draw into 32-bit floats: in 8 bits, rounding shows behind many layers. Raises Error."""
    from vtkmodules.vtkCommonCore import VTK_FLOAT

    window.Start()  # creates a framebuffer of the window's size
    width, height = window.GetActualSize()
    framebuffer = window.GetRenderFramebuffer()
    texture = framebuffer.GetColorAttachmentAsTextureObject(0)
    if texture is not None and texture.GetVTKDataType() == VTK_FLOAT:
        return
    if not framebuffer.PopulateFramebuffer(width, height, True, 1, VTK_FLOAT, True, 32, 0):
        raise Error(f"OpenGL gave no {width}x{height} framebuffer of 32-bit floats; try a smaller window")


def _numpy(values: Any) -> Any:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return vtk_to_numpy(values)  # type: ignore[no-untyped-call]


def _vtk(values: NDArray[Any]) -> Any:
    from vtkmodules.util.numpy_support import numpy_to_vtk

    return numpy_to_vtk(np.ascontiguousarray(values))  # type: ignore[no-untyped-call]
