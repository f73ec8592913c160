"""The compositor: one image a rank becomes one image, over MPI."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sortlast import _arrays, _core, _native
from sortlast._errors import ArgumentError, MismatchError

if TYPE_CHECKING:
    from mpi4py import MPI

    from sortlast._core import Event, Timing


# Images of calls that ended while MPI may still have been reading them: they are never given back.
_still_read: list[_arrays.Picture] = []


class Tile(Protocol):
    """Finished pixels that this rank holds: [begin, end) of the image in row-major order.

    Of an image that was dealt out in blocks a tile holds many ranges, one behind the other in the order of
    ``ranges``; ``begin`` and ``end`` raise ArgumentError then. The arrays share the tile's memory, which
    stays valid and unchanged as long as one of them exists.
    """

    @property
    def begin(self) -> int:
        """First pixel."""

    @property
    def end(self) -> int:
        """One past the last pixel; equal to ``begin`` if this rank holds none."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """(begin, end) of each range of the image that the pixels are of; none if there are no pixels."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(H, W, C) of the whole image."""

    @property
    def pixels(self) -> NDArray[Any]:
        """Array (n, C) of the n pixels."""

    @property
    def depth(self) -> NDArray[np.float32] | None:
        """Array (n,), or None if the images had no depth."""


class Compositor:
    """Composites one image a rank over a communicator.

    All calls are collective and every rank must make the same ones. If arguments differ between ranks, or
    are wrong on some, every rank raises the same MismatchError (or ArgumentError) before any pixel moves,
    and the compositor stays usable. If a rank does not come within ``timeout`` seconds, the others raise a
    TimeoutError that says who waits for whom; after that the compositor cannot be used any more.

    Args:
        comm: any mpi4py communicator; it is duplicated.
        algorithm: a name of ``sortlast algorithms``, such as "shift" or "radix-k:8,8", or "auto".
        ring: ranks in communication order (the fabric's routing order), apart from depth order; shift and
            direct-send follow it whatever the view. None is rank order.
        timeout: longest wait without any progress, in seconds.
        nodes: ranks that share a machine read each other's images where they lie. None: those that really do;
            1: none, all pixels travel as messages; k: at most k of them, as if the others were on other
            machines.
        threads: threads of this rank that blend, its own among them; None: as many as the machine has
            cores for each of its ranks. Ranks may differ in it.
        check: check in every call, by a small reduction, that all ranks passed the same arguments.
            Without it ranks that disagree hang or give wrong pixels. Ranks that all share a machine check at
            no cost anyway.
        sparse: leave out empty pixels (all channels 0, depth infinite) of messages where that pays. The
            result has the same bits.
        wire: "float16" lets the colours of float32 images travel as float16, which rounds each by at most
            2^-11 of itself a transfer; None sends what the images hold.
        chunk: most bytes of pixels that one message carries.
        partition: how the image is shared out. "contiguous": in bands of rows. "interleaved": in blocks that
            are dealt out to the ranks, so that each gets as much to do wherever the images are empty; a tile
            then holds many ``ranges``. "auto": in blocks for the frames for which that is predicted to be
            faster, which takes ``check`` and ranks on several machines.
        profile: file with this machine's figures, as ``sortlast tune`` writes it, from which whatever is
            "auto" is chosen; read on rank 0 alone. None is the file that the environment variable
            SORTLAST_PROFILE names, or else a measurement of about 30 ms.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        algorithm: str = "auto",
        ring: Sequence[int] | None = None,
        timeout: float = 60.0,
        *,
        nodes: int | None = None,
        threads: int | None = None,
        check: bool = True,
        sparse: bool = True,
        wire: str | None = None,
        chunk: int = 1 << 20,
        partition: str = "contiguous",
        profile: str | os.PathLike[str] | None = None,
    ) -> None:
        from mpi4py import MPI

        problem, name, ring_ranks, limit = "", "", list[int](), 60.0
        node_ranks, blenders, chunk_bytes, profile_path = 0, 0, 1 << 20, ""
        shared_out = "contiguous"
        try:
            name = _arrays.text(algorithm, "algorithm")
            ring_ranks = _arrays.ranks(ring, "ring")
            limit = _arrays.number(timeout, "timeout")
            node_ranks = 0 if nodes is None else _arrays.whole(nodes, "nodes")
            blenders = 0 if threads is None else _arrays.whole(threads, "threads")
            chunk_bytes = _arrays.whole(chunk, "chunk")
            if nodes is not None and node_ranks < 1:
                raise ArgumentError(f"nodes is {nodes!r}; expected None or a number of ranks, 1 or more")
            if threads is not None and blenders < 1:
                raise ArgumentError(f"threads is {threads!r}; expected None or 1 or more")
            profile_path = "" if profile is None else _arrays.path(profile, "profile")
            if wire not in (None, "float16"):
                raise ArgumentError(f"wire is {wire!r}; expected None or 'float16'")
            if partition not in ("contiguous", "interleaved", "auto"):
                raise ArgumentError(
                    f"partition is {partition!r}; expected 'contiguous', 'interleaved' or 'auto'"
                )
            shared_out = partition
        except ArgumentError as error:
            problem = str(error)
        self._native = _native.mpi().Compositor(
            MPI._handleof(comm),
            name,
            ring_ranks,
            limit,
            node_ranks,
            blenders,
            bool(check),
            bool(sparse),
            wire == "float16",
            chunk_bytes,
            shared_out,
            profile_path,
            problem,
        )
        self._tracing = False

    def composite(
        self,
        image: object | None,
        depth: object | None = None,
        op: str = "over",
        order: Sequence[int] | None = None,
        background: Sequence[float] | None = None,
        *,
        bounds: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
    ) -> Tile:
        """Composite this rank's image with those of all others; returns this rank's finished pixels.

        Args:
            image: array (H, W, C) of float32, float16 or uint8, C-contiguous and premultiplied, NumPy's or
                anything with DLPack on the CPU; it is read without a copy. None on a rank without one.
            depth: array (H, W) of float32; smaller is nearer. Without an image: whether the others have one
                (``op="closest"`` says so by itself).
            op: over, closest, add, max or min.
            order: ranks from front to back; None is rank order.
            background: one value a channel, premultiplied (0..1 for uint8 images), put behind everything.
            bounds: rectangle of pixels (x0, y0, x1, y1), half open, outside which this rank's image is empty
                (all channels 0, depth infinite), so that it need not be read. Ranks may differ in it.
            shape: (H, W, C) of the other ranks' images, where ``image`` is None.
            dtype: their type.

        Raises:
            ArgumentError, MismatchError, TimeoutError: see the class.
        """
        try:
            if image is None and depth is None:
                depth = op == "closest"
            picture = _arrays.picture(image, depth, shape, dtype)
            ranks = _arrays.ranks(order, "order")
            colours = _arrays.colours(background, "background")
            rectangle = _arrays.rectangle(bounds)
            _core.check_op(_arrays.text(op, "op"))
        except Exception as error:
            # The others must not wait for this rank: all raise what is wrong here.
            self._native.refuse("composite", str(error))
            raise
        try:
            return self._native.composite(  # type: ignore[no-any-return]
                picture.colour,
                picture.depth,
                picture.height,
                picture.width,
                picture.channels,
                picture.scalar,
                picture.has_depth,
                op,
                ranks,
                colours,
                rectangle,
            )
        except (ArgumentError, MismatchError):
            raise
        except BaseException:
            _still_read.append(picture)
            raise

    def allocate(self, shape: Sequence[int], dtype: DTypeLike) -> NDArray[Any]:
        """An array of zeros in memory that the other ranks of the machine can read. Not collective.

        Images that lie there are composited without a copy; others are read through the kernel, or copied
        once where it forbids that. It stays valid for as long as the array exists.

        Args:
            shape: (H, W, C) of an image, or (H, W) of a depth plane.
            dtype: float32, float16 or uint8.

        Raises:
            ArgumentError: another dtype, or a shape that is none.
        """
        return self._native.allocate(_arrays.extents(shape), _arrays.scalar(dtype))  # type: ignore[no-any-return]

    def gather(
        self, tile: Tile, root: int = 0, depth: bool = False
    ) -> NDArray[Any] | tuple[NDArray[Any], NDArray[np.float32]] | None:
        """Collect the tiles of one frame: the whole image (H, W, C) at ``root``, None elsewhere.

        With ``depth`` the root gets the pair (image, depth), depth of shape (H, W). Tiles of ranks that share
        the root's machine are parts of the image, not copies: who writes into it changes them.

        Raises:
            ArgumentError, MismatchError, TimeoutError: see the class.
        """
        if not isinstance(tile, _native.mpi().Tile):
            self._native.refuse("gather", f"tile is a {type(tile).__name__}; expected one of composite()")
        try:
            (rank,) = _arrays.ranks([root], "root")
        except ArgumentError:
            self._native.refuse("gather", f"root is {root!r}; expected a rank")
            raise
        frame = self._native.gather(tile, rank, bool(depth))
        if frame is None:
            return None
        return frame if depth else frame[0]  # type: ignore[no-any-return]

    @property
    def timing(self) -> Timing:
        """Timing of the last composite() and, if it followed, gather(), on this rank."""
        return self._native.timing  # type: ignore[no-any-return]

    @property
    def algorithm(self) -> str:
        """Full name of the last frame's algorithm: what "auto" chose, with all parameters."""
        return self._native.algorithm  # type: ignore[no-any-return]

    def explain(self) -> str:
        """How the last composite() went about it, and why so: some lines of text."""
        return self._native.explain()  # type: ignore[no-any-return]

    @property
    def trace(self) -> bool:
        """Whether events are recorded."""
        return self._tracing

    @trace.setter
    def trace(self, on: bool) -> None:
        self._tracing = bool(on)
        self._native.trace(self._tracing)

    def events(self) -> list[Event]:
        """Events recorded on this rank since the last clear_events()."""
        return self._native.events()  # type: ignore[no-any-return]

    def clear_events(self) -> None:
        """Drop the recorded events."""
        self._native.clear_events()


