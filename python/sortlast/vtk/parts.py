"""The content of a rank in a renderer: its kind, its box, and which props share a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sortlast.vtk.scene import is_annotation, props_of

Box = tuple[float, float, float, float, float, float]  # xmin, xmax, ymin, ymax, zmin, zmax

# Content of a part, in ascending order. Boxes: several volumes, each with its own place in depth.
NOTHING, SURFACE, VOLUME, BOXES = "nothing", "surface", "volume", "boxes"
_KINDS = (NOTHING, SURFACE, VOLUME, BOXES)

Own = Mapping[Any, Box]  # of props with ghost cells: the box that they draw, in data coordinates


@dataclass(frozen=True)
class Part:
    """This rank's part of a renderer's scene: its box (None if empty) and its kind."""

    box: Box | None
    kind: str


@dataclass(frozen=True)
class Group:
    """Props that are drawn together, and their bounding box."""

    box: Box
    props: list[Any]


def part(renderer: Any, stand_in: Any, own: Own) -> Part:
    """This rank's part, from the visible props without the stand-in for the other ranks' boxes."""
    props = _shown(renderer, stand_in)
    kinds = [_kind(prop) for prop in props]
    if kinds.count(VOLUME) > 1 and sum(map(_has_volume, groups(renderer, stand_in, own))) > 1:
        kinds.append(BOXES)
    boxes = [box_of(prop, own) for prop in props if prop.GetUseBounds()]
    return Part(around(boxes), max(kinds, key=_KINDS.index, default=NOTHING))


def _shown(renderer: Any, stand_in: Any) -> list[Any]:
    return [
        prop
        for prop in props_of(renderer)
        if prop.GetVisibility() and prop is not stand_in and not is_annotation(prop)
    ]


def _kind(prop: Any) -> str:
    if prop.IsA("vtkVolume") or prop.HasTranslucentPolygonalGeometry():
        return VOLUME
    return SURFACE


def all_of(parts: Sequence[Part]) -> Part:
    """The union of several parts."""
    return Part(around([each.box for each in parts]), max((each.kind for each in parts), key=_KINDS.index))


# ---- boxes


def box_of(prop: Any, own: Own) -> Box | None:
    """The box that a prop draws; None if it draws nothing in space."""
    if prop in own:
        return moved(own[prop], prop.GetMatrix())
    bounds = prop.GetBounds()
    return None if bounds is None else valid(bounds)


def around(boxes: Sequence[Box | None]) -> Box | None:
    """The bounding box of several boxes."""
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


def corners(box: Box) -> list[tuple[float, float, float]]:
    """The eight corners of a box."""
    return [(x, y, z) for x in box[0:2] for y in box[2:4] for z in box[4:6]]


def moved(box: Box, matrix: Any) -> Box | None:
    """The bounding box of a box transformed by a ``vtkMatrix4x4``."""
    points = [matrix.MultiplyPoint((*corner, 1.0)) for corner in corners(box)]
    ends = [end(point[i] / point[3] for point in points) for i in range(3) for end in (min, max)]
    return valid(ends)


def groups(renderer: Any, stand_in: Any, own: Own) -> list[Group]:
    """The visible props that have boxes, grouped by what is drawn together.

    Each volume is its own group, except that volumes with equal boxes share one. Other props inside the box
    of a volume, such as its outline, are drawn with it; props in no volume's box are groups of their own.
    """
    found: list[Group] = []
    rest: list[tuple[Box, Any]] = []
    for prop in _shown(renderer, stand_in):
        box = box_of(prop, own)
        if box is None:
            continue
        if not prop.IsA("vtkVolume"):
            rest.append((box, prop))
            continue
        equal = next((group for group in found if group.box == box), None)
        if equal is None:
            found.append(Group(box, [prop]))
        else:
            equal.props.append(prop)
    volumes = list(found)
    for box, prop in rest:
        holder = next((group for group in volumes if _holds(group.box, box)), None)
        if holder is None:
            found.append(Group(box, [prop]))
        else:
            holder.props.append(prop)
    return found


def _has_volume(group: Group) -> bool:
    return any(prop.IsA("vtkVolume") for prop in group.props)


def _holds(outer: Box, inner: Box) -> bool:
    """Whether a box lies in another, up to rounding."""
    slack = 1e-6 * max(high - low for low, high in zip(outer[0::2], outer[1::2], strict=True))
    return all(
        low - slack <= inner_low and inner_high <= high + slack
        for low, high, inner_low, inner_high in zip(
            outer[0::2], outer[1::2], inner[0::2], inner[1::2], strict=True
        )
    )


class StandIn:
    """A prop that draws nothing and has the bounding box of all ranks' parts, for cameras."""

    def __init__(self, renderer: Any) -> None:
        from vtkmodules.vtkCommonCore import vtkPoints
        from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
        from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

        self._corners = vtkPoints()
        self._corners.SetNumberOfPoints(2)
        thin = vtkCellArray()
        thin.InsertNextCell(3, [0, 1, 1])  # a degenerate triangle
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
        """Set the box; returns whether it changed."""
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
        """Remove the prop from its renderer."""
        self.renderer.RemoveActor(self.prop)
