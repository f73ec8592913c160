"""The compositor: one image a rank becomes one image, over MPI."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from numpy.typing import DTypeLike, NDArray

from sortlast import _arrays, _box_images, _channels, _core, _fragments, _native
from sortlast._core import Machine
from sortlast._errors import ArgumentError
from sortlast._fragments import Fragments
from sortlast.protocols import FabricChoice, Out, Tile

if TYPE_CHECKING:
    from typing import Self

    from mpi4py import MPI

    from sortlast._core import Event, Timing

_OPS = _core.ops()

# Images of calls that ended while MPI may still have been reading them: they are never given back.
_still_read: list[object] = []


def _chosen(
    fabric: FabricChoice, comm: MPI.Intracomm, algorithm: str, ring: Sequence[int] | None
) -> tuple[str, list[int] | None]:
    """Algorithm and ring by the fabric, where neither is given."""
    if not hasattr(fabric, "choice"):
        raise ArgumentError(f"fabric is {_arrays.shown(fabric)}; expected a sortlast.simulate.JobFabric")
    if algorithm != "auto" or ring is not None:
        raise ArgumentError("fabric chooses algorithm and ring; leave out both, or the fabric")
    name, chosen = fabric.choice(comm.Get_size())
    return name, _arrays.ranks(chosen, "ring")


def _profile(profile: object) -> Machine | str:
    """A machine, or the name of a file; "" is none."""
    if profile is None:
        return ""
    return profile if isinstance(profile, Machine) else _arrays.path(profile, "profile")


class Compositor:
    """Composites one image a rank over a communicator.

    All calls are collective and every rank must make the same ones. If arguments differ between ranks, or
    are wrong on some, every rank raises the same MismatchError (or ArgumentError) once all have arrived; the
    compositor stays ``usable`` if no rank had begun to exchange the frame, which ranks of one machine never
    have. Pixels may have been written to what was passed as ``out``. If a rank does not arrive within
    ``timeout`` seconds, the others raise a TimeoutError that says who waits for whom; if the call of a rank
    fails on the way, the others raise a RemoteError with its cause. After either, and after an
    MpiError, a MemoryError or a KeyboardInterrupt, the compositor cannot be used any more; a new one may be
    made on the same communicator. One thread at a time may use it: a second one gets a UsageError, and so
    does a call after ``close`` or after MPI_Finalize.

    As a context manager it closes itself at the end of the block::

        with sortlast.Compositor(comm) as comp:
            tile = comp.composite(image)

    All ranks pass the same but for ``timeout``, ``threads`` and the file of the ``profile``.

    Args:
        comm: any mpi4py intracommunicator; it is duplicated.
        algorithm: a name of ``sortlast algorithms``, such as "shift" or "radix-k:8,8", or "auto".
        ring: ranks in communication order (the fabric's routing order), apart from depth order; shift and
            direct-send follow it whatever the view. None is rank order.
        timeout: longest wait without any progress, in seconds.
        node_ranks: ranks that share a machine read each other's images where they lie. 0 or None: those
            that really do; 1: none, all pixels travel as messages; k: at most k of them, as if the others
            were on other machines.
        threads: threads of this rank that blend, its own among them; 0 or None: as many as the machine has
            cores for each of its ranks. The compositors of a process share them.
        check: check in every call, by a small reduction, that all ranks passed the same arguments.
            Without it ranks that disagree hang or give wrong pixels. Ranks that all share a machine check at
            no cost anyway.
        wire: "float16" lets the colours of float32 images travel as float16, which rounds each by at most
            2^-11 of itself a transfer; "image" sends what the images hold.
        profile: the machine for which "auto" chooses: a :class:`sortlast.Machine`, as
            ``sortlast.tune.measure`` finds it, or a file, as ``sortlast tune`` writes it, which rank 0 alone
            reads. None is the file that the environment variable SORTLAST_PROFILE names, or else the one that
            ``sortlast tune --keep`` has kept for this machine, or else the defaults. The same profile gives
            the same choice, and so the same bits, on every run.
        deadline: None: every frame waits for all ranks. A number leaves late ranks out: a frame is composited
            by the ranks that have arrived when its deadline is over, or when all have; ``left_out`` of the
            tile lists the others, which take part in the next frame. The deadline is how long a frame stays
            open after the first call of a rank that took part in the one before, in seconds; where ranks are
            on several nodes, after the call of rank 0, for which all wait. At most ``timeout``. Frames of one
            image per rank only. See "When ranks are late" in the documentation.
        fabric: the network of the job and its image, a ``sortlast.simulate.JobFabric``, by which "auto"
            chooses algorithm and ring once and for all: what is fastest there as simulated. Every rank
            simulates by itself, and passes the same.
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
            # The others must not wait for this rank: all raise what is wrong here.
            problem, options = str(error), {}
        except BaseException as error:  # Ctrl-C
            problem, options, stopped = type(error).__name__, {}, error
        try:
            self._native = native.Compositor(handle, problem, **options)
        finally:
            if stopped is not None:
                raise stopped
        self._tracing = False

    def close(self) -> None:
        """Give back what the compositor holds. All ranks call it before MPI ends; other calls raise then.

        Tiles, frames and arrays stay valid. Calling it again does nothing.
        """
        self._native.close()

    def shrink(self) -> Self:
        """A new compositor of the ranks that live, in the same order and with the same options.

        For after a call that has raised because ranks have died, or that was given up for another reason.
        Collective over the ranks that live: those in another call of this compositor raise a RemoteError, and
        shall then call ``shrink`` too. Afterwards this compositor can only be closed. The parameters of an
        algorithm are left out if they do not fit the number of ranks. ``ranks`` of the new one tells who is
        left; a communicator for other calls of the caller's has to be shrunk by itself (``comm.Shrink()``).

        It takes an MPI in which ranks outlive others: Open MPI 5, started by ``mpiexec --with-ft ulfm``.

        Raises:
            UsageError: ranks do not outlive others here; this compositor is as it was.
            TimeoutError: a rank that lives did not come within ``timeout`` seconds. It may be stopped; end
                it, and make a compositor on another communicator.
            RemoteError: further ranks have died meanwhile. It may be called again.
        """
        made = object.__new__(type(self))
        made._native = self._native.shrink()
        made._tracing = False
        return made

    @property
    def ranks(self) -> list[int]:
        """Of each rank the one that it was in the communicator given to the first compositor."""
        return self._native.ranks  # type: ignore[no-any-return]

    @property
    def usable(self) -> bool:
        """Whether further calls can be made: not once it is closed, or an error of a call has ended it."""
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
        fragments: Fragments | None = None,
        mode: str | None = None,
        keep_lists: bool | None = None,
        most_bytes: int | None = None,
        channels: Mapping[str, object] | None = None,
        rules: Mapping[str, object] | None = None,
        channel_background: Mapping[str, object] | None = None,
        images: Sequence[object] | None = None,
        positions: Sequence[int] | None = None,
        size: tuple[int, int] | None = None,
        boxes: Sequence[Sequence[int]] | None = None,
        root: int | None = None,
        deadline: float | None = None,
    ) -> Tile:
        """Composite this rank's image with those of all others; returns this rank's finished pixels.

        With ``images`` instead of ``image`` a rank has several, or none, each of a box of the frame and at a
        place of its own in depth, and every rank passes ``images``, ``positions`` and ``size``; see "Many
        boxes a rank" in the documentation. Outside its box an image contributes nothing.

        Args:
            image: array (H, W, C) of float32, float16 or uint8, C-contiguous and premultiplied, NumPy's or
                anything with DLPack on the CPU; it is read without a copy. None on a rank without one.
            depth: array (H, W) of float32; smaller is nearer, +inf where nothing is. ``closest`` refuses
                planes in which it finds NaN. Without an image: whether the others have one
                (``op="closest"`` says so by itself).
            op: over, closest, add, max or min.
            order: ranks from front to back; None is rank order.
            background: one value a channel, premultiplied (0..1 for uint8 images), put behind everything.
            bounds: rectangle of pixels (x0, y0, x1, y1), half open, outside which this rank's image is empty
                (all channels 0, depth infinite), so that it need not be read. Ranks may differ in it.
            shape: (H, W, C) of the other ranks' images, where ``image`` is None.
            dtype: their type.
            premultiplied: whether the colours of this rank's image are multiplied by its alpha. False
                multiplies them while they are read; the result is premultiplied. Ranks may differ in it.
            out: array like the image, or pair of one and of an array like its depth, of a whole image, in
                which this rank's pixels are put where they belong; the others are left as they are. The tile
                is a view of it, unless the image is dealt out. On every rank or on none.
            fragments: this rank's :class:`sortlast.Fragments`, which may also be passed as ``image``. The
                fragments of all ranks are blended with ``over`` in the order of their depths, those of equal
                depth in the order of ranks, and those of one rank as it lists them. The result has the same
                bits by every algorithm.
            mode: "depth-blend": ``image`` (of the fragments' dtype) and ``depth`` are a surface that hides
                the fragments behind it, on every rank that has one; the nearest surface of all ranks shows,
                and the fragments in front of it are blended over it. It is there where its depth is below
                infinity, opaque whatever its alpha. :meth:`sortlast.Fragments.from_layers` makes fragments
                of translucent images.
            keep_lists: of fragments, whether the tile keeps the merged lists, which ``gather`` collects with
                ``flatten=False``; the same on every rank. False sends less: what an opaque fragment hides is
                left out, and fragments of one rank that no other's can come between are blended early; the
                colours are the same bits. None is True, and False with "depth-blend".
            most_bytes: of fragments, the most bytes of them that a rank may have to hold of the pixels that
                it finishes, at 20 each (8 with uint8) and twice that with ``keep_lists``; more is an
                ArgumentError on every rank, before any travels. None is no limit. The same on every rank.
            channels: what pixels hold beside colour and depth, by name: arrays (H, W) or (H, W, n) of uint32
                or float32, C-contiguous, on every rank the same names and types. Without an image: the types,
                as ``numpy.uint32`` or ``(numpy.float32, 3)``. A rank's pixels that are not drawn (colour 0,
                depth infinite, and 0 in the channels that are blended) take no part. The image has fewer than
                2^32 pixels.
            rules: how the values of a pixel become one, by channel; the same on every rank. None stands for
                "blend", and with ``over`` for "front" where they are uint32.

                - "blend": as the colours. ``closest`` takes the winner's; ``over`` weighs by the colours'
                  alpha, so the values are premultiplied and float32; ``add``, ``max`` and ``min`` work value
                  by value.
                - "front" or ("front", threshold), with ``over``: of the front-most image whose alpha there is
                  above the threshold, which is 0 or more and below 1.
                - "accumulated" or ("accumulated", threshold), with ``over``: of the image at which the alpha
                  of all in front of it and its own, composited, first passes the threshold. The values of
                  every image travel to the last step then.
            channel_background: a number, or one a value, behind all images, by channel: shown where nobody
                drew, blended behind what is blended, and shown where no image passes a threshold. None is 0
                where nobody drew, and nothing behind other pixels.
            images: list of arrays like ``image``, each of its box's height and width, in any order; an empty
                list on a rank without any. ``depth`` is then a list of planes, one an image. All are of one
                type, which ranks without images need not tell. Not with ``image``, ``order``, ``bounds``,
                ``shape``, ``dtype`` or ``channels``.
            positions: the images' places in depth, lower ones in front: whole numbers, with gaps or not, that
                no two images of all ranks share.
            size: (width, height) of the frame.
            boxes: (x0, y0, x1, y1) of each image, half open, in pixels of the frame. None: each image is of
                the whole frame.
            root: the rank at which ``gather`` will collect the frame, if that is known; the same on every
                rank. Pixels differ by rounding at most, but tiles hold other pixels. With ``images``, the
                algorithm "auto" may let that rank finish all of the frame, so that its tile is the whole one
                and the others' are empty, where all images together have no more pixels than the frame.
                Between nodes, an image of which every rank has drawn at most half is dealt out in blocks, so
                that each rank has as much to do wherever the images are empty; a tile then holds many
                ``ranges``.
            deadline: of this frame instead of the compositor's, which leaves late ranks out: of the rank
                whose call opens the frame's time, or of rank 0; ranks may differ in it. ``math.inf``: the
                frame waits for all ranks, as the last one should.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        if images is not None or positions is not None or size is not None or boxes is not None:
            one = {"image": image, "order": order, "bounds": bounds, "shape": shape, "dtype": dtype}
            one |= {"channels": channels, "rules": rules, "channel_background": channel_background}
            one |= {"fragments": fragments, "mode": mode, "keep_lists": keep_lists, "most_bytes": most_bytes}
            return self._composite_images(
                one, images, depth, positions, size, boxes, op, background, premultiplied, root, out
            )
        if mode is not None or fragments is not None or isinstance(image, Fragments):
            given = {
                "op": op != "over",
                "order": order is not None,
                "bounds": bounds is not None,
                "dtype": dtype is not None,
                "premultiplied": premultiplied is not True,
                "channels": channels is not None,
                "root": root is not None,
            }
            return self._composite_fragments(
                image, depth, fragments, mode, shape, background, out, keep_lists, most_bytes, given
            )
        try:
            if keep_lists is not None or most_bytes is not None:
                raise ArgumentError("keep_lists and most_bytes are of fragments; expected some with them")
            if image is None and depth is None:
                depth = op == "closest"
            picture = _arrays.picture(image, depth, shape, dtype)
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
        try:
            return self._native.composite(picture, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(picture)
            raise

    def _composite_images(
        self,
        of_one: dict[str, object],
        images: object,
        depth: object | None,
        positions: object,
        size: object,
        boxes: object | None,
        op: str,
        background: Sequence[float] | None,
        premultiplied: bool,
        root: int | None,
        out: Out,
    ) -> Tile:
        """``composite`` of several images a rank; ``of_one``: arguments that only one image has."""
        try:
            for name, value in of_one.items():
                if value is not None:
                    raise ArgumentError(
                        f"{name} was passed with images, positions, size or boxes; leave it out"
                    )
            several = _box_images.box_images(images, depth, positions, size, boxes)
            arguments = (
                _arrays.choice(op, "op", _OPS),
                _arrays.colours(background, "background"),
                _arrays.flag(premultiplied, "premultiplied"),
                _box_images.root(root),
                *_box_images.output(out, several),
            )
        except BaseException as error:
            self._refuse("composite", error)
            raise
        try:
            return self._native.composite_images(several, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(several)
            raise

    def _composite_fragments(
        self,
        image: object | None,
        depth: object | None,
        fragments: Fragments | None,
        mode: str | None,
        shape: Sequence[int] | None,
        background: Sequence[float] | None,
        out: Out,
        keep_lists: bool | None,
        most_bytes: int | None,
        given: dict[str, bool],
    ) -> Tile:
        try:
            wrong = [name for name, there in given.items() if there]
            if wrong:
                raise ArgumentError(f"fragments are composited without {' and '.join(wrong)}; leave it out")
            if mode not in (None, "depth-blend"):
                raise ArgumentError(f"mode is {mode!r}; expected 'depth-blend' or None")
            passed = _fragments.passed(image, depth, fragments, mode, shape)
            keep = mode is None if keep_lists is None else _arrays.flag(keep_lists, "keep_lists")
            arguments = (
                _arrays.colours(background, "background"),
                keep,
                _fragments.most_bytes(most_bytes),
                _fragments.output(out, passed[:2], passed.scalar),
            )
        except BaseException as error:
            self._refuse("composite", error)
            raise
        try:
            return self._native.composite_fragments(*passed, *arguments)  # type: ignore[no-any-return]
        except BaseException:
            self._keep_if_given_up(passed)
            raise

    def _keep_if_given_up(self, images: object) -> None:
        """Keep the images of a call that ended while messages are under way: see ``_still_read``."""
        if not self._native.usable:
            _still_read.append(images)

    def _refuse(self, call: str, error: BaseException) -> None:
        """Tell the others what is wrong here: they must not wait for this rank, and all raise it."""
        if isinstance(error, Exception):
            self._native.refuse(call, str(error))
        else:  # Ctrl-C: not to wait for the others
            self._native.give_up(type(error).__name__)

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

    @overload
    def gather(
        self,
        tile: Tile,
        root: int = 0,
        with_depth: bool = False,
        *,
        out: Out = None,
        channels: bool = False,
        flatten: Literal[True] = True,
    ) -> NDArray[Any] | tuple[Any, ...] | None: ...
    @overload
    def gather(
        self,
        tile: Tile,
        root: int = 0,
        with_depth: bool = False,
        *,
        out: Out = None,
        channels: bool = False,
        flatten: bool,
    ) -> NDArray[Any] | tuple[Any, ...] | Fragments | None: ...
    def gather(
        self,
        tile: Tile,
        root: int = 0,
        with_depth: bool = False,
        *,
        out: Out = None,
        channels: bool = False,
        flatten: bool = True,
    ) -> NDArray[Any] | tuple[Any, ...] | Fragments | None:
        """Collect the tiles of one frame: the whole image (H, W, C) at ``root``, None elsewhere.

        With ``with_depth`` the root gets the pair (image, depth), depth of shape (H, W). With ``channels`` it
        gets a dict of arrays (H, W) or (H, W, n) by name behind these: (image, {...}) or (image, depth,
        {...}). Without ``out``, tiles of ranks that share the root's machine are parts of the image, not
        copies: who writes into it changes them.

        Args:
            tile: what ``composite`` returned.
            root: the rank that gets the image.
            with_depth: collect the depth too, if the images had it.
            out: at the root, the array (H, W, C), or with ``with_depth`` the pair of arrays, in which the
                image is to be put; it is returned.
            flatten: False gathers, of a tile of fragments that keeps their lists, these: the root gets the
                merged :class:`sortlast.Fragments` of all ranks, in order.
            channels: collect the channels too, if the images had some.

        Raises:
            ArgumentError, MismatchError, TimeoutError, RemoteError, UsageError, MpiError: see the class.
        """
        try:
            if not isinstance(tile, _native.mpi().Tile):
                raise ArgumentError(f"tile is a {type(tile).__name__}; expected one of composite()")
            rank = _arrays.rank(root, "root")
            flatten = _arrays.flag(flatten, "flatten")
            if not flatten and (with_depth or out is not None):
                raise ArgumentError("flatten=False gathers lists of fragments, without with_depth and out")
            with_depth = _arrays.flag(with_depth, "with_depth")
            channels = _arrays.flag(channels, "channels")
            colour_out, depth_out = None, None
            if out is not None and rank == self._native.rank:
                colour_out, depth_out = _arrays.output(out, _arrays.tile_picture(tile), with_depth)
        except BaseException as error:
            self._refuse("gather", error)
            raise
        if not flatten:
            lists = self._native.gather_fragments(tile, rank)
            return None if lists is None else Fragments(*lists)
        frame = self._native.gather(tile, rank, with_depth, colour_out, depth_out, channels)
        if frame is None:
            return None
        colour, depth, planes = frame
        planes = (planes,) if channels else ()
        if out is not None:
            return (*out, *planes) if isinstance(out, tuple) else (out, *planes) if channels else out
        if with_depth:
            return (colour, depth, *planes)
        return (colour, *planes) if channels else colour

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
