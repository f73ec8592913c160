#!/usr/bin/env python3
"""Composite many box images per rank that interleave in depth: sortlast and the straightforward method.

    mpiexec -n 4 python bench/layers/boxes.py --gather-all BUILD --json boxes.json

Every rank has N images, like the boxes of an AMR hierarchy: the more boxes, the smaller. They are distributed
in random order. The complete frame has to arrive at rank 0. Each answer is compared with the images blended
one by one in float64 before it is timed; peers alternate. Peers:

sortlast              composite_layers() and gather(): through the memory of the node
sortlast-messages     the same with every rank on a separate node
gather all and blend  MPI_Gatherv of all images to rank 0, which blends them one by one in C++

In addition to times, prints the bytes that all ranks send for a frame, relative to the floor: the images'
pixels (16 bytes each) that are not on the rank that owns the pixel, and the finished pixels sent to rank 0.
Merging neighbours in depth before sending may take less.
"""

from __future__ import annotations

import argparse
import gc
import itertools
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from layer_peers import FLOAT_PIXEL, gather_all
from layer_scenes import PIXEL_BYTES
from layer_turns import Peer, measure, table, write
from mpi4py import MPI

import sortlast as sl

_BOUND = 2e-6
_SEED = 1987
_EXTENT = 0.6  # side of the cube of all boxes on the screen, relative to the frame's height
_TILTED = 1.4  # side of a box's picture, relative to the box: it is seen at an angle


@dataclass(frozen=True)
class Boxes:
    """The images of one rank."""

    boxes: np.ndarray  # (N, 4) int32: x0, y0, x1, y1
    positions: np.ndarray  # (N,) int64, front to back over all ranks
    pixels: np.ndarray  # (M, 4) float32, image by image

    @property
    def firsts(self) -> np.ndarray:
        """Index of each image's first pixel, int64."""
        areas = (self.boxes[:, 2] - self.boxes[:, 0]) * (self.boxes[:, 3] - self.boxes[:, 1])
        return np.cumsum(areas, dtype=np.int64) - areas

    @property
    def images(self) -> list[np.ndarray]:
        """Views of the pixels (height, width, 4)."""
        found = []
        for (x0, y0, x1, y1), first in zip(self.boxes.tolist(), self.firsts.tolist(), strict=True):
            height, width = y1 - y0, x1 - x0
            found.append(self.pixels[first : first + height * width].reshape(height, width, 4))
        return found


def draw(width: int, height: int, number: int, ranks: int, rank: int) -> Boxes:
    """The images of a rank, the same in every run."""
    positions = np.random.default_rng((_SEED, ranks, number)).permutation(ranks * number)
    chance = np.random.default_rng((_SEED, ranks, number, rank))
    side = _EXTENT * height / np.cbrt(ranks * number) * _TILTED
    sides = np.maximum(2, (side * chance.uniform(0.6, 1.4, (number, 2))).astype(int))
    room = _EXTENT * height / 2
    centres = np.array([width / 2, height / 2]) + chance.uniform(-room, room, (number, 2))
    corners = np.maximum(0, centres - sides / 2).astype(int)
    ends = np.minimum([width, height], corners + sides)
    boxes = np.hstack([corners, ends]).astype(np.int32)
    pixels = chance.uniform(0, 1, (int(np.prod(ends - corners, axis=1).sum()), 4)).astype(np.float32)
    pixels[:, 3] = 0.03 + 0.2 * pixels[:, 3]
    pixels[:, :3] *= pixels[:, 3:]
    return Boxes(boxes, positions[rank * number : (rank + 1) * number], pixels)


def composite(width: int, height: int, all_ranks: list[Boxes]) -> np.ndarray:
    """The correct result (height, width, 4): all images blended front to back in float64."""
    frame = np.zeros((height, width, 4))
    images = [
        image
        for one in all_ranks
        for image in zip(one.positions, one.boxes.tolist(), one.images, strict=True)
    ]
    for _, (x0, y0, x1, y1), image in sorted(images, key=lambda image: image[0]):
        front = frame[y0:y1, x0:x1]
        front += (1 - front[..., 3:]) * image
    return frame


def floor_bytes(width: int, height: int, boxes: np.ndarray, ranks: int, rank: int) -> int:
    """Minimum bytes that a rank sends without merging, if all ranks own equally many pixels, row by row."""
    n = width * height
    begin, end = n * rank // ranks, n * (rank + 1) // ranks
    away = 0
    for x0, y0, x1, y1 in boxes.tolist():
        rows = np.arange(y0, y1, dtype=np.int64) * width
        own = np.minimum(rows + x1, end) - np.maximum(rows + x0, begin)
        away += (x1 - x0) * (y1 - y0) - int(np.maximum(own, 0).sum())
    return PIXEL_BYTES * (away + (end - begin if rank else 0))


