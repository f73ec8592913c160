"""The compositor: one image per rank becomes one image, over MPI."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from numpy.typing import DTypeLike, NDArray

from sortlast import _arrays, _box_images, _channels, _core, _device, _fragments, _native
from sortlast._core import Machine
from sortlast._errors import ArgumentError, UsageError
from sortlast._fragments import Fragments
from sortlast._frame import Frame
from sortlast.protocols import FabricChoice, Out, Tile

if TYPE_CHECKING:
    from typing import Self

    from mpi4py import MPI

    from sortlast._core import Event, Timing

_OPS = _core.ops()

# Images of calls that ended while MPI may still have been reading them: they are never freed.
_still_read: list[object] = []


def _chosen(
    fabric: FabricChoice, comm: MPI.Intracomm, algorithm: str, ring: Sequence[int] | None
) -> tuple[str, list[int] | None]:
    """Algorithm and ring for the fabric, if neither is given."""
    if not hasattr(fabric, "choice"):
        raise ArgumentError(f"fabric is {_arrays.shown(fabric)}; expected a sortlast.simulate.JobFabric")
    if algorithm != "auto" or ring is not None:
        raise ArgumentError("fabric chooses algorithm and ring; leave out both, or the fabric")
    name, chosen = fabric.choice(comm.Get_size())
    return name, _arrays.ranks(chosen, "ring")


def _profile(profile: object) -> Machine | str:
    """A machine, or the name of a file; "" for none."""
    if profile is None:
        return ""
    return profile if isinstance(profile, Machine) else _arrays.path(profile, "profile")


class Compositor:
    """Composites the images of all ranks of a communicator.

    All calls are collective and every rank must make the same ones. If arguments differ between ranks, or are
    invalid on some, every rank raises the same MismatchError (or ArgumentError) once all have arrived. The
    compositor stays ``usable`` if no rank had begun to exchange the frame, which is always so for ranks of
    one machine. Pixels may have been written to ``out``. If a rank does not arrive within ``timeout``
    seconds, the others raise a TimeoutError that says which rank waits for which; if the call of a rank fails
    later, the others raise a RemoteError with its cause. After either, and after an MpiError, a MemoryError
    or a KeyboardInterrupt, the compositor cannot be used any more; a new one may be made on the same
    communicator. Only one thread at a time may use it: a second one gets a UsageError, as does a call after
    ``close`` or after MPI_Finalize.

    As a context manager it closes itself at the end of the block::

        with sortlast.Compositor(comm) as comp:
            tile = comp.composite(image)

    All ranks pass the same arguments except ``timeout``, ``threads`` and the file of the ``profile``.

    Args:
        comm: any mpi4py intracommunicator; it is duplicated.
        algorithm: a name of ``sortlast schedule --list``, such as "shift" or "radix-k:8,8", or "auto".
        ring: ranks in communication order (the fabric's routing order), independent of depth order; shift and
            direct-send follow it for every view. None is rank order.
        timeout: longest wait without any progress, in seconds.
        node_ranks: ranks that share a machine read each other's images in place. 0 or None: the ranks that
            actually share one; 1: none, all pixels travel as messages; k: at most k of them, as if the others
            were on other machines.
        threads: threads of this rank that blend, including its own; 0 or None: the machine's cores per rank.
            The compositors of a process share them.
        check: check in every call, by a small reduction, that all ranks passed the same arguments. Without
            it, mismatched ranks hang or give wrong pixels. Ranks that all share a machine always check, at no
            cost.
        wire: "float16" sends the colours of float32 images as float16, with a relative rounding error of at
            most 2^-11 per transfer; "image" sends them in the format of the images.
        profile: the machine for which "auto" chooses: a :class:`sortlast.Machine` from
            ``sortlast.tune.measure``, or a file from ``sortlast tune``, which only rank 0 reads. None: the
            file named by the environment variable SORTLAST_PROFILE, or else the one that
            ``sortlast tune --keep`` has kept for this machine, or else the defaults. The same profile gives
            the same choice, and thus the same bits, on every run.
        deadline: None: every frame waits for all ranks. A number leaves late ranks out: a frame is composited
            by the ranks that have arrived when its deadline is over, or when all have; ``left_out`` of the
            tile lists the others, which take part in the next frame. The deadline is the time in seconds that
            a frame stays open after the first call of a rank that took part in the previous one; with several
            nodes, after the call of rank 0, for which all wait. At most ``timeout``. Only for frames with one
            image per rank. See "When ranks are late" in the documentation.
        fabric: the job's network and image, a ``sortlast.simulate.JobFabric``, for which "auto" chooses
            algorithm and ring once: the fastest ones in a simulation. Every rank simulates by itself; it must
            be the same on all ranks.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        algorithm: str = "auto",
        ring: Sequence[int] | None = None,
        timeout: float = 60.0,
        *,
        node_ranks: int | None = None,
        threads: int | None = None,
        check: bool = True,
        wire: str = "image",
        profile: Machine | str | os.PathLike[str] | None = None,
        deadline: float | None = None,
        fabric: FabricChoice | None = None,
    ) -> None:
        native, handle = _native.joining(comm)
        problem, options, stopped = "", dict[str, Any](), None
        try:
            options["algorithm"] = _arrays.text(algorithm, "algorithm")
            options["ring"] = _arrays.ranks(ring, "ring")
            options["timeout"] = _arrays.number(timeout, "timeout")
            options["node_ranks"] = _arrays.count(node_ranks, "node_ranks")
            options["threads"] = _arrays.count(threads, "threads")
            options["check"] = _arrays.flag(check, "check")
            options["wire"] = _arrays.choice(wire, "wire", ("image", "float16"))
            options["profile"] = _profile(profile)
            options["deadline"] = None if deadline is None else _arrays.number(deadline, "deadline")
            if fabric is not None:
                options["algorithm"], options["ring"] = _chosen(fabric, comm, algorithm, ring)
        except Exception as error:
            # The others must not wait for this rank: all ranks raise the error below.
            problem, options = str(error), {}
        except BaseException as error:  # Ctrl-C
            problem, options, stopped = type(error).__name__, {}, error
        try:
            self._native = native.Compositor(handle, problem, **options)
        finally:
            if stopped is not None:
                raise stopped
        self._tracing = False
        self._from_gpu = False  # images of the last composite_layers()

    def close(self) -> None:
        """Free the compositor's resources. All ranks call it before MPI ends; later calls of others raise.

        Tiles, frames and arrays stay valid. Closing again does nothing.
        """
        self._native.close()

    def shrink(self) -> Self:
        """A new compositor of the surviving ranks, in the same order and with the same options.

        For use after a call that failed because ranks have died, or was abandoned for another reason.
        Collective over the surviving ranks: those in another call of this compositor raise a RemoteError, and
        must then call ``shrink`` too. Afterwards this compositor can only be closed. Parameters of an
        algorithm are dropped if they do not fit the number of ranks. ``ranks`` of the new compositor lists
        the survivors; the caller's communicator must be shrunk separately (``comm.Shrink()``).

        It requires an MPI in which ranks survive others: Open MPI 5, started by ``mpiexec --with-ft ulfm``.

        Raises:
            UsageError: ranks do not survive others here; this compositor is unchanged.
            TimeoutError: a surviving rank did not arrive within ``timeout`` seconds. It may be stopped; end
                it, and make a compositor on another communicator.
            RemoteError: further ranks have died meanwhile. ``shrink`` may be called again.
        """
        made = object.__new__(type(self))
        made._native = self._native.shrink()
        made._tracing = made._from_gpu = False
        return made

    @property
    def ranks(self) -> list[int]:
        """For each rank, its rank in the communicator given to the first compositor."""
        return self._native.ranks  # type: ignore[no-any-return]

    @property
    def usable(self) -> bool:
        """Whether further calls are possible; False once it is closed, or after an error that ended it."""
        return self._native.usable  # type: ignore[no-any-return]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()

    def composite(
        self,
        image: object | None = None,
        depth: object | None = None,
        op: str = "over",
        order: Sequence[int] | None = None,
        background: Sequence[float] | None = None,
        *,
        bounds: Sequence[int] | None = None,
        shape: Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        premultiplied: bool = True,
        out: Out = None,
        channels: Mapping[str, object] | None = None,
        rules: Mapping[str, object] | None = None,
        channel_background: Mapping[str, object] | None = None,
        root: int | None = None,
        deadline: float | None = None,
        stream: object | None = None,
    ) -> Tile:
        """Composite this rank's image with all others; returns this rank's finished pixels.

        :meth:`composite_layers` composites several images per rank, :meth:`composite_fragments` lists of
        fragments.

        Args:
            image: array (H, W, C) of float32, float16 or uint8, C-contiguous and premultiplied, from NumPy or
                any library with DLPack; it is read without a copy. None on a rank without one. An array in
                the memory of a GPU (CuPy, PyTorch, JAX, ...) is read there, and the tile and the frame are
                there too; see "Images on the GPU" in the documentation.
            depth: array (H, W) of float32; smaller is nearer, +inf where the image is empty. ``closest``
                rejects planes in which it finds NaN. Without an image: whether the others have depth (implied
                by ``op="closest"``).
            op: over, closest, add, max or min. ``over`` blends in the ``order``: it does not look at depth,
                which then only travels along (the frame's is the nearest).
            order: ranks from front to back; None is rank order.
            background: one value per channel, premultiplied (0..1 for uint8 images), put behind everything.
            bounds: half-open rectangle of pixels (x0, y0, x1, y1) outside which this rank's image is empty
                (all channels 0, depth infinite), so that it need not be read. May differ between ranks.
            shape: (H, W, C) of the other ranks' images, if ``image`` is None.
            dtype: of the other ranks' images, likewise.
            premultiplied: whether the colours of this rank's image are multiplied by its alpha. If False,
                they are multiplied while they are read; the result is premultiplied. May differ between
                ranks.
            out: array like the image, or a pair of one and an array like its depth, for a whole image, into
                which this rank's pixels are written at their place; other pixels are unchanged. The tile is a
                view of it, unless the image is dealt out. On every rank or on none.
            channels: further values of pixels besides colour and depth, by name: arrays (H, W) or (H, W, n)
                of uint32 or float32, C-contiguous, with the same names and types on every rank. Without an
                image: the types, as ``numpy.uint32`` or ``(numpy.float32, 3)``. A rank's empty pixels (colour
                0, depth infinite, and 0 in blended channels) take no part. The image has fewer than 2^32
                pixels.
            rules: how the values of a pixel are combined, by channel; the same on every rank. None stands for
                "blend", or for "front" with ``over`` and uint32.

                - "blend": like the colours. ``closest`` takes the winner's; ``over`` weighs by the colours'
                  alpha, so the values are premultiplied and float32; ``add``, ``max`` and ``min`` work value
                  by value.
                - "front" or ("front", threshold), with ``over``: taken from the front-most image with an
                  alpha above the threshold, which is 0 or more and below 1.
                - "accumulated" or ("accumulated", threshold), with ``over``: taken from the image at which
                  the composited alpha of it and all images in front first exceeds the threshold. The values
                  of every image then travel to the last step.
            channel_background: a number, or one per value, behind all images, by channel: shown where nobody
                drew, blended behind "blend" channels, and shown where no image exceeds a threshold. None is 0
                where nobody drew, and nothing behind other pixels.
            root: the rank at which ``gather`` will collect the frame, if known; the same on every rank. It
                changes pixels at most by rounding, but may change the distribution of tiles. Between nodes,
                an image that every rank has drawn at most half of is dealt out in blocks, to balance the work
                wherever the images are empty; a tile then holds many ``ranges``. If no rank has drawn more
                than 1/p of it, the algorithm "auto" sends all images straight to the root, whose tile is then
                the frame; the others' are empty.
            deadline: for this frame, instead of the compositor's deadline, which leaves late ranks out. It
                may differ between ranks: the rank that starts the frame's time decides, or rank 0.
                ``math.inf``: the frame waits for all ranks, as the last one should.
            stream: for an image on a GPU, the CUDA stream on which the caller draws it and uses the result: a
                stream of CuPy or PyTorch, or its number. None: the one that the image names by the CUDA Array
                Interface, or else the default stream. The call returns when its work is added to the stream.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        try:
            if isinstance(image, Fragments):
                raise ArgumentError(
                    "image is a sortlast.Fragments; expected an array (H, W, C), or composite_fragments()"
                )
            if image is None and depth is None:
                depth = op == "closest"
            picture = _arrays.picture(
                image, depth, shape, dtype, on_device=True, stream=_device.stream_number(stream)
            )
            if op == "closest":
                _arrays.check_depth(picture.depth)
            described: Sequence[object] = ()
            if not (channels is None and rules is None and channel_background is None):
                described = _channels.channels(channels, rules, channel_background, picture)
            arguments = (
                _arrays.choice(op, "op", _OPS),
                _arrays.ranks(order, "order"),
                _arrays.colours(background, "background"),
                _arrays.rectangle(bounds),
                _arrays.flag(premultiplied, "premultiplied"),
                *_arrays.output(out, picture, picture.has_depth),
                described,
                _box_images.root(root),
                None if deadline is None else _arrays.number(deadline, "deadline"),
            )
        except BaseException as error:
            self._refuse("composite", error)
            raise
        self._from_gpu = False
        try:
            return self._native.composite(picture, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(picture)
            raise

    def composite_layers(
        self,
        images: Sequence[object],
        positions: Sequence[int],
        shape: Sequence[int],
        *,
        boxes: Sequence[Sequence[int]] | None = None,
        depths: Sequence[object] | None = None,
        op: str = "over",
        background: Sequence[float] | None = None,
        premultiplied: bool = True,
        root: int | None = None,
        out: Out = None,
    ) -> Tile:
        """Composite any number of images per rank; returns this rank's finished pixels.

        Each image covers a box of the frame and has its own place in depth among the images of all ranks. It
        contributes nothing outside its box. See "Many boxes per rank" in the documentation.

        Args:
            images: list of arrays (height, width, C) of float32, float16 or uint8, C-contiguous, in any
                order; empty on a rank without any. All images of all ranks have the same dtype and C. Arrays
                on a GPU are copied to the host first, where they are composited.
            positions: places of the images in depth, lower ones in front: whole numbers, unique over all
                ranks, with or without gaps.
            shape: (height, width) of the frame in pixels; the same on every rank.
            boxes: (x0, y0, x1, y1) of each image, half open, in pixels of the frame; an image has the height
                and width of its box. None: each image is of the whole frame.
            depths: list of planes (height, width) of float32, one per image, as ``closest`` needs; smaller is
                nearer, +inf where the image is empty. All images have depth, or none.
            op: over, closest, add, max or min.
            background: one value per channel, premultiplied (0..1 for uint8 images), put behind everything.
            premultiplied: whether the colours of this rank's images are multiplied by their alpha. If False,
                they are multiplied while they are read; the result is premultiplied. May differ between
                ranks.
            root: the rank at which ``gather`` will collect the frame, if known; the same on every rank. The
                algorithm "auto" may let that rank finish the whole frame, so that its tile is the frame and
                the others' are empty, if all images together have no more pixels than the frame. It changes
                pixels at most by rounding.
            out: array (H, W, C) like the frame, or a pair of one and an array (H, W) of float32, into which
                this rank's pixels are written at their place; other pixels are unchanged. On every rank or on
                none.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        try:
            layers = _box_images.box_images(images, depths, positions, shape, boxes)
            self._from_gpu = layers.from_gpu
            arguments = (
                _arrays.choice(op, "op", _OPS),
                _arrays.colours(background, "background"),
                _arrays.flag(premultiplied, "premultiplied"),
                _box_images.root(root),
                *_box_images.output(out, layers),
            )
        except BaseException as error:
            self._refuse("composite", error)
            raise
        try:
            return self._native.composite_images(layers, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(layers)
            raise

    def composite_fragments(
        self,
        fragments: Fragments | None = None,
        *,
        image: object | None = None,
        depth: object | None = None,
        mode: str | None = None,
        shape: Sequence[int] | None = None,
        background: Sequence[float] | None = None,
        out: NDArray[Any] | None = None,
        keep_lists: bool | None = None,
        max_bytes: int | None = None,
    ) -> Tile:
        """Composite a list of fragments per pixel; returns this rank's finished pixels.

        The fragments of all ranks are blended with ``over`` in order of depth; ties are broken by rank, and
        then by the order in a rank's list. The frame is RGBA of the fragments' dtype. It has the same bits
        with every algorithm. See "Interlocking regions" in the documentation.

        Args:
            fragments: this rank's :class:`sortlast.Fragments`; :meth:`sortlast.Fragments.from_layers` makes
                them of translucent images. A rank without any passes :meth:`sortlast.Fragments.empty`. None
                only with "depth-blend", on a rank without fragments.
            image: with "depth-blend", a surface: array (H, W, 4) or (H, W, 3) of the fragments' dtype. None
                on a rank without one.
            depth: array (H, W) of float32 of the surface; smaller is nearer. The surface exists where its
                depth is below infinity, and is opaque whatever its alpha.
            mode: "depth-blend": the nearest surface of all ranks is visible, and hides the fragments behind
                it; the fragments in front are blended over it. None: fragments only. The same on every rank.
            shape: (height, width) of the frame in pixels, on a rank with neither fragments nor image.
            background: four values, premultiplied (0..1 for uint8 fragments), put behind everything.
            out: array (H, W, 4) of the fragments' dtype, into which this rank's pixels are written at their
                place; other pixels are unchanged. On every rank or on none.
            keep_lists: whether the tile keeps the merged lists, which ``gather`` collects with
                ``fragments=True``; the same on every rank. False sends less: fragments hidden by an opaque
                one are left out, and fragments of one rank with no other rank's in between are blended early;
                the colours have the same bits. None is True, and False with "depth-blend".
            max_bytes: the maximum bytes of fragments that a rank may have to hold for the pixels that it
                finishes. A fragment counts 20 bytes (8 with uint8), and twice as many with ``keep_lists``.
                More raises an ArgumentError on every rank, before any are sent. None is no limit. The same on
                every rank.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        try:
            if mode not in (None, "depth-blend"):
                raise ArgumentError(f"mode is {mode!r}; expected 'depth-blend' or None")
            passed = _fragments.passed(fragments, image, depth, mode, shape)
            keep = mode is None if keep_lists is None else _arrays.flag(keep_lists, "keep_lists")
            arguments = (
                _arrays.colours(background, "background"),
                keep,
                _fragments.max_bytes(max_bytes),
                _fragments.output(out, passed),
            )
        except BaseException as error:
            self._refuse("composite", error)
            raise
        self._from_gpu = False
        try:
            return self._native.composite_fragments(*passed, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(passed)
            raise

    def _keep_if_given_up(self, images: object) -> None:
        """Keep the images of a call that ended while messages are in flight: see ``_still_read``."""
        if not self._native.usable:
            _still_read.append(images)

    def _refuse(self, call: str, error: BaseException) -> None:
        """Send this rank's error to the others: they must not wait for it, and all ranks raise it."""
        if isinstance(error, Exception):
            self._native.refuse(call, str(error))
        else:  # Ctrl-C: do not wait for the others
            self._native.give_up(type(error).__name__)

    def allocate(self, shape: Sequence[int], dtype: DTypeLike, *, device: str = "cpu") -> Any:
        """An array of zeros in memory that the other ranks of the machine can read. Not collective.

        Images in this memory are composited without a copy; other images are read through the kernel, or
        copied once if it forbids that. The memory stays valid for as long as the array exists.

        Args:
            shape: (H, W, C) of an image, or (H, W) of a depth plane.
            dtype: float32, float16 or uint8.
            device: "cpu"; or "cuda" or "cuda:N", the first GPU of this process or another: a
                :class:`sortlast.DeviceArray`.

        Raises:
            ArgumentError: another dtype or device, or an invalid shape.
            Error: there is no CUDA driver or no such GPU.
        """
        gpu = _device.ordinal(device)
        return self._native.allocate(_arrays.extents(shape), _arrays.scalar(dtype), gpu)

    def gather(
        self,
        tile: Tile,
        root: int = 0,
        *,
        depth: bool = False,
        channels: bool = False,
        fragments: bool = False,
        out: Out = None,
    ) -> Frame | None:
        """Collect the tiles of one frame: a :class:`sortlast.Frame` at ``root``, None elsewhere.

        Without ``out``, tiles of ranks on the root's machine, and a tile of the root that is the whole frame,
        are views of the frame's arrays, not copies: writing to them changes the tiles.

        Args:
            tile: the result of ``composite``, ``composite_layers`` or ``composite_fragments``.
            root: the rank that gets the frame.
            depth: collect the depth too, as ``frame.depth``; the images must have had it.
            channels: collect the channels too, as ``frame.channels``; the images must have had some.
            fragments: collect the merged lists, as ``frame.fragments``, instead of the colours, so that
                ``frame.colour`` is None. Only for a tile of fragments that keeps their lists, and without
                ``depth``, ``channels`` and ``out``.
            out: at the root, the array (H, W, C), or with ``depth`` a pair of it and an array (H, W), into
                which the image is written; they become the arrays of the frame.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        try:
            if not isinstance(tile, _native.mpi().Tile):
                raise ArgumentError(f"tile is a {type(tile).__name__}; expected one of composite()")
            rank = _arrays.rank(root, "root")
            depth = _arrays.flag(depth, "depth")
            channels = _arrays.flag(channels, "channels")
            if _arrays.flag(fragments, "fragments"):
                for name, given in (("depth", depth), ("channels", channels), ("out", out is not None)):
                    if given:
                        raise ArgumentError(f"{name} was passed with fragments=True; leave it out")
            colour_out, depth_out = None, None
            if out is not None and rank == self._native.rank:
                colour_out, depth_out = _arrays.output(out, _arrays.tile_picture(tile), depth)
        except BaseException as error:
            self._refuse("gather", error)
            raise
        if fragments:
            lists = self._native.gather_fragments(tile, rank)
            if lists is None:
                return None
            (width, height), *arrays = lists
            return Frame(None, fragments=Fragments((height, width), *arrays))
        found = self._native.gather(tile, rank, depth, colour_out, depth_out, channels)
        if found is None:
            return None
        colour, plane, named = found
        if colour_out is not None:
            colour, plane = colour_out, depth_out
        return Frame(colour, plane if depth else None, named if channels else {})

    @property
    def timing(self) -> Timing:
        """Timing of the last composite() and, if it followed, gather(), on this rank."""
        return self._native.timing  # type: ignore[no-any-return]

    @property
    def algorithm(self) -> str:
        """Full name of the last frame's algorithm, also if "auto" chose it, with all parameters."""
        return self._native.algorithm  # type: ignore[no-any-return]

    def explain(self) -> str:
        """Describe how and why the last composite() proceeded, in some lines of text."""
        copied = "This rank's images on the GPU were copied to the host first, as lists of images are.\n"
        return copied * self._from_gpu + self._native.explain()  # type: ignore[no-any-return]

    @contextmanager
    def trace(self) -> Iterator[list[Event]]:
        """Record the events of this rank in the block; the list is filled at the end of the block.

        Not collective. ``sortlast.trace.write`` writes the events of all ranks to a file::

            with compositor.trace() as events:
                compositor.composite(image)
            sortlast.trace.write(comm, events, "trace.json")

        Raises:
            UsageError: in the block of another ``trace()`` of this compositor, or the compositor is closed.
        """
        if self._tracing:
            raise UsageError("this compositor is being traced; expected one trace() at a time")
        events: list[Event] = []
        self._native.trace(True)
        self._tracing = True
        try:
            yield events
        finally:
            self._tracing = False
            events += self._native.events()
            self._native.clear_events()
            self._native.trace(False)
