"""A frame of a VTK window, made of what all ranks have drawn.

Observers of the window and of its renderers do it, so that whatever makes rank 0's window render (a script,
an interactor, a filter that takes a screenshot) gets the whole picture:

1. the window starts: rank 0 tells the others, hears what each has to show, and tells size, cameras and the
   box of all parts. Every rank hides annotations and background;
2. a renderer has drawn: its pixels are composited and put back on rank 0, which draws the annotations on top.
   A renderer and not the window, because layers above it are then drawn over the whole picture;
3. the window ends: all ranks learn whether all went well.

VTK prints an exception of an observer and goes on. So a hook of the interpreter (sys.excepthook) hears them,
ours are kept, and the window's ``Render`` raises on every rank what has failed on one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from sortlast import _arrays
from sortlast._errors import (
    ArgumentError,
    Error,
    MismatchError,
    MpiError,
    RemoteError,
    TimeoutError,  # noqa: A004
    UsageError,
)
from sortlast.compositor import Compositor, visibility_order
from sortlast.vtk import pixels, scene
from sortlast.vtk.adapter import check_window
from sortlast.vtk.messages import Messages

if TYPE_CHECKING:
    from typing import Self

    from mpi4py import MPI

Result = TypeVar("Result")

MODES = ("auto", "surface", "volume")

# What rank 0 begins, and the end of what it leads.
_FRAME, _BOUNDS, _END = "a frame", "new bounds", "the end of lead()"
_FIRST, _LAST = 1.0, -1.0  # priorities of observers: before those of users, and after them


@dataclass(frozen=True)
class _Told:
    """What rank 0 tells at the start of a frame: its window, its renderers, and how coarse the pixels are."""

    window: dict[str, Any]
    views: list[scene.View]
    reduction: int


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
            translucent and opaque surfaces. "auto": "volume" if any rank shows something translucent.
        box: (xmin, xmax, ymin, ymax, zmin, zmax) of this rank's data, for the visibility order; None is the
            box of the visible props. Pass it where they overlap those of other ranks, as ghosts do.
        reduction: how many times coarser the picture is in both directions while somebody interacts.
        timeout: longest wait for another rank, in seconds.
        options: as ``Compositor`` takes them, such as ``algorithm``.

    Raises:
        MismatchError: on every rank, if an argument is wrong on some, or the numbers of renderers differ.
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
        problem = None
        limit = 60.0
        try:
            limit = _arrays.number(timeout, "timeout")
            self._mode = _arrays.choice(mode, "mode", MODES)
            self._box = None if box is None else scene.valid(_arrays.numbers(box, "box", 6))
            self._reduction = _arrays.whole(reduction, "reduction")
            if self._reduction < 1:
                raise ArgumentError(f"reduction is {reduction}; expected 1 or more")
            check_window(window)
            if hasattr(window, "sortlast_composition"):
                raise ArgumentError("window is composed already; close() its composition first")
            self._renderers = scene.composed(window)
            scene.refuse_what_needs_one_rank(window, self._renderers)
        except Exception as error:
            # The others must not wait for this rank: all raise what is wrong here.
            problem = str(error)
        self._window = window
        self.messages = Messages(comm, limit)
        self._held = ExitStack()
        self._held.callback(self._leave)
        try:
            views = 0 if problem else len(self._renderers)
            self.messages.agree((problem, views), _check_alike)
            self._compositor = Compositor(self.messages.comm, timeout=limit, **options)
            self._held.callback(self._compositor.close)
        except Error:
            self._held.close()
            raise
        self.closed = False
        self._broken: Error | None = None
        self._failure: Error | None = None
        self._problem: str | None = None
        self._woken = self.leading = self._calling = False
        self._frame = ExitStack()
        self._told = _Told({}, [], 1)
        self._attach()
        self._share_bounds()

    def _attach(self) -> None:
        window = self._window
        if not self.messages.root and window.GetNeverRendered():
            window.SetOffScreenRendering(True)
        self._held.enter_context(scene.one_sample(window))
        self._readers = [pixels.Reader() for _ in self._renderers]
        self._stand_ins = [scene.StandIn(renderer) for renderer in self._renderers]
        for stand_in in self._stand_ins:
            self._held.callback(stand_in.remove)
        self._observe(window, "StartEvent", lambda *_: self._start(), _FIRST)
        self._observe(window, "EndEvent", lambda *_: self._end(), _LAST)
        for i, renderer in enumerate(self._renderers):
            self._observe(renderer, "EndEvent", lambda *_, i=i: self._drawn(i), _LAST)
        window.Render = self.render
        window.sortlast_composition = self
        self._held.callback(delattr, window, "Render")
        self._held.callback(delattr, window, "sortlast_composition")

    def _observe(self, thing: Any, event: str, call: Callable[..., None], priority: float) -> None:
        self._held.callback(thing.RemoveObserver, thing.AddObserver(event, call, priority))

    # ---- what users call

    @property
    def rank(self) -> int:
        """This rank."""
        return int(self.messages.comm.rank)

    def boxes(self) -> list[tuple[Any, Any]]:
        """Each renderer, and the prop that draws nothing and has the box of all parts that it shows."""
        return [(each.renderer, each.prop) for each in self._stand_ins]

    def render(self) -> None:
        """Render the window, as its ``Render`` does. Every rank does so, or is in ``lead``."""
        self._calling = True
        try:
            type(self._window).Render(self._window)
        finally:
            self._calling = False
        self._raise_failure()

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
            self._raise_failure()
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
        if getattr(self, "_broken", None) is None and not MPI.Is_finalized():
            self.messages.close()

    # ---- between the ranks

    def _follow(self) -> None:
        while True:
            what, error = self.messages.hear()
            if what == _END:
                self._failure = None
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
                if self._broken is not None:
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
        def around(parts: list[list[scene.Part]]) -> list[scene.Part]:
            return [scene.all_of(list(each)) for each in zip(*parts, strict=True)]

        wholes = self.messages.agree(self._parts(), around)
        for stand_in, whole in zip(self._stand_ins, wholes, strict=True):
            stand_in.take(whole.box)

    def _parts(self) -> list[scene.Part]:
        parts = [
            scene.part(renderer, stand_in.prop)
            for renderer, stand_in in zip(self._renderers, self._stand_ins, strict=True)
        ]
        if self._box is not None:
            parts = [scene.Part(self._box, each.kind) for each in parts]
        return parts

    def _agree_that_all_is_well(self) -> None:
        self.messages.agree((self._problem, len(self._renderers)), _check_alike)

    # ---- a frame

    def _start(self) -> None:
        self._frame.close()
        self._problem = self._failure = None
        self._hear_observers()
        with self._failing():
            if self._broken is not None:
                raise self._broken
            self._wake(_FRAME)
            self._parts_now = self._prepared()
            state = (self._problem, len(self._renderers), self._parts_now)
            self._told = self.messages.agree(state, self._decide)
            self._orders = [self._order(i) for i in range(len(self._told.views))]
            self._take()

    def _hear_observers(self) -> None:
        before = sys.excepthook

        def hear(kind: type[BaseException], error: BaseException, trace: Any) -> None:
            self._problem = self._problem or f"{kind.__name__}: {error}"
            before(kind, error, trace)

        sys.excepthook = hear
        self._frame.callback(setattr, sys, "excepthook", before)

    def _prepared(self) -> list[scene.Part]:
        """Make the renderers draw this rank's parts alone; the parts."""
        try:
            scene.refuse_what_needs_one_rank(self._window, self._renderers)
            self._hidden = [
                self._frame.enter_context(scene.part_alone(renderer)) for renderer in self._renderers
            ]
            if not self.messages.root:
                for renderer in scene.all_renderers(self._window):
                    if renderer not in self._renderers:
                        self._frame.enter_context(scene.turned(renderer, "Draw", False))
            return self._parts()
        except Exception as error:
            self._note(error)
            return []

    def _decide(self, states: list[tuple[str | None, int, list[scene.Part]]]) -> _Told:
        """On rank 0: the frame that all ranks make."""
        _check_alike([state[:2] for state in states])
        views = []
        for i, renderer in enumerate(self._renderers):
            whole = scene.all_of([parts[i] for _, _, parts in states])
            if self._mode != "auto" and whole.kind != scene.NOTHING:
                whole = scene.Part(whole.box, self._mode)
            if self._stand_ins[i].take(whole.box):
                renderer.ResetCameraClippingRange()
            views.append(scene.view(renderer, whole, self._hidden[i]))
        return _Told(scene.window_state(self._window), views, self._reduction if self._interacting() else 1)

    def _interacting(self) -> bool:
        interactor = self._window.GetInteractor()
        return interactor is not None and (
            self._window.GetDesiredUpdateRate() >= interactor.GetDesiredUpdateRate()
        )

    def _order(self, i: int) -> list[int] | None:
        """The ranks' parts of a renderer from front to back; None if depths tell."""
        told = self._told.views[i]
        if told.whole.kind != scene.VOLUME:
            return None
        parallel = told.camera["ParallelProjection"]
        eye, focal = told.camera["Position"], told.camera["FocalPoint"]
        ahead = tuple(there - here for here, there in zip(eye, focal, strict=True))
        return visibility_order(
            self.messages.comm,
            self._parts_now[i].box,
            eye=None if parallel else eye,
            direction=ahead if parallel else None,
            timeout=self.messages.timeout,
        )

    def _take(self) -> None:
        """Make the window like rank 0's."""
        try:
            scene.take_window_state(self._window, self._told.window)
            for renderer, stand_in, view in zip(
                self._renderers, self._stand_ins, self._told.views, strict=True
            ):
                scene.take_view(renderer, view)
                stand_in.take(view.whole.box)
                coarse = scene.reduced(view.viewport, self._told.reduction)
                self._frame.enter_context(scene.turned(renderer, "Viewport", coarse))
            if any(view.whole.kind == scene.VOLUME for view in self._told.views):
                pixels.use_floats(self._window)
        except Exception as error:
            self._note(error)

    def _drawn(self, i: int) -> None:
        """A renderer has drawn this rank's part: composite it."""
        if self._failure is not None:
            return
        with self._failing():
            window, renderer, told = self._window, self._renderers[i], self._told.views[i]
            area = scene.area(window, renderer)
            try:
                colour, depth = self._read(i, area)
            except Exception as error:
                self._note(error)
            self._agree_that_all_is_well()

            # Composite, and collect the picture on rank 0.
            frame, nearest = None, None
            if told.whole.kind != scene.NOTHING and area is not None:
                shape = (area[3] - area[1], area[2] - area[0], 4)
                op = "over" if self._orders[i] is not None else "closest"
                tile = self._compositor.composite(
                    colour,
                    depth if colour is not None else op == "closest",
                    op,
                    self._orders[i],
                    told.background,
                    shape=None if colour is not None else shape,
                    dtype=None if colour is not None else _dtype(told),
                )
                found: Any = self._compositor.gather(tile, with_depth=op == "closest")
                frame, nearest = found if isinstance(found, tuple) else (found, None)
            if self.messages.root:
                try:
                    self._put_back(i, frame, nearest)
                except Exception as error:
                    self._note(error)

    def _read(self, i: int, area: pixels.Rectangle | None) -> tuple[Any, Any]:
        kind = self._told.views[i].whole.kind
        if area is None or self._parts_now[i].kind == scene.NOTHING:
            return None, None
        colour = self._readers[i].colours(self._window, area, floats=kind == scene.VOLUME)
        return colour, self._readers[i].depths(self._window, area) if kind == scene.SURFACE else None

    def _put_back(self, i: int, frame: Any, nearest: Any) -> None:
        """On rank 0: the picture, on its background, and the annotations on top of it."""
        window, renderer, told, hidden = (
            self._window,
            self._renderers[i],
            self._told.views[i],
            self._hidden[i],
        )
        renderer.SetViewport(*told.viewport)
        area = scene.area(window, renderer)
        if area is None:
            return
        x0, y0, x1, y1 = area
        scene.show_area(window, area)
        hidden.restore_background()
        if frame is None or told.background is None:
            renderer.Clear()
        if frame is not None:
            if frame.shape[:2] != (y1 - y0, x1 - x0):
                frame = pixels.enlarge(frame, x1 - x0, y1 - y0)
                nearest = None if nearest is None else pixels.enlarge(nearest, x1 - x0, y1 - y0)
            if told.background is None:
                floats = frame.dtype != "uint8"
                frame = pixels.put_behind(frame, self._readers[i].colours(window, area, floats=floats))
            pixels.write(window, area, frame, nearest)
        scene.draw(hidden.annotations, renderer)

    def _end(self) -> None:
        if self._failure is None:
            with self._failing():
                self._agree_that_all_is_well()
        self._frame.close()
        interactor = self._window.GetInteractor()
        if self._failure is not None and not self._calling:
            # Nobody can raise it now: the window was rendered by VTK.
            print(f"sortlast: {self._failure}", file=sys.stderr, flush=True)
            if interactor is not None:
                interactor.TerminateApp()

    # ---- failures

    def _note(self, error: Exception) -> None:
        """Keep what went wrong on this rank until all learn it."""
        self._problem = self._problem or f"{type(error).__name__}: {error}"

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Within: an error ends the frame; those of the ranks' waits end all frames."""
        try:
            yield
        except Exception as error:
            alike = isinstance(error, Error) and not isinstance(error, (TimeoutError, RemoteError, MpiError))
            self._failure = error if isinstance(error, Error) else Error(f"{type(error).__name__}: {error}")
            if not alike:
                self._broken = self._failure

    def _raise_failure(self) -> None:
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def _dtype(told: scene.View) -> str:
    return "float32" if told.whole.kind == scene.VOLUME else "uint8"


def _check_alike(states: list[tuple[str | None, int]]) -> None:
    """On rank 0: raise if a rank has a problem, or another number of renderers than rank 0."""
    for rank, (problem, _) in enumerate(states):
        if problem is not None:
            raise Error(f"rank {rank}: {problem}")
    for rank, (_, renderers) in enumerate(states):
        if renderers != states[0][1]:
            raise MismatchError(
                f"the window has {states[0][1]} renderers on rank 0, and {renderers} on rank {rank};"
                " expected as many on every rank"
            )
