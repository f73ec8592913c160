"""Scenes of VTK that ranks share, and what one process makes of them: for scripts that run on ranks."""

from __future__ import annotations

import os

os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkOSOpenGLRenderWindow")

from collections.abc import Sequence
from typing import Any

import numpy as np
import vtkmodules.vtkRenderingFreeType
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (registers the windows)
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkUnsignedCharArray
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
    vtkTextActor,
)

SPHERES = 16
SIZE = (160, 120)
WHOLE = (-2.0, 2.0, -2.0, 2.0, -2.0, 2.0)


def window(
    size: tuple[int, int] = SIZE, *, renderers: int = 1, background: Sequence[float] = (0.1, 0.2, 0.4)
):
    """A window off screen, with renderers side by side."""
    made = vtkRenderWindow()
    made.OffScreenRenderingOn()
    made.SetSize(*size)
    made.SetMultiSamples(0)
    for i in range(renderers):
        renderer = vtkRenderer()
        renderer.SetViewport(i / renderers, 0, (i + 1) / renderers, 1)
        renderer.SetBackground(*background)
        made.AddRenderer(renderer)
    return made


def spheres(numbers: Sequence[int], renderer: Any, opacity: float = 1.0) -> None:
    """Add some of the SPHERES spheres, which overlap, each of another colour."""
    random = np.random.default_rng(5)
    places, colours = random.uniform(-1.5, 1.5, (SPHERES, 3)), random.uniform(0.2, 1, (SPHERES, 3))
    for number in numbers:
        source = vtkSphereSource()
        source.SetCenter(*places[number])
        source.SetRadius(0.5)
        source.SetThetaResolution(24)
        source.SetPhiResolution(24)
        mapper = vtkPolyDataMapper()
        mapper.SetInputConnection(source.GetOutputPort())
        actor = vtkActor()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*colours[number])
        actor.GetProperty().SetOpacity(opacity)
        renderer.AddActor(actor)


def mine(rank: int, size: int) -> range:
    """The spheres of a rank: every size-th."""
    return range(rank, SPHERES, size)


def text(words: str, renderer: Any) -> None:
    """Write in the lower left corner."""
    actor = vtkTextActor()
    actor.SetInput(words)
    actor.GetTextProperty().SetFontSize(24)
    renderer.AddViewProp(actor)


def renderer_of(made: Any, i: int = 0) -> Any:
    """A renderer of a window."""
    return made.GetRenderers().GetItemAsObject(i)


def look(made: Any, zoom: float = 1.0) -> None:
    """Let all renderers look at the whole."""
    for i in range(made.GetRenderers().GetNumberOfItems()):
        renderer = renderer_of(made, i)
        camera = renderer.GetActiveCamera()
        camera.SetPosition(3 + i, 2, 6)
        camera.SetFocalPoint(0, 0, 0)
        renderer.ResetCamera(WHOLE)
        camera.Zoom(zoom)
        renderer.ResetCameraClippingRange(WHOLE)


def look_from(made: Any, eye: Sequence[float], focal: Sequence[float]) -> None:
    """Let the first renderer look from one place toward another, and show all that it has."""
    camera = renderer_of(made).GetActiveCamera()
    camera.SetPosition(*eye)
    camera.SetFocalPoint(*focal)
    renderer_of(made).ResetCamera()


def shown(made: Any) -> np.ndarray:
    """What a window shows: (H, W, 4) uint8, bottom row first."""
    width, height = made.GetSize()
    pixels = vtkUnsignedCharArray()
    made.GetRGBACharPixelData(0, 0, width - 1, height - 1, 0, pixels)
    return vtk_to_numpy(pixels).reshape(height, width, 4).copy()


def depths(made: Any) -> np.ndarray:
    """Depths of what a window shows: (H, W) float32."""
    width, height = made.GetSize()
    values = vtkFloatArray()
    made.GetZbufferData(0, 0, width - 1, height - 1, values)
    return vtk_to_numpy(values).reshape(height, width).copy()


def difference(found: np.ndarray, expected: np.ndarray, visible: int = 8) -> list[float]:
    """Greatest difference of two pictures, and the share of pixels that differ visibly."""
    assert found.shape == expected.shape, (found.shape, expected.shape)
    most = np.abs(found.astype(float) - expected).max(axis=-1)
    return [float(most.max()), float((most > visible).mean())]
