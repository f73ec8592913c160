"""Makes a renderer draw only this rank's part of the scene.

A part is drawn on black with alpha 0, which keeps its colours premultiplied, and without annotations. Each
pixel takes one sample: with several, each of two adjacent ranks would blend the edge between their parts with
the background, and the edge would show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from sortlast._errors import ArgumentError

# Passes that read neighbouring pixels, which another rank may have drawn.
_OWN_PIXELS_ALONE = ("UseFXAA", "UseSSAO", "UseHiddenLineRemoval")


def composed(window: Any) -> list[Any]:
    """The renderers to composite: those of the lowest layer that draw."""
    return [each for each in all_renderers(window) if each.GetLayer() == 0 and each.GetDraw()]


def all_renderers(window: Any) -> list[Any]:
    """The renderers of a window."""
    found = window.GetRenderers()
    return [found.GetItemAsObject(i) for i in range(found.GetNumberOfItems())]


def refuse_what_needs_one_rank(window: Any, renderers: Sequence[Any]) -> None:
    """Raise ArgumentError for settings that read beyond this rank's pixels, or draw two images."""
    if window.GetStereoRender():
        raise ArgumentError("the window renders in stereo; expected one image: window.StereoRenderOff()")
    if any(each.GetPass() is not None for each in renderers):
        raise ArgumentError(
            "a renderer has a render pass (as of SSAA, blur or shadows), which sees one rank's pixels alone;"
            " expected none: renderer.SetPass(None)"
        )


def props_of(renderer: Any) -> list[Any]:
    """The props of a renderer."""
    props = renderer.GetViewProps()
    return [props.GetItemAsObject(i) for i in range(props.GetNumberOfItems())]


def is_annotation(prop: Any) -> bool:
    """Whether a prop annotates the picture: 2D props, and axes around the data."""
    return not prop.IsA("vtkProp3D") or prop.IsA("vtkCubeAxesActor")


def draw(props: Sequence[Any], renderer: Any) -> None:
    """Draw props onto what a renderer has drawn, in VTK's order: opaque, translucent, volumes, overlays."""
    with ExitStack() as shown:
        for prop in props:
            shown.enter_context(turned(prop, "Visibility", True))
        for prop in props:
            prop.RenderOpaqueGeometry(renderer)
        for prop in props:
            if prop.HasTranslucentPolygonalGeometry():
                prop.RenderTranslucentPolygonalGeometry(renderer)
        for prop in props:
            if prop.IsA("vtkVolume"):
                prop.RenderVolumetricGeometry(renderer)
        for prop in props:
            prop.RenderOverlay(renderer)


@dataclass(frozen=True)
class Hidden:
    """Parts of a renderer that are hidden: the annotations that were visible, and the background."""

    annotations: list[Any]
    background: tuple[float, float, float, float] | None  # if it is a single colour
    restore_background: Callable[[], None]


@contextmanager
def part_alone(renderer: Any) -> Iterator[Hidden]:
    """Context in which a renderer draws only its part, without the background unless that is restored."""
    with ExitStack() as restored, ExitStack() as background:
        visible = [prop for prop in props_of(renderer) if prop.GetVisibility()]
        hidden = Hidden(list(filter(is_annotation, visible)), _plain_background(renderer), background.close)
        for prop in hidden.annotations:
            restored.enter_context(turned(prop, "Visibility", False))
        for name in _OWN_PIXELS_ALONE:
            restored.enter_context(turned(renderer, name, False))
        for name in ("GradientBackground", "TexturedBackground"):
            background.enter_context(turned(renderer, name, False))
        background.enter_context(turned(renderer, "Background", (0.0, 0.0, 0.0)))
        background.enter_context(turned(renderer, "BackgroundAlpha", 0.0))
        yield hidden


def _plain_background(renderer: Any) -> tuple[float, float, float, float] | None:
    if renderer.GetGradientBackground() or renderer.GetTexturedBackground():
        return None
    red, green, blue = renderer.GetBackground()
    return (red, green, blue, renderer.GetBackgroundAlpha())


@contextmanager
def one_sample(window: Any) -> Iterator[None]:
    """Context in which a window takes one sample per pixel and keeps alpha."""
    with turned(window, "MultiSamples", 0), turned(window, "AlphaBitPlanes", 1):
        yield


@contextmanager
def turned(thing: Any, name: str, value: Any) -> Iterator[None]:
    """Context in which a property of a VTK object has another value."""
    before = getattr(thing, f"Get{name}")()
    set_value(thing, name, value)
    try:
        yield
    finally:
        set_value(thing, name, before)


def set_value(thing: Any, name: str, value: Any) -> None:
    """Set a property of a VTK object, with one value or several."""
    setter = getattr(thing, f"Set{name}")
    setter(*value) if isinstance(value, tuple) else setter(value)
