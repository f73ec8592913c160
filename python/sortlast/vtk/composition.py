"""One picture of the windows of all ranks: the public interface, and how rank 0 starts work on the others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from sortlast import _arrays
from sortlast._errors import ArgumentError, Error, UsageError
from sortlast.compositor import Compositor
from sortlast.vtk import sampling, scene
from sortlast.vtk.adapter import check_window
from sortlast.vtk.frame import Frames, check_alike
from sortlast.vtk.merge import Merge
from sortlast.vtk.messages import Messages
from sortlast.vtk.parts import Box, Part, all_of, valid

if TYPE_CHECKING:
    from typing import Self

    from mpi4py import MPI

Result = TypeVar("Result")

MODES = ("auto", "surface", "volume", "boxes")

# Work that rank 0 starts, and the end of lead().
_FRAME, _BOUNDS, _END = "a frame", "new bounds", "the end of lead()"
_FIRST, _LAST = 1.0, -1.0  # priorities of observers: before and after the user's


def compose(
    window: Any,
    comm: MPI.Intracomm,
    mode: str = "auto",
    *,
    box: Sequence[float] | None = None,
    reduction: int = 1,
    timeout: float = 60.0,
    **options: Any,
) -> Composition:
    """Make rank 0's window show the combined scene of the windows of all ranks. Collective.

    From now on every rank renders its window as often as rank 0 does, or is in ``Composition.lead``. Size,
    viewports, cameras, backgrounds and annotations (2D props, axes around the data, layers above 0) are taken
    from rank 0. Windows of the other ranks render off screen. Multisampling and FXAA are turned off.

    Args:
        window: a ``vtkRenderWindow`` with the same number of renderers in layer 0 on every rank.
        comm: any mpi4py intracommunicator; it is duplicated.
        mode: how parts of different ranks are merged. "surface": by depth, for opaque surfaces. "volume": in
            the visibility order of the ranks' boxes, which may share no more than faces; for volumes, and
            for translucent and opaque surfaces. "boxes": in the visibility order of the boxes of all volumes,
            any number per rank; each is drawn alone with the surfaces inside its box, and props outside
            all volumes form further boxes. "auto": "boxes" if any rank shows several volumes that do not
            coincide, else "volume" if any shows something translucent, else "surface".
        box: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data, for the visibility order. None: the
            box of the visible props. Pass it if the props overlap other ranks' props, as ghost cells do.
        reduction: factor by which the picture is coarser in both directions during interaction.
        timeout: longest wait for another rank, in seconds.
        options: passed to ``Compositor``, such as ``algorithm``.

    Raises:
        MismatchError: on every rank, if the numbers of renderers differ.
        Error: on every rank, if an argument is wrong on some.
        TimeoutError: a rank did not arrive.
        MissingExtraError: VTK or mpi4py is not installed.
    """
    return Composition(window, comm, mode, box, reduction, timeout, options)


class Composition:
    """The result of ``compose``; the window keeps it alive.

    If a frame fails on one rank, the window's ``Render`` raises the error on every rank, and rank 0's window
    shows no complete picture. After a ``TimeoutError``, a ``RemoteError`` or an ``MpiError`` no more frames
    can be made.
    """

    def __init__(
        self,
        window: Any,
        comm: MPI.Intracomm,
        mode: str,
        box: Sequence[float] | None,
        reduction: int,
        timeout: float,
        options: dict[str, Any],
    ) -> None:
        self._window = window
        self._own: dict[Any, Box] = {}
        problem, limit, here, renderers = None, 60.0, None, []
        try:
            limit = _arrays.number(timeout, "timeout")
            mode = _arrays.choice(mode, "mode", MODES)
            here = None if box is None else valid(_arrays.numbers(box, "box", 6))
            reduction = _arrays.whole(reduction, "reduction")
            if reduction < 1:
                raise ArgumentError(f"reduction is {reduction}; expected 1 or more")
            renderers = _renderers(window)
        except Exception as error:
            # The others must not wait for this rank: all ranks raise the error below.
            problem = str(error)
        self.messages = Messages(comm, limit)
        self._held = ExitStack()
        self._held.callback(self._leave)
        self._frames: Frames | None = None
        try:
            self.messages.agree((problem, len(renderers)), check_alike)
            compositor = Compositor(self.messages.comm, timeout=limit, **options)
            self._held.callback(compositor.close)
        except Error:
            self._held.close()
            raise
        self.closed = self.leading = False
        self._woken = self._calling = False
        self._merges = [Merge(window, renderer, here, self._own) for renderer in renderers]
        self._frames = Frames(window, self._merges, self.messages, compositor, mode, reduction)
        self._failures = self._frames.failures
        self._attach(self._frames)
        self._share_bounds()

    def _attach(self, frames: Frames) -> None:
        window = self._window
        if not self.messages.root and window.GetNeverRendered():
            window.SetOffScreenRendering(True)
        self._held.enter_context(scene.one_sample(window))
        for merge in self._merges:
            self._held.callback(merge.stand_in.remove)
            self._observe(merge.renderer, "EndEvent", lambda *_, merge=merge: frames.drawn(merge), _LAST)
        start = lambda *_: frames.start(lambda: self._wake(_FRAME), self._prepare_volumes)  # noqa: E731
        self._observe(window, "StartEvent", start, _FIRST)
        self._observe(window, "EndEvent", lambda *_: self._end(frames), _LAST)
        window.Render = self.render
        window.sortlast_composition = self
        self._held.callback(delattr, window, "Render")
        self._held.callback(delattr, window, "sortlast_composition")

    def _observe(self, thing: Any, event: str, call: Callable[..., None], priority: float) -> None:
        self._held.callback(thing.RemoveObserver, thing.AddObserver(event, call, priority))

    def _end(self, frames: Frames) -> None:
        frames.end()
        failure = self._failures.failure
        if failure is not None and not self._calling:
            # No caller can catch it: VTK rendered the window.
            print(f"sortlast: {failure}", file=sys.stderr, flush=True)
            interactor = self._window.GetInteractor()
            if interactor is not None:
                interactor.TerminateApp()

    # ---- what users call

    @property
    def rank(self) -> int:
        """The number of this rank."""
        return int(self.messages.comm.rank)

    def boxes(self) -> list[tuple[Any, Any]]:
        """Each renderer, with a prop that draws nothing and has the bounding box of all ranks' parts."""
        return [(merge.renderer, merge.stand_in.prop) for merge in self._merges]

    def render(self) -> None:
        """Render the window, like its ``Render``. Every rank calls it, or is in ``lead``."""
        self._calling = True
        try:
            type(self._window).Render(self._window)
        finally:
            self._calling = False
        self._failures.raise_failure()

    def lead(self, work: Callable[[], Result]) -> Result | None:
        """Call ``work()``, such as an interactor's ``Start``, on rank 0; the others render when it does.

        Collective. Returns the result on rank 0, None elsewhere. An exception in ``work`` is raised on every
        rank. The other ranks wait without a limit, asleep.
        """
        if not self.messages.root:
            self._follow()
            return None
        if self.leading:
            return work()
        self.leading = True
        failure: BaseException | None = None
        try:
            result = work()
            self._failures.raise_failure()
            return result
        except BaseException as error:
            failure = error
            raise
        finally:
            self.leading = False
            told = failure if isinstance(failure, Error) else None
            if failure is not None and told is None:
                told = Error(f"rank 0: {type(failure).__name__}: {failure}")
            self.messages.tell((_END, told))

    def update_bounds(self) -> None:
        """Update the bounding box of all parts after this rank's has changed, for cameras. Collective.

        Every frame does so too, but only after the camera was reset.
        """
        self._wake(_BOUNDS)
        self._share_bounds()

    def sample_alike(self, volumes: Sequence[Any], boxes: Sequence[Sequence[float]] | None = None) -> None:
        """Sample the volumes of all ranks at the same places, so that no seam shows between them. Collective.

        The volumes then use ``boxes`` in the visibility order. If a volume's data or transfer functions
        change, the next frame shows it. Call this again after adding volumes.

        Args:
            volumes: this rank's, any number: ``vtkVolume`` with a ``vtkGPUVolumeRayCastMapper`` in composite
                mode, of image data aligned with the axes or a rectilinear grid.
            boxes: (xmin, xmax, ymin, ymax, zmin, zmax) of the part of each volume that is drawn, in data
                coordinates; the rest are ghosts, read by gradients and interpolation. None: all of each.

        Raises:
            Error: on every rank, if a volume or a box is wrong on some.
        """
        problem, own, grids = None, {}, []
        try:
            own = sampling.own_parts(volumes, boxes)
            grids = [sampling.grid(volume.GetMapper().GetDataSetInput()) for volume in own]
        except Exception as error:
            # The others must not wait for this rank: all ranks raise the error below.
            problem = str(error)
        distance = self.messages.agree((problem, grids), _sample_distance)
        for volume, box in own.items():
            sampling.sample_alike(volume, box, distance)
        self._own.update(own)
        self._share_bounds()

    def close(self) -> None:
        """Detach the window from the other ranks. Call on all ranks before MPI ends; may be repeated."""
        self.closed = True
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()

    def _leave(self) -> None:
        from sortlast._mpi4py import MPI

        # A late rank may still use it.
        broken = self._frames is not None and self._frames.failures.broken is not None
        if not broken and not MPI.Is_finalized():
            self.messages.close()

    # ---- between the ranks

    def _follow(self) -> None:
        while True:
            what, error = self.messages.hear()
            if what == _END:
                self._failures.failure = None
                if error is not None:
                    raise error
                return
            self._woken = True
            if what == _BOUNDS:
                self.update_bounds()
                continue
            try:
                self.render()
            except Error:
                # Rank 0 has the error too, and announces at the end whether it continues.
                if self._failures.broken is not None:
                    raise

    def _wake(self, what: str) -> None:
        if self.messages.root:
            self.messages.tell((what, None))
        elif self._woken:
            self._woken = False
        else:
            heard, _ = self.messages.hear(self.messages.timeout)
            if heard != what:
                raise UsageError(f"this rank begins {what}, but rank 0 {heard}; every rank must do the same")

    def _share_bounds(self) -> None:
        def around(parts: list[list[Part]]) -> list[Part]:
            return [all_of(list(each)) for each in zip(*parts, strict=True)]

        wholes = self.messages.agree([merge.part() for merge in self._merges], around)
        for merge, whole in zip(self._merges, wholes, strict=True):
            merge.stand_in.take(whole.box)

    def _prepare_volumes(self) -> None:
        for volume in list(self._own):
            if any(merge.renderer.HasViewProp(volume) for merge in self._merges):
                sampling.share_range(volume)
            else:
                del self._own[volume]


def _renderers(window: Any) -> list[Any]:
    check_window(window)
    if hasattr(window, "sortlast_composition"):
        raise ArgumentError("window is composed already; close() its composition first")
    renderers = scene.composed(window)
    scene.refuse_what_needs_one_rank(window, renderers)
    return renderers


def _sample_distance(told: list[tuple[str | None, list[sampling.Grid]]]) -> float | None:
    """On rank 0: the distance between samples for all ranks; raises if a rank has a problem."""
    check_alike([(problem, 0) for problem, _ in told])
    steps = sampling.spacing([grid for _, grids in told for grid in grids])
    return min((step / 2 for step in steps if step > 0), default=None)
