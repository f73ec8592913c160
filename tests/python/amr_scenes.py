"""Random AMR hierarchies of glowing boxes, cameras in and around them, and their pictures, by NumPy alone.

A box absorbs and emits evenly all over. Its pixel follows from the length of the ray within it, so boxes
render without error whatever their number, and the whole can be rendered ray by ray: all pieces of a ray
sorted by distance. No order of the boxes takes part in that. Depth is counted along the direction of view,
from `NEAR` on.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

NEAR = 1e-3
FINEST = 64  # cells of the finest level along an axis of a coarsest block


@dataclass(frozen=True)
class Hierarchy:
    """`boxes` (n, 6), as visibility_positions takes them; each with a density per length and a colour (n, 3).

    `cells` (m, 6) lie apart and show what is seen, each of the box `sources` (m,).
    """

    boxes: np.ndarray
    density: np.ndarray
    colour: np.ndarray
    cells: np.ndarray
    sources: np.ndarray


def hierarchy(count: int, seed: int, overlapping: bool = False) -> Hierarchy:
    """A random one of `count` boxes, or some more if they overlap.

    Of two blocks side by side leaves are refined at random: in eight, as an octree's, or in two at some plane
    across the longest side, as boxes of any shape come about. Some leaves hold no data. `overlapping`: boxes
    that were refined stay, behind finer ones, and are seen where those are missing.
    """
    random = np.random.default_rng(seed)
    leaves = [(0, FINEST, 0, FINEST, 0, FINEST), (FINEST, 2 * FINEST, 0, FINEST, 0, FINEST)]
    refined: list[tuple[int, ...]] = []
    missing: list[tuple[tuple[int, ...], int]] = []  # a part of a refined box, by number, without a finer one
    while len(leaves) + len(refined) < count:
        number = _to_refine(leaves, random)
        box = leaves.pop(number)
        parts = _parts(box, random)
        dropped = random.random(len(parts)) < 0.1
        if overlapping:
            missing += [(part, len(refined)) for part, gone in zip(parts, dropped, strict=True) if gone]
            refined.append(box)
        kept = [part for part, gone in zip(parts, dropped, strict=True) if not gone]
        leaves += kept or parts[:1]
        if overlapping and not kept:
            missing = [each for each in missing if each[0] != parts[0]]
    if not overlapping:
        leaves = leaves[:count]

    boxes = np.array(leaves + refined, float) / FINEST
    cells = np.array(leaves + [part for part, _ in missing], float).reshape(-1, 6) / FINEST
    sources = np.array([*range(len(leaves)), *(len(leaves) + of for _, of in missing)])
    density, colour = random.uniform(0.2, 3, len(boxes)), random.uniform(0, 1, (len(boxes), 3))
    return Hierarchy(boxes, density, colour, cells, sources)


def _to_refine(leaves: list[tuple[int, ...]], random: np.random.Generator) -> int:
    """One of the leaves that can be divided; often a young one, so that levels differ."""
    while True:
        number = int(len(leaves) * random.random() ** 0.5)
        box = leaves[number]
        if min(box[1] - box[0], box[3] - box[2], box[5] - box[4]) > 1:
            return number


def _parts(box: tuple[int, ...], random: np.random.Generator) -> list[tuple[int, ...]]:
    extents = [box[2 * axis + 1] - box[2 * axis] for axis in range(3)]
    if random.random() < 0.5:
        axis = int(np.argmax(extents))
        cuts = [[] for _ in range(3)]
        cuts[axis] = [box[2 * axis] + int(random.integers(1, extents[axis]))]
    else:
        cuts = [[box[2 * axis] + extents[axis] // 2] for axis in range(3)]
    ends = [[box[2 * axis], *cuts[axis], box[2 * axis + 1]] for axis in range(3)]
    sides = [list(itertools.pairwise(line)) for line in ends]
    return [(*x, *y, *z) for x in sides[0] for y in sides[1] for z in sides[2]]


@dataclass(frozen=True)
class Camera:
    """Looks from `eye` along `forward`; parallel if `height` says how much of the scene is seen."""

    eye: np.ndarray
    forward: np.ndarray  # these three are of length 1 and at right angles
    right: np.ndarray
    up: np.ndarray
    size: tuple[int, int]
    height: float | None  # of the view, in scene units; None: perspective, 80 degrees

    @property
    def place(self) -> dict[str, list[float]]:
        """As visibility_positions takes it."""
        return {"eye": self.eye.tolist()} if self.height is None else {"direction": self.forward.tolist()}

    def rays(self, pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of pixels (m, 2), x and y, the points at depth 0 and the steps to depth 1, (m, 3) each."""
        width, height = self.size
        scale = (self.height or 2 * np.tan(np.radians(40))) / height
        x = (pixels[:, :1] + 0.5 - width / 2) * scale
        y = (height / 2 - pixels[:, 1:] - 0.5) * scale
        aside = x * self.right + y * self.up
        if self.height is None:
            return np.broadcast_to(self.eye, aside.shape), self.forward + aside
        return self.eye + aside, np.broadcast_to(self.forward, aside.shape)

    def rectangles(self, boxes: np.ndarray) -> np.ndarray:
        """(n, 4): x0, y0, x1, y1 of the pixels whose rays may meet each box (n, 6) beyond NEAR."""
        corners = np.stack([boxes[:, [x, y, z]] for x in (0, 1) for y in (2, 3) for z in (4, 5)], axis=1)
        seen = (corners - self.eye) @ np.stack([self.right, self.up, self.forward]).T  # (n, 8, 3)
        # Add where the edges cross the plane at NEAR, and drop what lies before it.
        edges = np.array([(a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1])
        first, last = seen[:, edges[:, 0]], seen[:, edges[:, 1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            along = (NEAR - first[..., 2:]) / (last[..., 2:] - first[..., 2:])
            crossing = first + along * (last - first)
        crosses = (first[..., 2] < NEAR) != (last[..., 2] < NEAR)
        points = np.concatenate([seen, crossing], axis=1)
        there = np.concatenate([seen[..., 2] >= NEAR, crosses], axis=1)

        # Project.
        width, height = self.size
        scale = (self.height or 2 * np.tan(np.radians(40))) / height
        depth = np.where(there, points[..., 2], 1) if self.height is None else 1
        x = np.where(there, points[..., 0] / depth / scale + width / 2, np.nan)
        y = np.where(there, height / 2 - points[..., 1] / depth / scale, np.nan)
        none = ~there.any(axis=1)
        x[none], y[none] = -1, -1
        low = np.stack([np.nanmin(x, axis=1), np.nanmin(y, axis=1)], axis=1)
        high = np.stack([np.nanmax(x, axis=1), np.nanmax(y, axis=1)], axis=1)
        low = np.clip(np.floor(low - 1e-6), 0, self.size)
        high = np.clip(np.ceil(high + 1e-6), low, self.size)
        return np.concatenate([low, high], axis=1).astype(int)


def cameras(count: int, seed: int, size: tuple[int, int]) -> list[Camera]:
    """Random ones: of every four two are parallel, and one of each kind is inside the data."""
    random = np.random.default_rng(seed)
    made = []
    for number in range(count):
        forward = random.normal(size=3)
        if number % 8 == 0:  # along an axis, where many faces are seen edge-on
            forward = np.roll([1.0, 0.0, 0.0], int(random.integers(3))) * random.choice([-1, 1])
        forward /= np.linalg.norm(forward)
        right = np.cross(forward, random.normal(size=3))
        right /= np.linalg.norm(right)
        inside = random.uniform(0.2, 0.8, 3) * (2, 1, 1)
        eye = inside if number % 4 < 2 else np.array([1, 0.5, 0.5]) - random.uniform(1.6, 4) * forward
        height = None if number % 2 == 0 else 2.0
        made.append(Camera(eye, forward, right, np.cross(right, forward), size, height))
    return made


def pieces(camera: Camera, cells: np.ndarray, density: np.ndarray, colour: np.ndarray):
    """What each cell shows: rectangles (n, 4), and pixel by pixel of these, row by row and cell by cell, the
    pixels (m, 2), the depth at which its ray enters (infinite if it does not) and RGBA (m, 4) float64."""
    rectangles = camera.rectangles(cells)
    widths, heights = rectangles[:, 2] - rectangles[:, 0], rectangles[:, 3] - rectangles[:, 1]
    areas = widths * heights
    cell = np.repeat(np.arange(len(cells)), areas)
    place = np.arange(areas.sum()) - np.repeat(np.cumsum(areas) - areas, areas)
    pixels = rectangles[cell, :2] + np.stack([place % widths[cell], place // widths[cell]], axis=1)

    start, step = camera.rays(pixels)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (cells[cell, 0::2] - start) / step, (cells[cell, 1::2] - start) / step
    enter = np.maximum(np.fmin(low, high).max(axis=1), NEAR)
    leave = np.fmax(low, high).min(axis=1)
    length = np.maximum(leave - enter, 0) * np.linalg.norm(step, axis=1)
    alpha = -np.expm1(-density[cell] * length)
    rgba = np.concatenate([colour[cell] * alpha[:, np.newaxis], alpha[:, np.newaxis]], axis=1)
    return rectangles, pixels, np.where(length > 0, enter, np.inf), rgba


def images(camera: Camera, scene: Hierarchy, boxes: np.ndarray, sources: np.ndarray):
    """The images of boxes, or of parts of those with the numbers `sources`, and their rectangles."""
    rectangles, _, _, rgba = pieces(camera, boxes, scene.density[sources], scene.colour[sources])
    rgba = rgba.astype(np.float32)
    found, first = [], 0
    for x0, y0, x1, y1 in rectangles.tolist():
        end = first + (y1 - y0) * (x1 - x0)
        found.append(rgba[first:end].reshape(y1 - y0, x1 - x0, 4))
        first = end
    return found, [tuple(box) for box in rectangles.tolist()]


def whole(camera: Camera, scene: Hierarchy) -> np.ndarray:
    """The picture of all cells as one process has it, (height, width, 4) float64: by the depths of a ray."""
    _, pixels, depth, rgba = pieces(
        camera, scene.cells, scene.density[scene.sources], scene.colour[scene.sources]
    )
    width, height = camera.size
    there = np.isfinite(depth)
    pixel = (pixels[:, 1] * width + pixels[:, 0])[there]
    order = np.lexsort((depth[there], pixel))
    pixel, rgba = pixel[order], rgba[there][order]
    counts = np.bincount(pixel, minlength=width * height)
    place = np.arange(len(pixel)) - np.repeat(np.cumsum(counts) - counts, counts)
    frame = np.zeros((width * height, 4))
    for k in range(int(counts.max(initial=0))):
        at, behind = pixel[place == k], rgba[place == k]
        frame[at] += (1 - frame[at, 3:]) * behind
    return frame.reshape(height, width, 4)
