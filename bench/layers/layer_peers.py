"""Compositors of fragments: sortlast, Layered-IceT, and the straightforward method."""

from __future__ import annotations

import ctypes
from ctypes import c_float, c_int32, c_int64, c_uint32, c_void_p
from dataclasses import dataclass

import numpy as np
from layer_scenes import Drawn, Scene
from layer_turns import Peer
from mpi4py import MPI

import sortlast as sl
from sortlast.bench import libraries

# Constants of IceT.h.
_UBYTE, _FLOAT, _DEPTH_FLOAT = 0xC001, 0xC002, 0xD001
_SEQUENTIAL, _BLEND, _BYTES_SENT = 0x6002, 0x0302, 0xCA
_SINGLE_IMAGE = {"binary-swap": 0x7002, "radix-k": 0x7004, "binary-swap-folding": 0x7006}
_ERRORS_OF_ALL_RANKS = 0x0101
ICET_STRATEGIES = tuple(_SINGLE_IMAGE)


class Sortlast(Peer):
    """``composite_fragments()`` without keeping the lists, and ``gather()``."""

    def __init__(self, comm: MPI.Intracomm, scene: Scene, given: Compact, node_ranks: int | None) -> None:
        self._messages = node_ranks is not None
        self.name = "sortlast-messages" if self._messages else "sortlast"
        if given.colour.dtype == np.uint8:
            self.name += " uint8"
        self._compositor = sl.Compositor(comm, node_ranks=node_ranks)
        self._shape, self._given = (scene.height, scene.width), given
        self._tile = self._frame = None

    def frame(self) -> None:
        """Composite and gather."""
        self._tile = self._frame = None  # the compositor reuses their memory
        given = self._given
        fragments = sl.Fragments(self._shape, given.counts, given.colour, given.depth)
        self._tile = self._compositor.composite_fragments(fragments, keep_lists=False)
        self._sent = self._compositor.timing.bytes_sent
        self._frame = self._compositor.gather(self._tile, root=0)

    def result(self) -> np.ndarray | None:
        """The colours of the gathered frame."""
        return None if self._frame is None else self._frame.colour

    def bytes_sent(self) -> int:
        """Bytes of composite(), and of this rank's tile if it travels as a message."""
        tile = 0 if self._frame is not None else np.asarray(self._tile.pixels).nbytes
        return self._sent + (tile if self._messages else 0)

    def loss(self) -> float:
        """Its pixels of uint8 are rounded once."""
        return 0.5 / 255 if self._given.colour.dtype == np.uint8 else 0.0


@dataclass(frozen=True)
class Compact:
    """A rank's fragments in the form that sortlast takes; see :class:`sortlast.Fragments`."""

    counts: np.ndarray
    colour: np.ndarray
    depth: np.ndarray

    @classmethod
    def of(cls, scene: Scene, drawn: Drawn, dtype: type = np.float32) -> Compact:
        """Fragments of the whole frame."""
        colour = drawn.colour if dtype == np.uint8 else drawn.floats
        return cls(drawn.counts.reshape(scene.height, scene.width), colour, drawn.depth)


@dataclass(frozen=True)
class Padded:
    """A rank's fragments in the form that Layered-IceT takes: ``layers`` per pixel, the last ones empty."""

    colour: np.ndarray  # (n, layers, 4), uint8 or float32
    depth: np.ndarray

    @classmethod
    def of(cls, scene: Scene, drawn: Drawn, dtype: type) -> Padded:
        """Fragments of the whole frame."""
        colour = np.zeros((scene.n, scene.layers, 4), dtype)
        depth = np.ones((scene.n, scene.layers), np.float32)
        pixel = np.repeat(np.arange(scene.n), drawn.counts)
        layer = np.arange(len(pixel)) - np.repeat(np.cumsum(drawn.counts) - drawn.counts, drawn.counts)
        colour[pixel, layer] = drawn.colour if dtype == np.uint8 else drawn.floats
        depth[pixel, layer] = drawn.depth
        return cls(colour, depth)


class _Image(ctypes.Structure):
    _fields_ = (("internals", c_void_p),)


