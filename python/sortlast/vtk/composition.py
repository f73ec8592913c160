"""One picture of the windows of all ranks: what users call, and who calls whom."""

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

# What rank 0 begins, and the end of what it leads.
_FRAME, _BOUNDS, _END = "a frame", "new bounds", "the end of lead()"
_FIRST, _LAST = 1.0, -1.0  # priorities of observers: before those of users, and after them


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
    """Make rank 0's window show what the windows of all ranks draw. Collective.

    From now on every rank renders its window as often as rank 0 does, or is in ``Composition.lead``. Size,
    viewports, cameras and backgrounds are rank 0's; annotations (2D props, axes around the data, layers above
    0) are rank 0's too. Windows of the other ranks render off screen. Multisampling and FXAA are off.

    Args:
        window: a ``vtkRenderWindow`` with the same number of renderers in layer 0 on every rank.
        comm: any mpi4py intracommunicator; it is duplicated.
        mode: how parts of different ranks merge. "surface": by depth, for what is opaque. "volume": in the
            visibility order of the ranks' boxes, which may share no more than faces; for volumes, and
            translucent and opaque surfaces. "boxes": in that of the boxes of all volumes, many a rank, each
            of which is drawn alone with the surfaces in its box; what lies in no volume's box is a box too.
            "auto": "boxes" if any rank shows several volumes that do not coincide, else "volume" if any
            shows something translucent, else "surface".
        box: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data, for the visibility order; None is the
            box of the visible props. Pass it where they overlap those of other ranks, as ghosts do.
        reduction: how many times coarser the picture is in both directions while somebody interacts.
        timeout: longest wait for another rank, in seconds.
        options: as ``Compositor`` takes them, such as ``algorithm``.

    Raises:
        MismatchError: on every rank, if the numbers of renderers differ.
        Error: on every rank, if an argument is wrong on some.
        TimeoutError: a rank did not come.
        MissingExtraError: VTK or mpi4py is not installed.
    """
    return Composition(window, comm, mode, box, reduction, timeout, options)


class Composition:
    """What ``compose`` returns; the window keeps it.

    The window's ``Render`` raises on every rank what went wrong on one, and rank 0's window then shows no
    whole picture. After a ``TimeoutError``, a ``RemoteError`` or an ``MpiError`` no more frames can be made.
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
            # The others must not wait for this rank: all raise what is wrong here.
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
            # Nobody can raise it now: the window was rendered by VTK.
            print(f"sortlast: {failure}", file=sys.stderr, flush=True)
            interactor = self._window.GetInteractor()
            if interactor is not None:
                interactor.TerminateApp()

    # ---- what users call

    @property
    def rank(self) -> int:
        """This rank."""
        return int(self.messages.comm.rank)

    def boxes(self) -> list[tuple[Any, Any]]:
        """Each renderer, and the prop that draws nothing and has the box of all parts that it shows."""
        return [(merge.renderer, merge.stand_in.prop) for merge in self._merges]

    def render(self) -> None:
        """Render the window, as its ``Render`` does. Every rank does so, or is in ``lead``."""
        self._calling = True
        try:
            type(self._window).Render(self._window)
        finally:
            self._calling = False
        self._failures.raise_failure()

    def lead(self, work: Callable[[], Result]) -> Result | None:
        """Call ``work()`` on rank 0, as an interactor's ``Start``; the others render when it does.

        Collective. Returns what it returned on rank 0, None elsewhere. What it raises there, every rank
        raises. The others wait as long as it takes, and sleep meanwhile.
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
        """Let cameras know the box of all parts, after this rank's has changed. Collective.

        Every frame does so too, but after the camera was reset.
        """
        self._wake(_BOUNDS)
        self._share_bounds()

    def sample_alike(self, volumes: Sequence[Any], boxes: Sequence[Sequence[float]] | None = None) -> None:
        """Sample the volumes of all ranks at the same places, so that no seam shows between them. Collective.

        They then lie in the visibility order with the boxes that are passed, and where a volume changes its
        data or transfer functions, the next frame shows it. Call it again after others were added.

        Args:
            volumes: this rank's, any number: ``vtkVolume`` with a ``vtkGPUVolumeRayCastMapper`` that
                composites, of image data along the axes or a rectilinear grid.
            boxes: (xmin, xmax, ymin, ymax, zmin, zmax) of the part of each that is drawn, in the space of its
                data; the rest are ghosts, which gradients and interpolation read. None: all of each.

        Raises:
            Error: on every rank, if a volume or a box is wrong on some.
        """
        problem, own, grids = None, {}, []
        try:
            own = sampling.own_parts(volumes, boxes)
            grids = [sampling.grid(volume.GetMapper().GetDataSetInput()) for volume in own]
        except Exception as error:
            # The others must not wait for this rank: all raise what is wrong here.
            problem = str(error)
        distance = self.messages.agree((problem, grids), _sample_distance)
        for volume, box in own.items():
            sampling.sample_alike(volume, box, distance)
        self._own.update(own)
        self._share_bounds()

    def close(self) -> None:
        """Make the window this rank's own again. All ranks call it before MPI ends; again it does nothing."""
        self.closed = True
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.close()

    def _leave(self) -> None:
        from sortlast._mpi4py import MPI

        # A rank that is late may still use it.
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
                # Rank 0 knows, and says at the end whether it goes on in spite of it.
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
    """On rank 0: the distance between samples on all ranks; raises if a rank has a problem."""
    check_alike([(problem, 0) for problem, _ in told])
    steps = sampling.spacing([grid for _, grids in told for grid in grids])
    return min((step / 2 for step in steps if step > 0), default=None)
