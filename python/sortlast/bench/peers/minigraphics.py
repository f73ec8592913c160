"""miniGraphics, the mini-application of sort-last compositing, through the adapter in bench/minigraphics.

An algorithm is one of its compositors, radix-k with the preferred factor ``k=`` (default 8), and ``sparse``
if images are compressed first and the result is expanded. The four algorithms that are fastest at a first
look are timed. Its blend of uint8 truncates, so each of the p - 1 blends may lose up to a unit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_char_p, c_int, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast.bench import libraries
from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS

_POWERS_OF_TWO = ("binary-swap", "binary-swap-remainder")
_ANY_RANKS = (
    "direct-send",
    "direct-send-overlap",
    "binary-swap-fold",
    "binary-swap-telescoping",
    "binary-swap-234",
    "2-3-swap",
)
_DEFAULT_K = 8
_KS = (4, 16)  # in addition to the default
_KINDS = (("float32", "over"), ("uint8", "over"), ("uint8", "closest"))


class MiniGraphics(Peer):
    """The work of its main loop on an image between painting and saving."""

    name = "minigraphics"
    shortlist = 4

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        compositor, *settings = algorithm.split()
        values = dict(part.partition("=")[::2] for part in settings)
        self._library = _library(scene.installed[self.name])
        viewport = None
        if self.image.bounds is not None:
            x0, y0, x1, y1 = self.image.bounds
            viewport = (c_int * 4)(x0, y0, x1 - 1, y1 - 1)
        task, depth = self.task, self.image.depth
        self._scene = self._library.minigraphics_open(
            ctypes.byref(libraries.handle(self.comm)),
            compositor.encode(),
            int(values.get("k", _DEFAULT_K)),
            task.width,
            task.height,
            task.format == "float32",
            self.image.colour.ctypes.data,
            None if depth is None else depth.ctypes.data,
            viewport,
            "sparse" in values,
            task.gather,
        )

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """Every compositor that supports this number of ranks, with every k that may matter there."""
        ranks = scene.comm.size
        names = [*_ANY_RANKS]
        if ranks & (ranks - 1) == 0:
            names += _POWERS_OF_TWO
        names += ["radix-k", *(f"radix-k k={k}" for k in _KS if min(k, _DEFAULT_K) < ranks)]
        return [name + sparse for sparse in ("", " sparse") for name in names]

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """No adapter is given, or it does not support the pixels."""
        if cls.name not in scene.installed:
            return "no adapter is given (--minigraphics)"
        if (scene.task.format, scene.task.op) not in _KINDS:
            return f"it has no images of {scene.task.format} for {scene.task.op}"
        return None

    def frame(self) -> None:
        """Compress, compose, expand, gather."""
        self._library.minigraphics_frame(self._scene)

    def finished(self) -> Finished:
        """This rank's piece, or the frame at rank 0."""
        begin, end = c_int(), c_int()
        address = self._library.minigraphics_result(self._scene, ctypes.byref(begin), ctypes.byref(end))
        count = end.value - begin.value
        if count == 0 or (self.task.gather and self.comm.rank != 0):
            return Finished.nothing(self.task)
        size = count * CHANNELS * np.dtype(self.task.dtype).itemsize
        memory = memoryview((ctypes.c_ubyte * size).from_address(address))
        pixels: NDArray[Any] = np.frombuffer(memory, self.task.dtype)
        return Finished(begin.value, pixels.reshape(count, CHANNELS))

    def close(self) -> None:
        """Free the images."""
        self._library.minigraphics_close(self._scene)
        super().close()


def _library(folder: str) -> ctypes.CDLL:
    hint = "the folder where bench/minigraphics of sortlast was built"
    (library,) = libraries.load(folder, ("libsortlast_minigraphics",), hint)
    numbers, places = [c_int] * 4, [c_void_p] * 3
    library.minigraphics_open.argtypes = [c_void_p, c_char_p, *numbers, *places, c_int, c_int]
    library.minigraphics_open.restype = c_void_p
    library.minigraphics_frame.argtypes = [c_void_p]
    library.minigraphics_result.argtypes = [c_void_p, c_void_p, c_void_p]
    library.minigraphics_result.restype = c_void_p
    library.minigraphics_close.argtypes = [c_void_p]
    return library
