"""Ray casting of tetrahedra into fragments: exact for any set of them, convex or not.

Where a pixel's ray meets a tetrahedron, it has a segment with an entry and an exit. With the eye at the
origin and a ray t (x, y, 1), where t is the distance along the view direction, a face lies at
1/t = a + b x + c y, which is linear over the image. The entry is the minimum 1/t of the faces turned to the
eye, the exit the maximum of the other faces. In each row a tetrahedron covers one span of pixels, from its
leftmost to its rightmost edge; only pixels in these spans are computed.

A segment has the opacity and colour of the value at its middle, over its length. Segments that meet in a face
shared by both tetrahedra are then joined, front over back, because no other tetrahedron can lie between them.
Shared faces are recognised by their number rather than by depth, so no tolerance is needed. The result is one
fragment for each time that the ray passes through these tetrahedra.

Rows are independent. They are processed in bands, so that memory depends on the busiest row rather than on
the whole image.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .camera import Camera, pixel_width
from .look import LOOK
from .mesh import Floats, Ids, Tetrahedra
from .window import Image

BAND = 1 << 20  # segments processed at once; a row is never divided
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
ENTRIES = 4096  # of the table of colours
LIGHT = np.array([-0.45, 0.60, -1.0])  # toward it: right, up, forward

Planes = npt.NDArray[np.float64]  # (3, k, m): for each of m tetrahedra, k functions a + b x + c y


@dataclass(frozen=True)
class FragmentImage:
    """Fragments pixel by pixel in row order, and front to back in each pixel.

    `counts` (h, w) int32. For all N fragments, `colour` (N, 4) float32, premultiplied, and `depth` (N,)
    float32: where the ray enters, along the view direction, in the units of the volume's spacing.
    """

    counts: npt.NDArray[np.int32]
    colour: Image
    depth: Image


class TetrahedraRenderer:
    """Renders tetrahedra as a translucent object; `threshold` is the value where it becomes visible.

    Opacities of the look are per `unit` of length; `size` is (width, height). `look` are points as in
    `look.LOOK`.
    """

    def __init__(
        self,
        mesh: Tetrahedra,
        threshold: float,
        unit: float,
        size: tuple[int, int],
        look: tuple[tuple[float, tuple[float, float, float], float], ...] = LOOK,
    ) -> None:
        self._mesh = mesh
        self._size = size
        values = np.interp([position for position, _, _ in look], (0, 1, 2), (0, threshold, 1))
        entries = np.linspace(0, 1, ENTRIES)
        opacity = np.interp(entries, values, [alpha for _, _, alpha in look], left=0)
        self._extinction = -np.log1p(-opacity) / unit
        self._colours = np.stack(
            [np.interp(entries, values, channel) for channel in np.transpose([rgb for _, rgb, _ in look])]
        )

    def render(self, camera: Camera) -> FragmentImage:
        """The fragments of one image; the tetrahedra must lie in front of the eye."""
        width, height = self._size
        counts = np.zeros(width * height, np.int32)
        colours, depths = [np.empty((0, 4), np.float32)], [np.empty(0, np.float32)]
        seen = camera.seen(self._mesh.corners)
        scene = _Seen(seen, self._mesh, camera.axes(), pixel_width(self._size, camera.angle), self._size)
        for spans in scene.bands():
            pixel, colour, depth = self._fragments(scene.segments(spans))
            counts += np.bincount(pixel, minlength=len(counts)).astype(np.int32)
            colours.append(colour)
            depths.append(depth)
        return FragmentImage(counts.reshape(height, width), np.concatenate(colours), np.concatenate(depths))

    def _fragments(self, found: _Segments) -> tuple[Ids, Image, Image]:
        """Pixel, colour and depth of the fragments, made from segments."""
        # Look up the colours.
        entry = np.rint(np.clip(found.value, 0, 1) * (ENTRIES - 1)).astype(np.int64)
        optical = self._extinction[entry] * found.length
        colour = self._colours[:, entry] * found.diffuse + found.shine

        # Begin a fragment where a segment does not continue its predecessor through a shared face.
        begins = np.ones(len(optical), bool)
        begins[1:] = (found.pixel[1:] != found.pixel[:-1]) | (found.enters[1:] != found.leaves[:-1])
        first = np.flatnonzero(begins)
        if not len(first):
            return found.pixel, np.empty((0, 4), np.float32), np.empty(0, np.float32)

        # Blend its segments, front over back.
        before = np.cumsum(optical) - optical
        before -= before[first][np.cumsum(begins) - 1]
        weight = np.exp(-before) * -np.expm1(-optical)
        made = np.empty((len(first), 4), np.float32)
        made[:, :3] = np.add.reduceat(colour * weight, first, axis=1).T
        made[:, 3] = -np.expm1(-np.add.reduceat(optical, first))
        shown = made[:, 3] > 0
        return found.pixel[first][shown], made[shown], found.depth[first][shown].astype(np.float32)


@dataclass(frozen=True)
class _Spans:
    """Pixels first..last (inclusive) of one row and one tetrahedron each; rows ascend."""

    cell: Ids
    row: Ids
    first: Ids
    last: Ids

    def part(self, begin: int, end: int) -> _Spans:
        return _Spans(*(field[begin:end] for field in (self.cell, self.row, self.first, self.last)))


@dataclass(frozen=True)
class _Segments:
    """Segments of rays in single tetrahedra, sorted by pixel and then front to back."""

    pixel: Ids
    depth: Floats
    length: Floats
    enters: Ids  # number of the face
    leaves: Ids
    value: Floats  # at its middle, like the next two fields; the first of them multiplies the colour
    diffuse: Floats
    shine: Floats  # added to the colour


class _Seen:
    """Tetrahedra from one eye: all functions that are linear over the image."""

    def __init__(
        self, seen: Floats, mesh: Tetrahedra, axes: Floats, unit: float, size: tuple[int, int]
    ) -> None:
        self._size, self._unit = size, unit
        self._faces = mesh.faces.T
        self._inverse_depth, self._front = _planes(seen)
        shading = np.stack([mesh.values, *_light(seen, mesh.gradients @ axes.T)])
        self._shading = _linear(seen, shading)
        self._spans = self._all_spans(seen)

    def bands(self) -> Iterator[_Spans]:
        """Iterate over the spans of whole rows, with about BAND segments at a time."""
        spans = self._spans
        ends = np.searchsorted(spans.row, np.arange(self._size[1]) + 1)
        segments = np.concatenate([[0], np.cumsum(spans.last - spans.first + 1)])[ends]
        begin, done = 0, 0
        for row, end in enumerate(ends):
            full = segments[row] - done > BAND or row == len(ends) - 1
            if full and end > begin:
                yield spans.part(begin, int(end))
                begin, done = int(end), int(segments[row])

    def segments(self, spans: _Spans) -> _Segments:
        """The segments of some spans."""
        # Step through the pixels of all spans at once.
        count = spans.last - spans.first + 1
        span = np.repeat(np.arange(len(count)), count)
        column = np.arange(len(span)) - np.repeat(np.cumsum(count) - count, count) + spans.first[span]
        x, y = self._place(column, spans.row[span])
        cell = spans.cell[span]

        # Find where each ray enters and leaves.
        near, far = np.full(len(cell), np.inf), np.full(len(cell), -np.inf)
        enters, leaves = np.zeros(len(cell), np.int64), np.zeros(len(cell), np.int64)
        for face in range(4):
            inverse = self._along(self._inverse_depth[:, face], cell, x, y)
            front = self._front[face, cell]
            nearer, farther = front & (inverse < near), ~front & (inverse > far)
            near[nearer], far[farther] = inverse[nearer], inverse[farther]
            enters[nearer], leaves[farther] = face, face
        hit = (near > far) & (far > 0) & np.isfinite(near)
        cell, x, y, near, far = cell[hit], x[hit], y[hit], near[hit], far[hit]
        pixel = spans.row[span[hit]] * self._size[0] + column[hit]

        # Sort by pixel and depth.
        order = np.lexsort((-near, pixel))
        cell, x, y, near, far, pixel = (each[order] for each in (cell, x, y, near, far, pixel))
        enters, leaves = (self._faces[each[hit][order], cell] for each in (enters, leaves))
        entry, leave = 1 / near, 1 / far
        middle = (entry + leave) / 2
        value, diffuse, shine = (
            middle * self._along(plane, cell, x, y) + constant[cell]
            for plane, constant in zip(self._shading[0], self._shading[1], strict=True)
        )
        length = (leave - entry) * np.sqrt(1 + x * x + y * y)
        return _Segments(pixel, entry, length, enters, leaves, value, diffuse, shine)

    def _place(self, column: Ids, row: Ids) -> tuple[Floats, Floats]:
        """Where the ray through a pixel's centre meets the plane at distance 1."""
        width, height = self._size
        x, y = column + (1 - width) / 2, (height - 1) / 2 - row
        return np.asarray(x * self._unit, np.float64), np.asarray(y * self._unit, np.float64)

    @staticmethod
    def _along(plane: Planes, cell: Ids, x: Floats, y: Floats) -> Floats:
        return np.asarray(plane[0, cell] * x + plane[1, cell] * y + plane[2, cell])

    def _all_spans(self, seen: Floats) -> _Spans:
        """The spans of all tetrahedra, with vertices at `seen` (m, 4, 3) in camera coordinates."""
        # Project the vertices: pixel (i, j) has its centre at (i, j).
        width, height = self._size
        across = seen[..., 0] / seen[..., 2] / self._unit + (width - 1) / 2
        down = (height - 1) / 2 - seen[..., 1] / seen[..., 2] / self._unit

        # List the rows of each tetrahedron.
        top = np.clip(np.ceil(down.min(axis=1)), 0, height).astype(np.int64)
        bottom = np.clip(np.floor(down.max(axis=1)), -1, height - 1).astype(np.int64)
        count = np.maximum(bottom - top + 1, 0)
        cell = np.repeat(np.arange(len(count)), count)
        row = np.arange(len(cell)) - np.repeat(np.cumsum(count) - count, count) + top[cell]

        # Intersect its edges with the row.
        left, right = np.full(len(cell), np.inf), np.full(len(cell), -np.inf)
        for a, b in EDGES:
            begin, end = down[cell, a], down[cell, b]
            slanted = begin != end
            crossed = (np.minimum(begin, end) <= row) & (row <= np.maximum(begin, end))
            share = np.divide(row - begin, end - begin, out=np.zeros(len(cell)), where=slanted)
            at = across[cell, a] + share * (across[cell, b] - across[cell, a])
            left = np.where(crossed, np.minimum(left, at), left)
            right = np.where(crossed, np.maximum(right, at), right)
        met = left <= right
        cell, row, left, right = cell[met], row[met], left[met], right[met]
        first = np.clip(np.ceil(left), 0, width).astype(np.int64)
        last = np.clip(np.floor(right), -1, width - 1).astype(np.int64)

        met = first <= last
        order = np.argsort(row[met], kind="stable")
        return _Spans(*(field[met][order] for field in (cell, row, first, last)))


