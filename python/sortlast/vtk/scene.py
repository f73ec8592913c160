"""What ranks tell each other of a renderer, and how it is made to draw this rank's part of the scene alone.

A part is drawn on black of alpha 0, which keeps its colours premultiplied, without annotations. One sample a
pixel is taken: at the edge between the parts of two ranks, each of them would mix its colour with the
background, and the edge would show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from sortlast._errors import ArgumentError

Box = tuple[float, float, float, float, float, float]  # xmin, xmax, ymin, ymax, zmin, zmax

NOTHING, SURFACE, VOLUME = "nothing", "surface", "volume"  # what is in a part, the least first
_KINDS = (NOTHING, SURFACE, VOLUME)

_CAMERA = (
    "Position",
    "FocalPoint",
    "ViewUp",
    "ViewAngle",
    "UseHorizontalViewAngle",
    "ParallelProjection",
    "ParallelScale",
    "ViewShear",
    "WindowCenter",
    "ClippingRange",
)
_WINDOW = ("TileScale", "TileViewport", "DesiredUpdateRate")

# Passes after the first look at the pixels beside a pixel, which another rank may have drawn.
_OWN_PIXELS_ALONE = ("UseFXAA", "UseSSAO", "UseHiddenLineRemoval")


@dataclass(frozen=True)
class Part:
    """This rank's part of what a renderer shows: its box, None if it is empty, and what is in it."""

    box: Box | None
    kind: str


@dataclass(frozen=True)
class View:
    """What rank 0 tells of a renderer: where it lies in the window, its camera, and what all ranks show."""

    viewport: tuple[float, ...]
    camera: dict[str, Any]
    whole: Part
    background: tuple[float, float, float, float] | None  # of one colour, or None


def composed(window: Any) -> list[Any]:
    """The renderers whose parts are composited: those of the lowest layer that draw."""
    return [each for each in all_renderers(window) if each.GetLayer() == 0 and each.GetDraw()]


def all_renderers(window: Any) -> list[Any]:
    """The renderers of a window."""
    found = window.GetRenderers()
    return [found.GetItemAsObject(i) for i in range(found.GetNumberOfItems())]


def refuse_what_needs_one_rank(window: Any, renderers: list[Any]) -> None:
    """Raise ArgumentError for what looks beyond this rank's pixels, or draws two images."""
    if window.GetStereoRender():
        raise ArgumentError("the window renders in stereo; expected one image: window.StereoRenderOff()")
    if any(each.GetPass() is not None for each in renderers):
        raise ArgumentError(
            "a renderer has a render pass (as of SSAA, blur or shadows), which sees one rank's pixels alone;"
            " expected none: renderer.SetPass(None)"
        )


# ---- parts


def part(renderer: Any, stand_in: Any = None) -> Part:
    """This rank's part, of the props that are visible now but for the stand-in of the others' boxes."""
    with ExitStack() as without:
        if stand_in is not None:
            without.enter_context(turned(stand_in, "Visibility", False))
        kinds = [_kind(prop) for prop in _props(renderer) if prop.GetVisibility()]
        box = tuple(renderer.ComputeVisiblePropBounds())
    return Part(valid(box), max(kinds, key=_KINDS.index, default=NOTHING))


def _kind(prop: Any) -> str:
    if prop.IsA("vtkVolume") or prop.HasTranslucentPolygonalGeometry():
        return VOLUME
    return SURFACE


def all_of(parts: list[Part]) -> Part:
    """The whole that several parts make."""
    return Part(around([each.box for each in parts]), max((each.kind for each in parts), key=_KINDS.index))


def around(boxes: list[Box | None]) -> Box | None:
    """The least box that holds others."""
    there = [box for box in boxes if box is not None]
    if not there:
        return None
    ends = [(max if i % 2 else min)(box[i] for box in there) for i in range(6)]
    return (ends[0], ends[1], ends[2], ends[3], ends[4], ends[5])


def valid(box: Sequence[float]) -> Box | None:
    """A box, or None if it is empty: a minimum lies above its maximum."""
    if any(low > high for low, high in zip(box[0::2], box[1::2], strict=True)):
        return None
    return (box[0], box[1], box[2], box[3], box[4], box[5])


class StandIn:
    """A prop that draws nothing and has the box of all ranks' parts, for the cameras that look at it."""

    def __init__(self, renderer: Any) -> None:
        from vtkmodules.vtkCommonCore import vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
        from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

        self._corners = vtkPoints()
        self._corners.SetNumberOfPoints(2)
        thin = vtkCellArray()
        thin.InsertNextCell(3, [0, 1, 1])  # a triangle without an inside
        self._shape = vtkPolyData()
        self._shape.SetPoints(self._corners)
        self._shape.SetPolys(thin)
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._shape)
        self.prop = vtkActor()
        self.prop.SetMapper(mapper)
        self.prop.PickableOff()
        self.prop.VisibilityOff()
        self.box: Box | None = None
        self.renderer = renderer
        renderer.AddActor(self.prop)

    def take(self, box: Box | None) -> bool:
        """Take a box; whether it was another before."""
        if box == self.box:
            return False
        self.box = box
        self.prop.SetVisibility(box is not None)
        if box is not None:
            self._corners.SetPoint(0, *box[0::2])
            self._corners.SetPoint(1, *box[1::2])
            self._corners.Modified()
            self._shape.Modified()
        return True

    def remove(self) -> None:
        """Take it out of its renderer."""
        self.renderer.RemoveActor(self.prop)


# ---- cameras


