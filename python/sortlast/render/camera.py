"""A perspective camera that orbits a volume.

Eye, view direction and clipping range depend on the whole volume alone, so that every rank has the
same projection and depths of different ranks can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .blocks import Bounds

if TYPE_CHECKING:
    from vtkmodules.vtkRenderingCore import vtkCamera

VIEW_ANGLE = 24.0  # of the shorter side of the image [degrees]
MARGIN = 1.04  # the shorter side of the image shows the object's sphere and a little more

Point = tuple[float, float, float]
Rectangle = tuple[int, int, int, int]  # (x0, y0, x1, y1) in pixels, y from the top, x1 and y1 excluded


@dataclass(frozen=True)
class Camera:
    """Eye, focal point and depth range [near, far], in the units of the volume's spacing."""

    eye: Point
    focal: Point
    near: float
    far: float

    @classmethod
    def orbit(cls, bounds: Bounds, radius: float, azimuth: float, elevation: float) -> Camera:
        """Look at the sphere of `radius` around the centre of `bounds`.

        Angles are in degrees; azimuth 0 looks along +y, z is up.
        """
        low, high = bounds[0::2], bounds[1::2]
        corner = math.dist(low, high) / 2
        distance = MARGIN * radius / math.sin(math.radians(VIEW_ANGLE / 2))
        around, above = math.radians(azimuth), math.radians(elevation)
        direction = (
            -math.sin(around) * math.cos(above),
            -math.cos(around) * math.cos(above),
            math.sin(above),
        )
        focal = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
        eye = tuple(f + distance * d for f, d in zip(focal, direction, strict=True))
        return cls(
            (eye[0], eye[1], eye[2]),
            (focal[0], focal[1], focal[2]),
            distance - 1.01 * corner,
            distance + 1.01 * corner,
        )

    def apply(self, camera: vtkCamera, size: tuple[int, int]) -> None:
        """Set a VTK camera; `size` is (width, height) in pixels."""
        camera.SetPosition(*self.eye)
        camera.SetFocalPoint(*self.focal)
        camera.SetViewUp(0, 0, 1)
        camera.SetUseHorizontalViewAngle(size[0] < size[1])
        camera.SetViewAngle(VIEW_ANGLE)
        camera.SetClippingRange(self.near, self.far)

    def axes(self) -> npt.NDArray[np.float64]:
        """The unit vectors right, up and forward of the image, one a row."""
        forward = np.subtract(self.focal, self.eye)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def seen(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Points, (..., 3), in the camera's own coordinates: right, up and forward of the eye."""
        away: npt.NDArray[np.float64] = (np.asarray(points, np.float64) - self.eye) @ self.axes().T
        return away

    def rectangle(self, bounds: Bounds, size: tuple[int, int]) -> Rectangle:
        """The pixels of an image of `size` (width, height) that may show a box in front of the eye."""
        x, y, z = bounds[0:2], bounds[2:4], bounds[4:6]
        corners = self.seen(np.stack(np.meshgrid(x, y, z), axis=-1).reshape(-1, 3))
        places = corners[:, :2] / corners[:, 2:] / pixel_width(size)
        across, down = places[:, 0] + size[0] / 2, size[1] / 2 - places[:, 1]
        x0, x1 = np.clip([np.floor(across.min()), np.ceil(across.max())], 0, size[0])
        y0, y1 = np.clip([np.floor(down.min()), np.ceil(down.max())], 0, size[1])
        return (int(x0), int(y0), int(x1), int(y1))


def pixel_width(size: tuple[int, int]) -> float:
    """Width of a pixel of an image of `size` at distance 1 from the eye."""
    return 2 * math.tan(math.radians(VIEW_ANGLE / 2)) / min(size)