def _planes(seen: Floats) -> tuple[Planes, npt.NDArray[np.bool_]]:
    """1/t of each face as a function of x and y, and whether (4, m) it is turned to the eye.

    A face with the eye in its plane bounds no ray between entry and exit: it counts as turned to the eye,
    with an entry of 1/t = inf that is never the minimum.
    """
    planes = np.empty((3, 4, len(seen)))
    front = np.empty((4, len(seen)), bool)
    for face in range(4):
        a, b, c = (seen[:, vertex] for vertex in range(4) if vertex != face)
        normal = np.cross(b - a, c - a)
        distance = np.einsum("ij,ij->i", normal, a)
        inward = np.einsum("ij,ij->i", normal, seen[:, face])
        front[face] = (distance == 0) | ((inward - distance) * distance > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            planes[:, face] = normal.T / distance
        planes[:, face, distance == 0] = np.array([[0.0], [0.0], [np.inf]])
    return planes, front


def _linear(seen: Floats, values: Floats) -> tuple[Planes, Floats]:
    """Values (k, m, 4) at vertices as functions g . q + c of a point q: g (k, 3, m) and c (k, m)."""
    edges = seen[:, 1:] - seen[:, :1]
    rise = values[:, :, 1:] - values[:, :, :1]
    slope = np.linalg.solve(edges[np.newaxis], rise[..., np.newaxis])[..., 0]
    constant = values[:, :, 0] - np.einsum("kmi,mi->km", slope, seen[:, 0])
    return np.ascontiguousarray(np.moveaxis(slope, -1, 1)), constant


def _light(seen: Floats, gradients: Floats) -> tuple[Any, Any]:
    """Light at vertices, as in the shader of `volume`: a factor for colours, and a term added to them."""
    steepness = np.linalg.norm(gradients, axis=-1)
    normal = -gradients / np.maximum(steepness, 1e-6)[..., np.newaxis]
    to_eye = -seen / np.linalg.norm(seen, axis=-1, keepdims=True)
    to_light = LIGHT / np.linalg.norm(LIGHT)
    half = to_light + to_eye
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    facing = np.maximum(normal @ to_light, 0)
    shine = np.maximum(np.einsum("mki,mki->mk", normal, half), 0) ** 40
    share = np.clip(steepness / 0.08, 0, 1)
    share = share * share * (3 - 2 * share)
    return 0.75 + share * (0.28 + 0.82 * facing - 0.75), share * 0.22 * shine


def flattened(lists: list[FragmentImage]) -> Image:
    """All fragments of each pixel, sorted by depth and then by list, blended front over back."""
    pixels = [np.repeat(np.arange(one.counts.size), one.counts.ravel()) for one in lists]
    pixel, depth = np.concatenate(pixels), np.concatenate([one.depth for one in lists])
    colour = np.concatenate([one.colour for one in lists])
    sorting = np.lexsort((depth, pixel))
    pixel, colour = pixel[sorting], colour[sorting]
    place = np.arange(len(pixel)) - np.searchsorted(pixel, pixel)  # of a fragment within its pixel
    frame = np.zeros((lists[0].counts.size, 4))
    for layer in range(int(place.max(initial=-1)) + 1):
        here = place == layer
        frame[pixel[here]] += (1 - frame[pixel[here], 3:]) * colour[here]
    return frame.reshape(*lists[0].counts.shape, 4).astype(np.float32)