def view(renderer: Any, whole: Part, hidden: Hidden) -> View:
    """What rank 0 tells of a renderer that shows ``whole``."""
    camera = renderer.GetActiveCamera()
    values = {name: getattr(camera, f"Get{name}")() for name in _CAMERA}
    return View(renderer.GetViewport(), values, whole, hidden.background)


def _plain_background(renderer: Any) -> tuple[float, float, float, float] | None:
    if renderer.GetGradientBackground() or renderer.GetTexturedBackground():
        return None
    red, green, blue = renderer.GetBackground()
    return (red, green, blue, renderer.GetBackgroundAlpha())


def take_view(renderer: Any, told: View) -> None:
    """Look as rank 0 does."""
    renderer.SetViewport(*told.viewport)
    camera = renderer.GetActiveCamera()
    for name, value in told.camera.items():
        _set(camera, name, value)


def window_state(window: Any) -> dict[str, Any]:
    """Size and tile of rank 0's window, and how fast it is to be drawn."""
    return {"Size": window.GetActualSize()} | {name: getattr(window, f"Get{name}")() for name in _WINDOW}


def take_window_state(window: Any, told: dict[str, Any]) -> None:
    """Make a window like rank 0's."""
    for name, value in told.items():
        if name != "Size" or tuple(window.GetActualSize()) != tuple(value):
            _set(window, name, value)


def _set(thing: Any, name: str, value: Any) -> None:
    setter = getattr(thing, f"Set{name}")
    setter(*value) if isinstance(value, tuple) else setter(value)


def reduced(viewport: tuple[float, ...], times: int) -> tuple[float, ...]:
    """A viewport that begins at the same corner and is so many times smaller in both directions."""
    x0, y0, x1, y1 = viewport
    return (x0, y0, x0 + (x1 - x0) / times, y0 + (y1 - y0) / times)


def area(window: Any, renderer: Any) -> tuple[int, int, int, int] | None:
    """The pixels of a window (x0, y0, x1, y1) that a renderer draws; None if there is none.

    A window that is one tile of a greater picture draws a part of each viewport, or nothing of it.
    """
    (across, up), tile = window.GetSize(), window.GetTileViewport()
    corner = (round(tile[0] * across), round(tile[1] * up))
    least = [max(low - begin, 0) for low, begin in zip(renderer.GetOrigin(), corner, strict=True)]
    most = [
        min(low + extent - begin, limit)
        for low, extent, begin, limit in zip(
            renderer.GetOrigin(), renderer.GetSize(), corner, window.GetActualSize(), strict=True
        )
    ]
    if least[0] >= most[0] or least[1] >= most[1]:
        return None
    return (least[0], least[1], most[0], most[1])


def show_area(window: Any, area: tuple[int, int, int, int]) -> None:
    """Let OpenGL draw into these pixels."""
    x0, y0, x1, y1 = area
    state = window.GetState()
    state.vtkglViewport(x0, y0, x1 - x0, y1 - y0)
    state.vtkglScissor(x0, y0, x1 - x0, y1 - y0)


# ---- drawing a part alone


def _annotations(renderer: Any) -> list[Any]:
    """Visible props that annotate the picture: what is drawn in two dimensions, and axes around the data."""
    return [
        prop
        for prop in _props(renderer)
        if prop.GetVisibility() and (not prop.IsA("vtkProp3D") or prop.IsA("vtkCubeAxesActor"))
    ]


def draw(props: list[Any], renderer: Any) -> None:
    """Draw props onto what a renderer has drawn: those in space first, as VTK does."""
    with ExitStack() as shown:
        for prop in props:
            shown.enter_context(turned(prop, "Visibility", True))
        for prop in props:
            prop.RenderOpaqueGeometry(renderer)
        for prop in props:
            if prop.HasTranslucentPolygonalGeometry():
                prop.RenderTranslucentPolygonalGeometry(renderer)
        for prop in props:
            prop.RenderOverlay(renderer)


@dataclass(frozen=True)
class Hidden:
    """What a renderer does not draw with its part: the annotations that were visible, and its background."""

    annotations: list[Any]
    background: tuple[float, float, float, float] | None  # of one colour, or None
    restore_background: Callable[[], None]


@contextmanager
def part_alone(renderer: Any) -> Iterator[Hidden]:
    """Within: a renderer draws its part alone, but for its background once that has been restored."""
    with ExitStack() as restored, ExitStack() as background:
        hidden = Hidden(_annotations(renderer), _plain_background(renderer), background.close)
        for prop in hidden.annotations:
            restored.enter_context(turned(prop, "Visibility", False))
        for name in _OWN_PIXELS_ALONE:
            restored.enter_context(turned(renderer, name, False))
        for name in ("GradientBackground", "TexturedBackground"):
            background.enter_context(turned(renderer, name, False))
        background.enter_context(turned(renderer, "Background", (0.0, 0.0, 0.0)))
        background.enter_context(turned(renderer, "BackgroundAlpha", 0.0))
        yield hidden


@contextmanager
def one_sample(window: Any) -> Iterator[None]:
    """Within: a window takes one sample a pixel, and keeps alpha."""
    with turned(window, "MultiSamples", 0), turned(window, "AlphaBitPlanes", 1):
        yield


def _props(renderer: Any) -> list[Any]:
    props = renderer.GetViewProps()
    return [props.GetItemAsObject(i) for i in range(props.GetNumberOfItems())]


@contextmanager
def turned(thing: Any, name: str, value: Any) -> Iterator[None]:
    """Within: a property of a VTK object has another value."""
    before = getattr(thing, f"Get{name}")()
    _set(thing, name, value)
    try:
        yield
    finally:
        _set(thing, name, before)
