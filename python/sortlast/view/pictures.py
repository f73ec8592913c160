"""Encodes composited frames for the browser: JPEG or WebP, in one of two qualities."""

from __future__ import annotations

import io

from sortlast import _extras
from sortlast.render.background import on_background
from sortlast.render.window import Image

_OPTIONS = {
    ("jpeg", False): {"quality": 65},
    ("jpeg", True): {"quality": 94, "subsampling": 0},
    ("webp", False): {"quality": 60, "method": 0},
    ("webp", True): {"quality": 92, "method": 2},
}


def encoded(frame: Image, kind: str, *, fine: bool) -> bytes:
    """Encode a frame as ``kind``, "jpeg" or "webp"; ``fine`` selects the quality for still pictures."""
    with _extras.needed("a picture for a browser", extra="view"):
        from PIL import Image as Pillow

    file = io.BytesIO()
    Pillow.fromarray(on_background(frame)).save(file, kind, **_OPTIONS[kind, fine])
    return file.getvalue()
