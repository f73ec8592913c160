"""The settings that a viewer may change, and the validation of its requests.

All input from a browser is validated here. Invalid input raises ArgumentError with a message for the viewer,
and is rejected as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sortlast import _arrays, schedule
from sortlast._errors import ArgumentError
from sortlast.demo.scene import AZIMUTH, ELEVATION, Scene
from sortlast.render.camera import Camera
from sortlast.render.look import COLOURS, TISSUE, Look, Plane

MODES = ("volume", "surface", "boxes")
AXES = ("x", "y", "z")
WIRES = ("image", "float16")
PICTURES = ("jpeg", "webp")
COLOUR_MAPS = (TISSUE, *COLOURS)
MOST_POINTS = 32  # of a transfer function
LEAST_SIDE, MOST_SIDE = 16, 4096  # of a picture [pixels]
MOST_PIXELS = 1 << 23
LEAST_ZOOM, MOST_ZOOM = 0.2, 50.0
MOST_PAN = 3.0  # in radii of the scene
MOST_ELEVATION = 89.0  # [degrees]

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Eye:
    """Where a viewer looks from: angles in degrees, and zoom and pan as in ``Camera.orbit``."""

    azimuth: float = AZIMUTH
    elevation: float = ELEVATION
    zoom: float = 1.0
    pan: tuple[float, float] = (0.0, 0.0)

    def camera(self, scene: Scene) -> Camera:
        """The camera at this position."""
        bounds = scene.whole.bounds(scene.spacing)
        return Camera.orbit(bounds, scene.radius, self.azimuth, self.elevation, self.zoom, self.pan)


@dataclass(frozen=True)
class Clip:
    """A plane across an axis, ``at`` a share (0 to 1) of the volume; hides the side ``above``, or below."""

    axis: str
    at: float
    above: bool = True

    def plane(self, scene: Scene) -> Plane:
        """The plane in the units of the volume's spacing."""
        k = AXES.index(self.axis)
        bounds = scene.whole.bounds(scene.spacing)
        place = bounds[2 * k] + self.at * (bounds[2 * k + 1] - bounds[2 * k])
        sign = -1.0 if self.above else 1.0
        normal = [sign if axis == k else 0.0 for axis in range(3)]
        return (normal[0], normal[1], normal[2], -sign * place)


@dataclass(frozen=True)
class Controls:
    """Settings shared by all viewers: content, compositing, and the kind of picture that is sent."""

    mode: str = "volume"
    algorithm: str = "auto"
    wire: str = "image"
    picture: str = "jpeg"
    colours: str = TISSUE
    opacity: Points | None = None  # None, here and in the next field: a default that suits the data
    isovalue: float | None = None
    clip: Clip | None = None

    def look(self, scene: Scene, *, fine: bool) -> Look:
        """The look for a renderer; unless ``fine``, rays of a volume have half as many samples."""
        plane = None if self.clip is None else self.clip.plane(scene)
        return Look(self.colours, self.opacity, self.isovalue, plane, 1.0 if fine else 0.5)


def changed(controls: Controls, asked: object, ranks: int) -> Controls:
    """Apply a viewer's request, a dict by field name, and return the new controls. Raises ArgumentError."""
    given = _dict(asked, "controls", tuple(_CHECKS))
    taken = {name: _CHECKS[name](value, name) for name, value in given.items()}
    if "algorithm" in taken:
        schedule.make(taken["algorithm"], p=ranks, n=0)
    return replace(controls, **taken)


def eye(asked: object) -> Eye:
    """Parse the camera that a viewer asks for: a dict of all fields of :class:`Eye`. Raises ArgumentError."""
    given = _dict(asked, "eye", ("azimuth", "elevation", "zoom", "pan"))
    try:
        return Eye(
            _within(given["azimuth"], "azimuth", -1e9, 1e9) % 360 % 360,  # just below 0, % 360 gives 360
            _within(given["elevation"], "elevation", -MOST_ELEVATION, MOST_ELEVATION),
            _within(given["zoom"], "zoom", LEAST_ZOOM, MOST_ZOOM),
            _pair(given["pan"], "pan", -MOST_PAN, MOST_PAN),
        )
    except KeyError as error:
        raise ArgumentError(f"eye has no {error}; expected azimuth, elevation, zoom and pan") from None


def size(asked: object) -> tuple[int, int]:
    """Width and height of a viewer's picture in pixels. Raises ArgumentError."""
    if not isinstance(asked, (list, tuple)) or len(asked) != 2:
        raise ArgumentError(f"size is {_arrays.shown(asked)}; expected [width, height]")
    width, height = (_arrays.whole(side, "size") for side in asked)
    if not all(LEAST_SIDE <= side <= MOST_SIDE for side in (width, height)) or width * height > MOST_PIXELS:
        raise ArgumentError(
            f"size is {width} x {height}; expected sides from {LEAST_SIDE} to {MOST_SIDE} pixels, and at most"
            f" {MOST_PIXELS} pixels"
        )
    return width, height


def _within(value: object, what: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentError(f"{what} is {_arrays.shown(value)}; expected a number")
    if not low <= value <= high:  # compares integers of any size, and rejects NaN
        given = f"{value:g}" if isinstance(value, float) else _arrays.shown(value)
        raise ArgumentError(f"{what} is {given}; expected {low:g} to {high:g}")
    return float(value)


def _pair(value: object, what: str, low: float, high: float) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ArgumentError(f"{what} is {_arrays.shown(value)}; expected two numbers")
    return _within(value[0], what, low, high), _within(value[1], what, low, high)


def _dict(value: object, what: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(f"{what} is {_arrays.shown(value)}; expected an object")
    unknown = [name for name in value if name not in names]
    if unknown:
        raise ArgumentError(f"{what} has {_arrays.shown(unknown[0])}; expected {', '.join(names)}")
    return value


def _opacity(value: object, what: str) -> Points | None:
    if value is None:
        return None
    if not isinstance(value, (list, tuple)) or not 2 <= len(value) <= MOST_POINTS:
        raise ArgumentError(f"{what} is {_arrays.shown(value)}; expected 2 to {MOST_POINTS} points")
    points = tuple(_pair(point, f"a point of {what}", 0.0, 1.0) for point in value)
    if any(a[0] >= b[0] for a, b in pairwise(points)):
        raise ArgumentError(f"the values of {what} do not ascend; sort its points")
    return points


def _isovalue(value: object, what: str) -> float | None:
    return None if value is None else _within(value, what, 0.0, 1.0)


def _clip(value: object, what: str) -> Clip | None:
    if value is None:
        return None
    given = _dict(value, what, ("axis", "at", "above"))
    return Clip(
        _arrays.choice(given.get("axis"), f"axis of {what}", AXES),
        _within(given.get("at"), f"at of {what}", 0.0, 1.0),
        _arrays.flag(given.get("above", True), f"above of {what}"),
    )


def _one_of(names: tuple[str, ...]) -> Callable[[object, str], str]:
    return lambda value, what: _arrays.choice(value, what, names)


_CHECKS: dict[str, Callable[[object, str], Any]] = {
    "mode": _one_of(MODES),
    "algorithm": _arrays.text,
    "wire": _one_of(WIRES),
    "picture": _one_of(PICTURES),
    "colours": _one_of(COLOUR_MAPS),
    "opacity": _opacity,
    "isovalue": _isovalue,
    "clip": _clip,
}
