"""The look of a volume: its transfer function, its isovalue, and its clipping plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Colour = tuple[float, float, float]
Plane = tuple[float, float, float, float]  # (a, b, c, d): a x + b y + c z + d >= 0 is shown

# (position, colour, opacity per unit of length): a veil of cortex over its folds. Position 0 is the value
# 0, position 1 the threshold, position 2 the value 1.
LOOK = (
    (0.50, (0.50, 0.08, 0.14), 0.0),
    (0.85, (0.70, 0.20, 0.24), 0.02),
    (1.40, (0.86, 0.44, 0.38), 0.06),
    (1.62, (0.97, 0.74, 0.52), 0.25),
    (1.82, (1.00, 0.93, 0.80), 0.70),
    (2.00, (1.00, 0.98, 0.94), 0.90),
)

TISSUE = "tissue"  # the colours of LOOK

# Other colours, at equal distances over the values from 0 to 1.
COLOURS: dict[str, tuple[Colour, ...]] = {
    "grey": ((0.05, 0.05, 0.05), (1.0, 1.0, 1.0)),
    "viridis": (
        (0.27, 0.00, 0.33),
        (0.23, 0.32, 0.55),
        (0.13, 0.57, 0.55),
        (0.37, 0.79, 0.38),
        (0.99, 0.91, 0.14),
    ),
    "inferno": (
        (0.00, 0.00, 0.01),
        (0.34, 0.06, 0.43),
        (0.73, 0.21, 0.33),
        (0.98, 0.56, 0.04),
        (0.99, 1.00, 0.64),
    ),
    "cool to warm": ((0.23, 0.30, 0.75), (0.87, 0.87, 0.87), (0.71, 0.02, 0.15)),
}


@dataclass(frozen=True)
class Look:
    """Settings of how a volume is shown; the defaults are LOOK and the volume's threshold.

    `colours` is TISSUE or a key of COLOURS. `opacity` has points (value, opacity per unit of length), with
    ascending values in [0, 1]. `isovalue` selects the isosurface. `clip` hides one side of a plane, in the
    units of the volume's spacing. `samples` scales the number of samples per ray.
    """

    colours: str = TISSUE
    opacity: tuple[tuple[float, float], ...] | None = None
    isovalue: float | None = None
    clip: Plane | None = None
    samples: float = 1.0


def opacity_points(look: Look, threshold: float) -> tuple[tuple[float, float], ...]:
    """(value, opacity) of the transfer function of a volume with this `threshold`, values ascending."""
    if look.opacity is not None:
        return look.opacity
    return ((0.0, 0.0), *((_value(position, threshold), alpha) for position, _, alpha in LOOK))


def colour_points(look: Look, threshold: float) -> tuple[tuple[float, Colour], ...]:
    """(value, colour) of the transfer function, values ascending."""
    if look.colours == TISSUE:
        return tuple((_value(position, threshold), rgb) for position, rgb, _ in LOOK)
    chosen = COLOURS[look.colours]
    return tuple((k / (len(chosen) - 1), rgb) for k, rgb in enumerate(chosen))


def volume_property(look: Look, threshold: float, unit: float) -> Any:
    """A vtkVolumeProperty; opacities are per `unit` of length."""
    from vtkmodules.vtkCommonDataModel import vtkPiecewiseFunction
    from vtkmodules.vtkRenderingCore import vtkColorTransferFunction, vtkVolumeProperty

    colour = vtkColorTransferFunction()
    for value, rgb in colour_points(look, threshold):
        colour.AddRGBPoint(value, *rgb)
    opacity = vtkPiecewiseFunction()
    for value, alpha in opacity_points(look, threshold):
        opacity.AddPoint(value, alpha)

    made = vtkVolumeProperty()
    made.SetInterpolationTypeToLinear()
    made.SetColor(colour)
    made.SetScalarOpacity(opacity)
    made.SetScalarOpacityUnitDistance(unit)
    made.ShadeOn()
    return made


def _value(position: float, threshold: float) -> float:
    return float(np.interp(position, (0, 1, 2), (0, threshold, 1)))