def visibility_order(
    comm: MPI.Intracomm,
    bounds: Sequence[float] | None,
    eye: Sequence[float] | None = None,
    direction: Sequence[float] | None = None,
) -> list[int]:
    """Ranks from front to back, from the axis-aligned box that holds each rank's data. Collective.

    Args:
        comm: an mpi4py communicator.
        bounds: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data; None if it has none.
            A minimum above its maximum, as of an empty VTK dataset, says the same. Such ranks come last.
        eye: position of the eye, the same on every rank.
        direction: for a parallel projection, the direction in which the viewer looks, instead of ``eye``.

    Raises:
        ArgumentError: on every rank, if boxes overlap or cover each other in a cycle (the message names
            it), or an argument is wrong on some rank.
        MismatchError: on every rank, if eye or direction differ.
    """
    problem = _viewpoint_problem(bounds, eye, direction)
    box = None if problem or bounds is None else [float(b) for b in bounds]
    view = "" if problem else _viewpoint_text(eye, direction)
    everything = comm.allgather((problem, box, view))
    for rank, (text, _, _) in enumerate(everything):
        if text:
            raise ArgumentError(f"rank {rank}: {text}")
    first = everything[0][2]
    for rank, (_, _, other) in enumerate(everything):
        if other != first:
            raise MismatchError(f"ranks disagree: viewpoint: {first} on rank 0; {other} on rank {rank}")
    nothing = [1.0, 0.0] * 3
    boxes = [nothing if box is None else box for _, box, _ in everything]
    position = [float(x) for x in (eye if direction is None else direction) or ()]
    return _core.visibility_order(boxes, position, direction is not None)


def _viewpoint_text(eye: Sequence[float] | None, direction: Sequence[float] | None) -> str:
    name, point = ("eye", eye) if direction is None else ("direction", direction)
    return f"{name} {tuple(float(x) for x in point or ())}"


def _viewpoint_problem(
    bounds: Sequence[float] | None, eye: Sequence[float] | None, direction: Sequence[float] | None
) -> str:
    if (eye is None) == (direction is None):
        return "expected either eye or direction"
    point = eye if direction is None else direction
    for what, values, length in (("bounds", bounds, 6), ("eye or direction", point, 3)):
        if values is None:
            continue
        try:
            numbers = [float(value) for value in values]
        except (TypeError, ValueError):
            return f"{what} is {values!r}; expected {length} numbers"
        if len(numbers) != length or not np.all(np.isfinite(numbers)):
            return f"{what} is {values!r}; expected {length} finite numbers"
    return ""