class LayeredIceT(Peer):
    """``icetCompositeImageLayered()`` of one tile at rank 0, with one of the strategies that support it."""

    def __init__(
        self, comm: MPI.Intracomm, scene: Scene, given: Padded, ranks_layers: int, folder: str, strategy: str
    ) -> None:
        self._bytes = given.colour.dtype == np.uint8
        self.name = f"layered-icet {strategy} {given.colour.dtype}"
        self._scene, self._given, self._layers = scene, given, ranks_layers
        self._core, mpi = _layered_icet(folder)
        communicator = mpi.icetCreateMPICommunicator(libraries.handle(comm))
        self._context = self._core.icetCreateContext(communicator)
        mpi.icetDestroyMPICommunicator(communicator)  # the context has a copy
        core = self._core
        core.icetDiagnostics(_ERRORS_OF_ALL_RANKS)
        core.icetResetTiles()
        core.icetAddTile(0, 0, scene.width, scene.height, 0)
        core.icetStrategy(_SEQUENTIAL)
        core.icetSingleImageStrategy(_SINGLE_IMAGE[strategy])
        core.icetSetColorFormat(_UBYTE if self._bytes else _FLOAT)
        core.icetSetDepthFormat(_DEPTH_FLOAT)
        core.icetCompositeMode(_BLEND)
        self._arguments = (
            given.colour.ctypes.data,
            given.depth.ctypes.data,
            scene.layers,
            None,  # the whole frame is valid; without bounding vertices the matrices are not used
            None,
            None,
            (c_float * 4)(),
        )
        self._rank = comm.rank

    def frame(self) -> None:
        """Composite."""
        self._core.icetSetContext(self._context)
        self._frame = self._core.icetCompositeImageLayered(*self._arguments)
        code = self._core.icetGetError()
        if code != 0:
            raise sl.Error(f"{self.name} failed with error 0x{code:08X}; its own message is above")

    def result(self) -> np.ndarray | None:
        """The tile, at rank 0."""
        if self._rank != 0:
            return None
        kind = np.dtype(np.uint8 if self._bytes else np.float32)
        get = self._core.icetImageGetColorub if self._bytes else self._core.icetImageGetColorf
        size = self._scene.n * 4 * kind.itemsize
        memory = memoryview((ctypes.c_ubyte * size).from_address(get(self._frame)))
        return np.frombuffer(memory, kind)

    def bytes_sent(self) -> int:
        """Bytes according to its own counter."""
        value = c_int32()
        self._core.icetSetContext(self._context)
        self._core.icetGetIntegerv(_BYTES_SENT, ctypes.byref(value))
        return value.value

    def loss(self) -> float:
        """Its blend of uint8 pixels truncates: one unit for each fragment that a pixel may have."""
        return self._layers / 255 if self._bytes else 0.0

    def close(self) -> None:
        """Destroy the context, and with it the frame."""
        self._core.icetDestroyContext(self._context)


class GatherAll(Peer):
    """MPI_Gatherv of all fragments to rank 0, which sorts and blends the fragments of each pixel."""

    name = "gather all and sort"

    def __init__(self, comm: MPI.Intracomm, scene: Scene, given: Compact, folder: str) -> None:
        self._comm, self._scene, self._given = comm, scene, given
        self._library = gather_all(folder)
        self._frame: np.ndarray | None = None

    def frame(self) -> None:
        """Gather, sort, blend."""
        comm, given, n = self._comm, self._given, self._scene.n
        numbers = comm.gather(len(given.depth))
        if comm.rank != 0:
            comm.Gather(given.counts, None)
            comm.Gatherv([given.colour, len(given.depth), FLOAT_PIXEL], None)
            comm.Gatherv(given.depth, None)
            return
        numbers = np.array(numbers)
        firsts = np.cumsum(numbers) - numbers
        counts = np.empty((comm.size, n), np.int32)
        colour = np.empty((numbers.sum(), 4), np.float32)
        depth = np.empty(numbers.sum(), np.float32)
        comm.Gather(given.counts, counts)
        comm.Gatherv([given.colour, len(given.depth), FLOAT_PIXEL], [colour, numbers, firsts, FLOAT_PIXEL])
        comm.Gatherv(given.depth, [depth, numbers, firsts, MPI.FLOAT])
        self._frame = np.empty((n, 4), np.float32)
        addresses = [array.ctypes.data for array in (counts, firsts, colour, depth, self._frame)]
        self._library.flatten_fragments(comm.size, n, *addresses)

    def result(self) -> np.ndarray | None:
        """The frame, at rank 0."""
        return self._frame

    def bytes_sent(self) -> int:
        """Counts, colours and depths; rank 0 sends nothing."""
        given = self._given
        own = given.counts.nbytes + given.colour.nbytes + given.depth.nbytes
        return own if self._comm.rank else 0


FLOAT_PIXEL = MPI.FLOAT.Create_contiguous(4).Commit()


def gather_all(folder: str) -> ctypes.CDLL:
    """The library of gather_all.cpp, built below ``folder``."""
    hint = "the folder where the target sortlast_gather_all was built"
    (library,) = libraries.load(folder, ("libsortlast_gather_all",), hint)
    library.flatten_fragments.argtypes = [c_int32, c_int64, *[c_void_p] * 5]
    library.flatten_fragments.restype = None
    library.blend_boxes.argtypes = [c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]
    library.blend_boxes.restype = None
    return library


def _layered_icet(folder: str) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """Its core and its MPI layer, with argument and return types where the default C int is wrong."""
    hint = "the folder of a Layered-IceT that was built with shared libraries and ICET_USE_MPI"
    core, mpi = libraries.load(folder, ("libIceTCore", "libIceTMPI"), hint)
    if not hasattr(core, "icetCompositeImageLayered"):
        raise sl.Error(f"the IceT in {folder} has no layers; expected {hint}")
    mpi.icetCreateMPICommunicator.restype = c_void_p
    mpi.icetDestroyMPICommunicator.argtypes = [c_void_p]
    core.icetCreateContext.argtypes = [c_void_p]
    core.icetCreateContext.restype = c_void_p
    core.icetDestroyContext.argtypes = [c_void_p]
    core.icetSetContext.argtypes = [c_void_p]
    core.icetGetError.restype = c_uint32
    core.icetGetIntegerv.argtypes = [c_uint32, c_void_p]
    core.icetCompositeImageLayered.argtypes = [c_void_p, c_void_p, c_int32, *[c_void_p] * 4]
    core.icetCompositeImageLayered.restype = _Image
    for name in ("icetImageGetColorub", "icetImageGetColorf"):
        getattr(core, name).argtypes = [_Image]
        getattr(core, name).restype = c_void_p
    return core, mpi