class SortlastBoxes(Peer):
    """``composite_layers()`` and ``gather()``."""

    def __init__(self, comm, size: tuple[int, int], given: Boxes, node_ranks: int | None) -> None:
        self.name = "sortlast" if node_ranks is None else "sortlast-messages"
        self._compositor = sl.Compositor(comm, node_ranks=node_ranks)
        self._shape, self._images = (size[1], size[0]), given.images
        self._positions, self._boxes = given.positions.tolist(), [tuple(box) for box in given.boxes.tolist()]
        self._tile = self._frame = None

    def frame(self) -> None:
        """Composite and gather."""
        self._tile = self._frame = None  # the compositor reuses their memory
        self._tile = self._compositor.composite_layers(
            self._images, self._positions, self._shape, boxes=self._boxes, root=0
        )
        self._sent = self._compositor.timing.bytes_sent
        self._frame = self._compositor.gather(self._tile, root=0)

    def result(self) -> np.ndarray | None:
        """The colours of the gathered frame."""
        return None if self._frame is None else self._frame.colour

    def bytes_sent(self) -> int:
        """Bytes of composite(), and of this rank's tile if it travels as a message."""
        tile = 0 if self._frame is not None else np.asarray(self._tile.pixels).nbytes
        return self._sent + (tile if self.name == "sortlast-messages" else 0)


class GatherAllBoxes(Peer):
    """MPI_Gatherv of all images to rank 0, which blends them."""

    name = "gather all and blend"

    def __init__(self, comm: MPI.Intracomm, size: tuple[int, int], given: Boxes, folder: str) -> None:
        self._comm, self._size, self._given = comm, size, given
        self._library = gather_all(folder)
        self._frame: np.ndarray | None = None

    def frame(self) -> None:
        """Gather, sort, blend."""
        comm, given = self._comm, self._given
        told = comm.gather((given.boxes, given.positions, given.firsts, len(given.pixels)))
        if told is None:
            comm.Gatherv([given.pixels, len(given.pixels), FLOAT_PIXEL], None)
            return
        boxes, positions, firsts, numbers = zip(*told, strict=True)
        begins = np.cumsum(numbers) - numbers
        pixels = np.empty((sum(numbers), 4), np.float32)
        comm.Gatherv(
            [given.pixels, len(given.pixels), FLOAT_PIXEL],
            [pixels, list(numbers), begins.tolist(), FLOAT_PIXEL],
        )
        order = np.argsort(np.concatenate(positions))
        sorted_boxes = np.ascontiguousarray(np.concatenate(boxes)[order])
        sorted_firsts = np.concatenate([one + begin for one, begin in zip(firsts, begins, strict=True)])[
            order
        ]
        width, height = self._size
        self._frame = np.zeros((height, width, 4), np.float32)
        addresses = [array.ctypes.data for array in (sorted_boxes, sorted_firsts, pixels)]
        self._library.blend_boxes(len(order), *addresses, width, self._frame.ctypes.data)

    def result(self) -> np.ndarray | None:
        """The frame, at rank 0."""
        return self._frame

    def bytes_sent(self) -> int:
        """Pixels, boxes and positions; rank 0 sends nothing."""
        given = self._given
        own = given.pixels.nbytes + given.boxes.nbytes + given.positions.nbytes + given.firsts.nbytes
        return own if self._comm.rank else 0


def main() -> None:
    """Measure all cells."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gather-all", metavar="FOLDER", help="where sortlast_gather_all was built")
    parser.add_argument("--boxes", default="1,10,100,1000", help="per rank; default: %(default)s")
    parser.add_argument("--sizes", default="1280x720,1920x1080", help="default: %(default)s")
    parser.add_argument("--frames", type=int, default=15, help="default: %(default)s")
    parser.add_argument("--json", type=Path, help="file to which the rows are added")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    if comm.rank == 0 and options.gather_all is None:
        print("gather all and blend is left out: no folder is given (--gather-all)", flush=True)
    for size, number in itertools.product(options.sizes.split(","), map(int, options.boxes.split(","))):
        width, height = map(int, size.split("x"))
        rows = run_cell(comm, (width, height), number, options)
        if comm.rank == 0:
            print(f"\n{comm.size} ranks, {size}, {number} boxes a rank", table(rows), sep="\n", flush=True)
            write(rows, options.json)
        gc.collect()


def run_cell(
    comm: MPI.Intracomm, size: tuple[int, int], number: int, options: argparse.Namespace
) -> list[dict]:
    """The rows of one cell."""
    given = draw(*size, number, comm.size, comm.rank)
    makers = [partial(SortlastBoxes, comm, size, given, None), partial(SortlastBoxes, comm, size, given, 1)]
    if options.gather_all is not None:
        makers.append(partial(GatherAllBoxes, comm, size, given, options.gather_all))
    answer = np.empty(0)
    if comm.rank == 0:
        answer = composite(*size, [draw(*size, number, comm.size, rank) for rank in range(comm.size)])
    floor = comm.allreduce(floor_bytes(*size, given.boxes, comm.size, comm.rank))
    rows = measure(comm, makers, answer, _BOUND, options.frames)
    cell = {
        "task": "boxes",
        "ranks": comm.size,
        "width": size[0],
        "height": size[1],
        "boxes": number,
        "fragments": comm.allreduce(len(given.pixels)),
        "floor_bytes": floor,
    }
    return [cell | row for row in rows]


if __name__ == "__main__":
    main()
