"""A perspective camera that orbits a volume.

Eye, view direction and clipping range depend only on the whole volume, so every rank has the same projection
and depths of different ranks can be compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .blocks import Bounds

if TYPE_CHECKING:
    from vtkmodules.vtkRenderingCore import vtkCamera

VIEW_ANGLE = 24.0  # of the shorter side of the image, unless zoomed [degrees]
MARGIN = 1.04  # the shorter side of the image shows the object's sphere with this margin

Point = tuple[float, float, float]
Rectangle = tuple[int, int, int, int]  # (x0, y0, x1, y1) in pixels, y from the top, x1 and y1 excluded


@dataclass(frozen=True)
class Camera:
    """Eye, focal point and depth range [near, far], in the units of the volume's spacing.

    `angle` is the field of view along the shorter side of the image, in degrees.
    """

    eye: Point
    focal: Point
    near: float
    far: float
    angle: float = VIEW_ANGLE

    @classmethod
    def orbit(
        cls,
        bounds: Bounds,
        radius: float,
        azimuth: float,
        elevation: float,
        zoom: float = 1.0,
        pan: tuple[float, float] = (0.0, 0.0),
    ) -> Camera:
        """Look at the sphere of `radius` around the centre of `bounds`.

        Angles are in degrees; azimuth 0 looks along +y, z is up. `zoom` narrows the field of view and keeps
        the eye in place, so that nothing gets behind it. `pan` moves eye and focal point to the right and
        upward, in units of `radius`.
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
        angle = 2 * math.degrees(math.atan(math.tan(math.radians(VIEW_ANGLE / 2)) / zoom))
        centred = cls(
            (eye[0], eye[1], eye[2]),
            (focal[0], focal[1], focal[2]),
            distance - 1.01 * corner,
            distance + 1.01 * corner,
            angle if zoom != 1 else VIEW_ANGLE,
        )
        return centred if pan == (0, 0) else centred._moved(radius * pan[0], radius * pan[1])

    def _moved(self, right: float, up: float) -> Camera:
        """The camera moved at right angles to its line of sight."""
        axes = self.axes()
        eye, focal = (
            np.add(point, right * axes[0] + up * axes[1]).tolist() for point in (self.eye, self.focal)
        )
        return replace(self, eye=tuple(eye), focal=tuple(focal))

    def apply(self, camera: vtkCamera, size: tuple[int, int]) -> None:
        """Set a VTK camera; `size` is (width, height) in pixels."""
        camera.SetPosition(*self.eye)
        camera.SetFocalPoint(*self.focal)
        camera.SetViewUp(0, 0, 1)
        camera.SetUseHorizontalViewAngle(size[0] < size[1])
        camera.SetViewAngle(self.angle)
        camera.SetClippingRange(self.near, self.far)

    def axes(self) -> npt.NDArray[np.float64]:
        """The unit vectors right, up and forward of the image, one per row."""
        forward = np.subtract(self.focal, self.eye)
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(right, forward), forward])

    def seen(self, points: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Transform points, (..., 3), to camera coordinates: right, up and forward of the eye."""
        away: npt.NDArray[np.float64] = (np.asarray(points, np.float64) - self.eye) @ self.axes().T
        return away

    def rectangle(self, bounds: Bounds, size: tuple[int, int]) -> Rectangle:
        """The pixels of an image of `size` (width, height) that a box in front of the eye may cover."""
        x, y, z = bounds[0:2], bounds[2:4], bounds[4:6]
        corners = self.seen(np.stack(np.meshgrid(x, y, z), axis=-1).reshape(-1, 3))
        places = corners[:, :2] / corners[:, 2:] / pixel_width(size, self.angle)
        across, down = places[:, 0] + size[0] / 2, size[1] / 2 - places[:, 1]
        x0, x1 = np.clip([np.floor(across.min()), np.ceil(across.max())], 0, size[0])
        y0, y1 = np.clip([np.floor(down.min()), np.ceil(down.max())], 0, size[1])
        return (int(x0), int(y0), int(x1), int(y1))


def reach() -> float:
    """Radii that the shorter side of an image shows at the focal point without zoom; see `Camera.orbit`."""
    return 2 * MARGIN / math.cos(math.radians(VIEW_ANGLE / 2))


def pixel_width(size: tuple[int, int], angle: float = VIEW_ANGLE) -> float:
    """Width of a pixel of an image of `size` at distance 1 from an eye with field of view `angle` degrees."""
    return 2 * math.tan(math.radians(angle / 2)) / min(size)
