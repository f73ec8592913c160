"""One frame of a VTK window, composited from the pictures of all ranks.

It is made by observers of the window and of its renderers. The picture is therefore complete no matter what
makes rank 0's window render (a script, an interactor, a screenshot filter):

1. Start of the window: rank 0 wakes the others, gathers what each has to show, and broadcasts size, cameras
   and the bounding box of all parts. Every rank hides annotations and background.
2. End of a renderer: its pixels are composited and put back on rank 0, which draws the annotations on top.
   Renderers are observed rather than the window, because layers above are then drawn over the whole picture.
3. End of the window: all ranks find out whether the frame succeeded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from sortlast._errors import Error, MismatchError
from sortlast.compositor import Compositor
from sortlast.vtk import pixels, scene
from sortlast.vtk import view as views
from sortlast.vtk.failures import Failures
from sortlast.vtk.merge import Merge, needs_floats
from sortlast.vtk.messages import Messages
from sortlast.vtk.parts import NOTHING, Part, all_of
from sortlast.vtk.view import View


@dataclass(frozen=True)
class _Told:
    """Rank 0's message at the start of a frame: its window, its renderers, and the reduction of pixels."""

    window: dict[str, Any]
    views: list[View]
    reduction: int


class Frames:
    """The frames of one window, one at a time: ``start``, ``drawn`` for each renderer, ``end``."""

    def __init__(
        self,
        window: Any,
        merges: Sequence[Merge],
        messages: Messages,
        compositor: Compositor,
        mode: str,
        reduction: int,
    ) -> None:
        self.failures = Failures()
        self._window, self._merges = window, merges
        self._messages, self._compositor = messages, compositor
        self._mode, self._reduction = mode, reduction
        self._until_end = ExitStack()

    def start(self, wake: Callable[[], None], prepare: Callable[[], None]) -> None:
        """Agree on the content of the frame. Collective, once ``wake`` has called the other ranks."""
        self._until_end.close()
        self.failures.begin(self._until_end)
        with self.failures.ending_the_frame():
            if self.failures.broken is not None:
                raise self.failures.broken
            wake()
            parts: list[Part] = []
            with self.failures.noting():
                prepare()
                self._show_parts_alone()
                parts = [merge.part() for merge in self._merges]
            state = (self.failures.problem, len(self._merges), parts)
            told: _Told = self._messages.agree(state, self._decide)
            for merge, view, part in zip(self._merges, told.views, parts, strict=True):
                merge.arrange(self._messages.comm, view, part, self._messages.timeout)
            with self.failures.noting():
                self._take(told)

    def _show_parts_alone(self) -> None:
        renderers = [merge.renderer for merge in self._merges]
        scene.refuse_what_needs_one_rank(self._window, renderers)
        for merge in self._merges:
            merge.show_part_alone(self._until_end)
        if not self._messages.root:
            for renderer in scene.all_renderers(self._window):
                if renderer not in renderers:
                    self._until_end.enter_context(scene.turned(renderer, "Draw", False))

    def _decide(self, states: list[tuple[str | None, int, list[Part]]]) -> _Told:
        """On rank 0: choose the settings of the frame for all ranks."""
        check_alike([state[:2] for state in states])
        told = []
        for i, merge in enumerate(self._merges):
            whole = all_of([parts[i] for _, _, parts in states])
            if self._mode != "auto" and whole.kind != NOTHING:
                whole = Part(whole.box, self._mode)
            told.append(merge.view(whole))
        return _Told(views.window_state(self._window), told, self._reduction if self._interacting() else 1)

    def _interacting(self) -> bool:
        interactor = self._window.GetInteractor()
        return interactor is not None and (
            self._window.GetDesiredUpdateRate() >= interactor.GetDesiredUpdateRate()
        )

    def _take(self, told: _Told) -> None:
        views.take_window_state(self._window, told.window)
        for merge in self._merges:
            merge.take(told.reduction, self._until_end)
        if needs_floats(told.views):
            pixels.use_floats(self._window)

    def drawn(self, merge: Merge) -> None:
        """Composite a renderer after it has drawn this rank's part. Collective."""
        if self.failures.failure is not None:
            return
        with self.failures.ending_the_frame():
            with self.failures.noting():
                merge.read()
            self._agree_that_all_is_well()
            frame, nearest = merge.composite(self._compositor)
            if self._messages.root:
                with self.failures.noting():
                    merge.put_back(frame, nearest)

    def end(self) -> None:
        """Find out whether the frame succeeded on all ranks. Collective."""
        if self.failures.failure is None:
            with self.failures.ending_the_frame():
                self._agree_that_all_is_well()
        self._until_end.close()

    def _agree_that_all_is_well(self) -> None:
        self._messages.agree((self.failures.problem, len(self._merges)), check_alike)


def check_alike(states: list[tuple[str | None, int]]) -> None:
    """On rank 0: raise if a rank has a problem, or a different number of renderers than rank 0."""
    for rank, (problem, _) in enumerate(states):
        if problem is not None:
            raise Error(f"rank {rank}: {problem}")
    for rank, (_, renderers) in enumerate(states):
        if renderers != states[0][1]:
            raise MismatchError(
                f"the window has {states[0][1]} renderers on rank 0, and {renderers} on rank {rank};"
                " expected as many on every rank"
            )
