"""An off-screen VTK window for images to composite: premultiplied RGBA and depth in float32.

VTK's own framebuffer has 8 bits per channel. Its rounding errors become visible when many blocks are
composited, so the window gives VTK a framebuffer of 32-bit floats and reads that.

Without OSMesa or a display, VTK 9.7 crashes instead of raising an error; `check_offscreen` checks first.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from sortlast import Error, _extras

from .arrays import to_numpy

if TYPE_CHECKING:
    from .camera import Camera, Rectangle

WINDOW_CLASS = "VTK_DEFAULT_OPENGL_WINDOW"  # the environment variable that selects VTK's window class
OSMESA = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")

# A key light over the left shoulder and a fill light from the lower right: (direction to it, intensity), in
# camera coordinates.
LIGHTS = (((-0.45, 0.60, 1.0), 0.95), ((0.8, -0.5, 0.6), 0.3))

# An image that may be abandoned is rendered in bands of at most 1 / _BANDS of its height, because the time of
# the first rows of an object is not known in advance. A band should take _BAND seconds.
_BANDS = 16
_BAND = 0.1

Image = npt.NDArray[np.float32]
Pause = Callable[[], None]  # called between the parts of an image; raises to abandon it


def check_offscreen() -> None:
    """Choose VTK's software renderer; must be called before any window is created.

    A window class named by the user in VTK_DEFAULT_OPENGL_WINDOW is kept. Raises Error if VTK or OSMesa is
    missing.
    """
    with _extras.needed("rendering"):
        import vtkmodules.vtkCommonCore  # noqa: F401
    if os.environ.get(WINDOW_CLASS):
        return
    for name in OSMESA:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        os.environ[WINDOW_CLASS] = "vtkOSOpenGLRenderWindow"
        return
    raise Error(
        "VTK needs OSMesa to render without a display, and libOSMesa was not found: "
        "apt-get install libosmesa6 (Debian, Ubuntu) or dnf install mesa-libOSMesa (Fedora); "
        f"with a display or a GPU, name VTK's window class in {WINDOW_CLASS} instead"
    )


class Window:
    """A scene of `size` (width, height) pixels, lit by two lights that move with the camera.

    Mesa 22 loses the memory of a window whose size changes, so VTK's window only grows, and an image takes
    its lower left corner.
    """

    def __init__(self, size: tuple[int, int]) -> None:
        check_offscreen()
        import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the window classes)
        from vtkmodules.vtkRenderingCore import vtkLight, vtkRenderer, vtkRenderWindow

        self.size = size
        self.scene = vtkRenderer()
        # Black with alpha 0 keeps colours premultiplied.
        self.scene.SetBackground(0, 0, 0)
        self.scene.SetBackgroundAlpha(0)
        self.scene.AutomaticLightCreationOff()
        for position, intensity in LIGHTS:
            light = vtkLight()
            light.SetLightTypeToCameraLight()
            light.SetPosition(*position)
            light.SetFocalPoint(0, 0, 0)
            light.SetIntensity(intensity)
            self.scene.AddLight(light)

        self._window = cast(Any, vtkRenderWindow())  # in fact an OpenGL window, which has framebuffers
        self._window.OffScreenRenderingOn()
        self._window.SetMultiSamples(0)
        self._window.SetAlphaBitPlanes(1)
        # Images are read where they were rendered, not copied for a screen first, at the window's whole size.
        self._window.SetFrameBlitModeToNoBlit()
        self._window.SwapBuffersOff()
        self._window.AddRenderer(self.scene)
        self._make_framebuffer(size)

    def resize(self, size: tuple[int, int]) -> None:
        """Set the size of images, (width, height) in pixels."""
        if size == self.size:
            return
        self.size = size
        held = self._window.GetSize()
        most = (max(held[0], size[0]), max(held[1], size[1]))
        if most != held:
            self._make_framebuffer(most)
        self.scene.SetViewport(0, 0, size[0] / most[0], size[1] / most[1])

    def _make_framebuffer(self, size: tuple[int, int]) -> None:
        """Set the size of VTK's window."""
        from vtkmodules.vtkCommonCore import VTK_FLOAT

        # Render an empty image, so that a framebuffer of this size exists, and then convert it to floats.
        self._window.SetSize(*size)
        self.scene.DrawOff()
        self._window.Render()
        self.scene.DrawOn()
        framebuffer = self._window.GetRenderFramebuffer()
        if not framebuffer.PopulateFramebuffer(*size, True, 1, VTK_FLOAT, True, 32, 0):
            raise Error(
                f"OpenGL gave no {size[0]}x{size[1]} framebuffer of 32-bit floats; "
                "try a smaller image, or another Mesa"
            )

    def render(self, camera: Camera, rectangle: Rectangle | None = None, pause: Pause | None = None) -> Image:
        """The scene as (height, width, 4) float32, premultiplied, top row first.

        With a `rectangle` (x0, y0, x1, y1), y from the top, only its pixels are read. With `pause` the image
        is rendered in bands, with the same pixels.
        """
        from vtkmodules.vtkCommonCore import vtkFloatArray

        width, height = self.size
        x0, y0, x1, y1 = rectangle or (0, 0, width, height)
        if x0 >= x1 or y0 >= y1:
            return np.empty((max(y1 - y0, 0), max(x1 - x0, 0), 4), np.float32)
        camera.apply(self.scene.GetActiveCamera(), self.size)
        if pause is None:
            self._window.Render()
        else:
            self._render_bands(y0, y1, pause)
        pixels = vtkFloatArray()
        self._window.GetRGBAPixelData(x0, height - y1, x1 - 1, height - y0 - 1, 0, pixels)
        rows = to_numpy(pixels).reshape(y1 - y0, x1 - x0, 4)
        return np.ascontiguousarray(rows[::-1])

    def _render_bands(self, y0: int, y1: int, pause: Pause) -> None:
        """Draw the rows from y0 to y1, counted from the top, and leave the others unchanged."""
        from vtkmodules.vtkCommonDataModel import vtkRecti

        width, height = self.size
        camera = self.scene.GetActiveCamera()
        most = rows = max(1, height // _BANDS)
        while True:
            end = min(y0 + rows, y1)
            began = time.perf_counter()
            camera.SetScissorRect(vtkRecti(0, height - end, width, end - y0))
            camera.SetUseScissor(True)  # for the next rendering
            self._window.Render()
            self._window.WaitForCompletion()
            rows = min(max(int(rows * _BAND / (time.perf_counter() - began)), 1), most)
            if end == y1:
                return
            y0 = end
            pause()

    def depth(self) -> Image:
        """Depth of the last image, (height, width) float32: 0 near to 1 far, +inf where it is empty."""
        from vtkmodules.vtkCommonCore import vtkFloatArray

        width, height = self.size
        values = vtkFloatArray()
        self._window.GetZbufferData(0, 0, width - 1, height - 1, values)
        depth = np.ascontiguousarray(to_numpy(values).reshape(height, width)[::-1])
        depth[depth >= 1] = np.inf
        return depth


class WindowRenderer:
    """Common base of renderers that draw in a window."""

    def __init__(self, window: Window) -> None:
        self._window = window

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the images in pixels."""
        return self._window.size

    def resize(self, size: tuple[int, int]) -> None:
        """Set the size of the next images, (width, height) in pixels."""
        self._window.resize(size)
