"""Composited frames on a background, in 8 bits, for files and screens."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .window import Image

BACKGROUND = (0.055, 0.065, 0.09)


def on_background(frame: Image) -> npt.NDArray[np.uint8]:
    """Blend a premultiplied frame (height, width, 4) over BACKGROUND: (height, width, 3)."""
    mixed: Image = (1 - frame[..., 3:]) * np.asarray(BACKGROUND, np.float32)
    mixed += frame[..., :3]
    np.clip(mixed, 0, 1, out=mixed)
    mixed *= 255
    np.rint(mixed, out=mixed)
    return mixed.astype(np.uint8)
