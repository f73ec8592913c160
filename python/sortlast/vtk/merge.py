"""The pixels of one renderer in a frame: all ranks read theirs and merge them, rank 0 writes the result."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sortlast.compositor import Compositor
from sortlast.visibility import visibility_order, visibility_positions
from sortlast.vtk import pixels, scene
from sortlast.vtk import view as views
from sortlast.vtk.parts import BOXES, NOTHING, SURFACE, VOLUME, Box, Group, Own, Part, StandIn, groups, part
from sortlast.vtk.view import View

if TYPE_CHECKING:
    from mpi4py import MPI


class Merge:
    """Merges the pixels of one renderer. Every frame calls the methods in the order of their definition."""

    def __init__(self, window: Any, renderer: Any, box: Box | None, own: Own) -> None:
        """``box``: of this rank's data, replaces the boxes of props. ``own``: see ``parts.part``."""
        self._window, self.renderer = window, renderer
        self._box, self._own = box, own
        self._reader = pixels.Reader()
        self.stand_in = StandIn(renderer)
        self._groups: list[Group] = []
        self._order: list[int] | None = None
        self._positions: list[int] = []
        self._told: View

    def part(self) -> Part:
        """What this rank shows now."""
        found = part(self.renderer, self.stand_in.prop, self._own)
        self._empty = found.kind == NOTHING
        return found if self._box is None else Part(self._box, found.kind)

    def show_part_alone(self, frame: ExitStack) -> None:
        """Hide background and annotations until the end of the frame."""
        self._hidden = frame.enter_context(scene.part_alone(self.renderer))

    def view(self, whole: Part) -> View:
        """On rank 0: the view of this renderer, to be sent to the other ranks."""
        if self.stand_in.take(whole.box):
            self.renderer.ResetCameraClippingRange()
        return views.view(self.renderer, whole, self._hidden)

    def arrange(self, comm: MPI.Intracomm, told: View, here: Part, timeout: float) -> None:
        """Find the visibility order of this rank's parts from rank 0's view. Collective."""
        self._told, self._order, self._groups, self._positions = told, None, [], []
        if told.whole.kind == VOLUME:
            self._order = visibility_order(comm, here.box, **told.viewer(), timeout=timeout)
        elif told.whole.kind == BOXES:
            self._groups = groups(self.renderer, self.stand_in.prop, self._own)
            boxes = [group.box for group in self._groups]
            found = visibility_positions(comm, boxes, **told.viewer(), timeout=timeout)
            self._positions = found.positions.tolist()

    def take(self, reduction: int, frame: ExitStack) -> None:
        """Take rank 0's view, with ``reduction`` times fewer pixels in both directions."""
        views.take_view(self.renderer, self._told)
        self.stand_in.take(self._told.whole.box)
        coarse = views.reduced(self._told.viewport, reduction)
        frame.enter_context(scene.turned(self.renderer, "Viewport", coarse))
        for group in self._groups:
            for prop in group.props:  # drawn one by one later
                frame.enter_context(scene.turned(prop, "Visibility", False))

    def read(self) -> None:
        """Read the pixels that this rank has drawn."""
        self._area = views.area(self._window, self.renderer)
        self._colour = self._depth = None
        self._images: list[Any] = []
        self._places: list[tuple[int, Any]] = []
        kind = self._told.whole.kind
        if self._area is None or self._empty:
            return
        if kind == BOXES:
            self._read_boxes(self._area)
            return
        self._colour = self._reader.colours(self._window, self._area, floats=kind == VOLUME)
        self._depth = self._reader.depths(self._window, self._area) if kind == SURFACE else None

    def _read_boxes(self, area: pixels.Rectangle) -> None:
        for position, group in zip(self._positions, self._groups, strict=True):
            covered = views.rectangle(self._window, self.renderer, area, group.box)
            if covered is None:
                continue
            self.renderer.Clear()
            scene.draw(group.props, self.renderer)
            # A copy, because the reader reuses its memory.
            self._images.append(self._reader.colours(self._window, covered, floats=True).copy())
            place = [covered[i] - area[i % 2] for i in range(4)]
            self._places.append((position, place))

    def composite(self, compositor: Compositor) -> tuple[Any, Any]:
        """The merged colours, and the depths of surfaces, on rank 0; None elsewhere. Collective."""
        told, area = self._told, self._area
        if told.whole.kind == NOTHING or area is None:
            return None, None
        width, height = area[2] - area[0], area[3] - area[1]
        if told.whole.kind == BOXES:
            tile = compositor.composite_layers(
                self._images,
                [position for position, _ in self._places],
                (height, width),
                boxes=[place for _, place in self._places],
                background=told.background,
            )
            frame = compositor.gather(tile)
            return (None, None) if frame is None else (frame.colour, None)
        surface = told.whole.kind == SURFACE
        absent: dict[str, Any] = {}
        if self._colour is None:
            absent = {"shape": (height, width, 4), "dtype": "uint8" if surface else "float32"}
        tile = compositor.composite(
            self._colour,
            surface if self._colour is None else self._depth,
            "closest" if surface else "over",
            self._order,
            told.background,
            **absent,
        )
        frame = compositor.gather(tile, depth=surface)
        return (None, None) if frame is None else (frame.colour, frame.depth)

    def put_back(self, frame: Any, nearest: Any) -> None:
        """On rank 0: write the picture on its background, and draw the annotations on top."""
        window, renderer, told, hidden = self._window, self.renderer, self._told, self._hidden
        renderer.SetViewport(*told.viewport)
        area = views.area(window, renderer)
        if area is None:
            return
        x0, y0, x1, y1 = area
        views.show_area(window, area)
        hidden.restore_background()
        if frame is None or told.background is None:
            renderer.Clear()
        if frame is not None:
            if frame.shape[:2] != (y1 - y0, x1 - x0):
                frame = pixels.enlarge(frame, x1 - x0, y1 - y0)
                nearest = None if nearest is None else pixels.enlarge(nearest, x1 - x0, y1 - y0)
            if told.background is None:
                floats = frame.dtype != "uint8"
                frame = pixels.put_behind(frame, self._reader.colours(window, area, floats=floats))
            pixels.write(window, area, frame, nearest)
        scene.draw(hidden.annotations, renderer)


def needs_floats(told: Sequence[View]) -> bool:
    """Whether a renderer blends many layers, for which 8 bits are too few."""
    return any(view.whole.kind in (VOLUME, BOXES) for view in told)
