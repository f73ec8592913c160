"""IceT, the compositor of ParaView and VisIt, as an installed library that is loaded at run time.

An algorithm is a strategy of IceT, a single-image strategy and their settings: ``k=``, the preferred factor
of radix-k (ICET_MAGIC_K; default 8), ``split=``, the maximum number of pieces of an image
(ICET_MAX_IMAGE_SPLIT; default one per rank), and ``plain``, without ICET_INTERLACE_IMAGES. The strategy
*direct* has no settings: every image is sent whole to rank 0, which blends them all, even if the frame need
not be gathered. The four algorithms that are fastest at a first look are timed.

Every setting keeps its context for all frames. IceT's blend of uint8 pixels truncates, so each of the p - 1
blends may lose up to a unit.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from ctypes import c_float, c_int32, c_uint32, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sortlast._errors import Error
from sortlast.bench import libraries
from sortlast.bench.oracle import Finished
from sortlast.bench.peer import Peer, Scene
from sortlast.bench.task import CHANNELS

# Values of IceT.h.
_COLOUR = {"uint8": 0xC001, "float32": 0xC002}
_DEPTH_FLOAT, _DEPTH_NONE = 0xD001, 0xD000
_STRATEGIES = {"direct": 0x6001, "sequential": 0x6002, "reduce": 0x6004}
_SINGLE_IMAGE = {
    "automatic": 0x7001,
    "binary-swap": 0x7002,
    "tree": 0x7003,
    "radix-k": 0x7004,
    "radix-kr": 0x7005,
    "binary-swap-folding": 0x7006,
}
_Z_BUFFER, _BLEND = 0x0301, 0x0302
_ORDERED_COMPOSITE, _INTERLACE_IMAGES, _COLLECT_IMAGES = 0x0142, 0x0145, 0x0146
_VALID_PIXELS_TILE, _VALID_PIXELS_OFFSET, _VALID_PIXELS_NUM = 0x98, 0x99, 0x9A
_ERRORS_OF_ALL_RANKS = 0x0101

_DEFAULT_K = 8
_KS = (4, 16)  # in addition to the default
_SPLITS = (4, 8)  # with k=4; in addition to one piece per rank
_VARIABLES = {"k": "ICET_MAGIC_K", "split": "ICET_MAX_IMAGE_SPLIT"}  # read when a context is created


class _Image(ctypes.Structure):
    _fields_ = (("internals", c_void_p),)


class IceT(Peer):
    """``icetCompositeImage()`` of one tile, displayed at rank 0."""

    name = "icet"
    shortlist = 4

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(scene, algorithm)
        strategy, single_image, *settings = [*algorithm.split(), "automatic"]
        values = dict(part.partition("=")[::2] for part in settings)
        task = self.task

        # Create a context.
        self._core, mpi = _libraries(scene.installed[self.name])
        communicator = mpi.icetCreateMPICommunicator(libraries.handle(self.comm))
        with _environment({_VARIABLES[key]: value for key, value in values.items() if key in _VARIABLES}):
            self._context = self._core.icetCreateContext(communicator)
        mpi.icetDestroyMPICommunicator(communicator)  # the context has a copy

        # Set the mode of compositing.
        core = self._core
        core.icetDiagnostics(_ERRORS_OF_ALL_RANKS)
        core.icetResetTiles()
        core.icetAddTile(0, 0, task.width, task.height, 0)
        core.icetStrategy(_STRATEGIES[strategy])
        core.icetSingleImageStrategy(_SINGLE_IMAGE[single_image])
        core.icetSetColorFormat(_COLOUR[task.format])
        core.icetSetDepthFormat(_DEPTH_FLOAT if task.has_depth else _DEPTH_NONE)
        core.icetCompositeMode(_Z_BUFFER if task.has_depth else _BLEND)
        if not task.has_depth:
            core.icetEnable(_ORDERED_COMPOSITE)
            core.icetCompositeOrder((c_int32 * self.comm.size)(*range(self.comm.size)))
        (core.icetEnable if task.gather else core.icetDisable)(_COLLECT_IMAGES)
        if "plain" in values:
            core.icetDisable(_INTERLACE_IMAGES)
        self._raise_errors()

        # Prepare the arguments of a frame.
        depth, bounds = self.image.depth, self.image.bounds
        viewport = None
        if bounds is not None:
            x0, y0, x1, y1 = bounds
            viewport = (c_int32 * 4)(x0, y0, x1 - x0, y1 - y0)
        self._arguments = (
            self.image.colour.ctypes.data,
            None if depth is None else depth.ctypes.data,
            viewport,
            None,  # no projection and no modelview matrix: without bounding vertices they are not used
            None,
            (c_float * CHANNELS)(),
        )
        self._frame = _Image()

    @classmethod
    def algorithms(cls, scene: Scene) -> Sequence[str]:
        """Every strategy, with every setting that may matter at this number of ranks.

        With one tile the strategies differ little, so the settings are tried with only one of them.
        """
        ranks = scene.comm.size
        settings = [f" k={k}" for k in _KS if min(k, _DEFAULT_K) < ranks]
        settings += [f" k=4 split={split}" for split in _SPLITS if split < ranks]
        set_up = [f"{name}{values}" for name in ("radix-k", "radix-kr") for values in settings]
        plain = [f"{name} plain" for name in (*_SINGLE_IMAGE, *set_up) if name not in ("automatic", "tree")]
        sequential = [f"sequential {name}" for name in (*_SINGLE_IMAGE, *set_up, *plain)]
        return ["direct", *sequential, *(f"reduce {name}" for name in _SINGLE_IMAGE)]

    @classmethod
    def obstacle(cls, scene: Scene) -> str | None:
        """No installation is given, or it does not support the pixels."""
        if cls.name not in scene.installed:
            return "no installation is given (--icet)"
        if scene.task.format not in _COLOUR:
            return f"it has no {scene.task.format} pixels"
        if scene.task.op not in ("over", "closest"):
            return f"it has no operator like {scene.task.op}"
        return None

    def frame(self) -> None:
        """Composite."""
        self._core.icetSetContext(self._context)
        self._frame = self._core.icetCompositeImage(*self._arguments)
        self._raise_errors()

    def finished(self) -> Finished:
        """The tile at rank 0, or the pixels that are valid here."""
        core, task = self._core, self.task
        core.icetSetContext(self._context)
        tile, offset, count = (
            self._state(name) for name in (_VALID_PIXELS_TILE, _VALID_PIXELS_OFFSET, _VALID_PIXELS_NUM)
        )
        if tile < 0 or count == 0:
            return Finished.nothing(task)
        colours = {"uint8": core.icetImageGetColorub, "float32": core.icetImageGetColorf}
        address = colours[task.format](self._frame)
        size = task.n * CHANNELS * np.dtype(task.dtype).itemsize
        memory = memoryview((ctypes.c_ubyte * size).from_address(address))
        pixels: NDArray[Any] = np.frombuffer(memory, task.dtype)
        return Finished(offset, pixels.reshape(task.n, CHANNELS)[offset : offset + count])

    def close(self) -> None:
        """Destroy the context, and with it the frame."""
        self._core.icetDestroyContext(self._context)
        super().close()

    def _state(self, name: int) -> int:
        value = c_int32()
        self._core.icetGetIntegerv(name, ctypes.byref(value))
        return value.value

    def _raise_errors(self) -> None:
        code = self._core.icetGetError()
        if code != 0:
            raise Error(f"IceT ({self.algorithm}) failed with error 0x{code:08X}; its own message is above")


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables temporarily, and unset all others that IceT reads."""
    before = {name: os.environ.pop(name, None) for name in _VARIABLES.values()}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _libraries(folder: str) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """IceT's core and its MPI layer, with argument and result types where C's int is not right."""
    hint = "the folder of an IceT that was built with shared libraries and ICET_USE_MPI"
    core, mpi = libraries.load(folder, ("libIceTCore", "libIceTMPI"), hint)
    mpi.icetCreateMPICommunicator.restype = c_void_p
    mpi.icetDestroyMPICommunicator.argtypes = [c_void_p]
    core.icetCreateContext.argtypes = [c_void_p]
    core.icetCreateContext.restype = c_void_p
    core.icetDestroyContext.argtypes = [c_void_p]
    core.icetSetContext.argtypes = [c_void_p]
    core.icetGetError.restype = c_uint32
    core.icetGetIntegerv.argtypes = [c_uint32, c_void_p]
    core.icetCompositeImage.argtypes = [c_void_p] * 6
    core.icetCompositeImage.restype = _Image
    for name in ("icetImageGetColorub", "icetImageGetColorf"):
        getattr(core, name).argtypes = [_Image]
        getattr(core, name).restype = c_void_p
    return core, mpi
