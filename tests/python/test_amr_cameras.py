"""Boxes of random AMR hierarchies, dealt out to ranks in no order and seen by cameras in and around them.

Places come from visibility_positions. The composite equals the serial oracle, and the picture is that of one
process, which sorts the pieces of every ray by distance.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import mpirun

pytestmark = pytest.mark.mpi

SIZE = (96, 72)
PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import amr_scenes
import sortlast

scene = amr_scenes.hierarchy({each} * size, seed={each}, overlapping={overlapping})
owner = np.random.default_rng(size).integers(0, size, len(scene.boxes))
mine = np.flatnonzero(owner == rank)
views = amr_scenes.cameras({cameras}, seed=size + {each}, size={size})
compositors = [sortlast.Compositor(comm), sortlast.Compositor(comm, node_ranks=1)]
oracle, picture, images, lit, split = 0.0, 0.0, 0, 0.0, 0
for number, camera in enumerate(views):
    # Order the boxes, render this rank's, composite.
    found = sortlast.visibility_positions(comm, scene.boxes[mine], split={overlapping}, **camera.place)
    split += int((found.boxes != scene.boxes[mine][found.sources]).any(axis=1).sum())
    own, rectangles = amr_scenes.images(camera, scene, found.boxes, mine[found.sources])
    compositor = compositors[number % 2]
    tile = compositor.composite_layers(own, found.positions, camera.size[::-1], boxes=rectangles)
    frame = compositor.gather(tile, root=0)

    # Compare with the oracle, which has the images of all ranks, and with one process.
    told = comm.gather((own, found.positions.tolist(), rectangles))
    if rank == 0:
        all_images, positions, boxes = (sum(map(list, each), []) for each in zip(*told))
        expected = sortlast.composite_layers_serial(
            all_images, positions, camera.size[::-1], boxes=boxes
        ).colour
        difference = float(np.abs(frame.colour - expected).max())
        assert difference <= 1e-6 * len(all_images), (number, difference)
        beside = float(np.abs(frame.colour - amr_scenes.whole(camera, scene)).max())
        assert beside <= 1e-6 * len(all_images), (number, camera, beside)
        oracle, picture = max(oracle, difference), max(picture, beside)
        images, lit = max(images, len(all_images)), lit + float((frame.colour[..., 3] > 0.01).mean())
report([oracle, picture, images, lit / len(views), split])
"""


def run(ranks: int, each: int, cameras: int, overlapping: bool = False) -> None:
    folder = str(Path(__file__).parent)
    program = PROGRAM.format(folder=folder, each=each, cameras=cameras, overlapping=overlapping, size=SIZE)
    reports = mpirun.reports(ranks, program, timeout=1200)
    oracle, picture, images, lit, _ = reports[0]
    assert lit > 0.1
    # Of boxes that overlap, finer ones may fill one, which has no image then.
    assert overlapping or images == each * ranks
    parts = sum(report[-1] for report in reports)
    assert parts > 0 if overlapping and each >= 50 else overlapping or parts == 0
    print(
        f"{ranks} ranks, {each} boxes each, {cameras} cameras, {images} images at most: {oracle:.2e} from the"
        f" oracle, {picture:.2e} from one process, {lit:.0%} of the pixels lit"
    )


@pytest.mark.parametrize("each", [10, 100])
def test_few_cameras(each):
    run(4, each, cameras=8)


@pytest.mark.parametrize("each", [10, 50])
def test_boxes_under_finer_ones_are_split(each):
    run(3, each, cameras=8, overlapping=True)


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "each"), [(12, 1), (4, 1000), (8, 100)])
def test_a_hundred_cameras(ranks, each):
    run(ranks, each, cameras=100)


@pytest.mark.slow
@pytest.mark.parametrize("each", [10, 100])
def test_a_hundred_cameras_of_boxes_that_are_split(each):
    run(8, each, cameras=100, overlapping=True)
