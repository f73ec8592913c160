"""A perspective camera that orbits a volume.

Eye, view direction and clipping range depend on the whole volume alone, so that every rank has the
same projection and depths of different ranks can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .blocks import Bounds

if TYPE_CHECKING:
    from vtkmodules.vtkRenderingCore import vtkCamera

VIEW_ANGLE = 24.0  # of the shorter side of the image [degrees]
MARGIN = 1.04  # the shorter side of the image shows the object's sphere and a little more

Point = tuple[float, float, float]


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
