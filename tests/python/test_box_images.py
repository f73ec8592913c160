"""Several images a rank from Python: random and AMR-like boxes over MPI, against the oracle and NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mpirun
import sortlast

SCENE = """
import numpy as np
import sortlast

W, H = 120, 90

def random_boxes(random, count, most):
    # (x0, y0, x1, y1) of any sizes up to `most`.
    extents = random.integers(1, most + 1, (count, 2))
    corners = (random.random((count, 2)) * (np.array([W, H]) - extents + 1)).astype(int)
    return [tuple(map(int, (*corner, *(corner + extent)))) for corner, extent in zip(corners, extents)]

def amr_boxes(random, count):
    # The frame is refined where its boxes are cut in four, at random, as by levels of an AMR hierarchy.
    boxes = [(0, 0, W, H)]
    while len(boxes) < count:
        x0, y0, x1, y1 = boxes[random.integers(len(boxes))]
        x, y = (x0 + x1) // 2, (y0 + y1) // 2
        quarters = [(x0, y0, x, y), (x, y0, x1, y), (x0, y, x, y1), (x, y, x1, y1)]
        boxes += [box for box in quarters if box[0] < box[2] and box[1] < box[3]]
    return boxes[:count]

def image_of(random, box, dtype=np.float32):
    x0, y0, x1, y1 = box
    image = random.random((y1 - y0, x1 - x0, 4), np.float32)
    image[..., :3] *= image[..., 3:]
    image[random.random(image.shape[:2]) < 0.3] = 0
    return (255 * image).round().astype(np.uint8) if dtype == np.uint8 else image.astype(dtype)

class Scene:
    def __init__(self, seed, boxes, ranks, dtype=np.float32):
        random = np.random.default_rng(seed)
        self.boxes = boxes(random)
        count = len(self.boxes)
        self.images = [image_of(random, box, dtype) for box in self.boxes]
        self.positions = [int(7 * i - 50) for i in random.permutation(count)]
        self.ranks = random.integers(0, ranks, count)

    def of(self, rank):
        mine = np.flatnonzero(self.ranks == rank)
        return dict(images=[self.images[i] for i in mine], positions=[self.positions[i] for i in mine],
                    boxes=[self.boxes[i] for i in mine], shape=(H, W))

    def serial(self, **more):
        return sortlast.composite_layers_serial(self.images, self.positions, (H, W), boxes=self.boxes, **more)
"""


run = partial(mpirun.reports, head=SCENE)


@pytest.mark.mpi
@pytest.mark.family
def test_scenes_equal_the_oracle():
    run(
        4,
        """
    for node_ranks in (0, 1):
        with sortlast.Compositor(comm, node_ranks=node_ranks) as comp:
            for each, root in ((1, 0), (10, 3), (100, None)):
                for boxes in (lambda r, n: random_boxes(r, n, 30), amr_boxes):
                    scene = Scene(each, lambda r: boxes(r, each * size), size)
                    tile = comp.composite_layers(root=root, **scene.of(rank))
                    for other in {root or 0, 1}:
                        frame = comp.gather(tile, root=other)
                        if rank == other:
                            assert np.abs(frame.colour - scene.serial().colour).max() <= 1e-6 * each * size
    comp = sortlast.Compositor(comm)
    scene = Scene(9, lambda r: random_boxes(r, 80, 50), size, np.uint8)
    frame = comp.gather(comp.composite_layers(op="add", background=[0.2, 0, 0, 1], **scene.of(rank)))
    if rank == 0:
        expected = scene.serial(op="add", background=[0.2, 0, 0, 1])
        assert np.abs(frame.colour.astype(int) - expected.colour).max() <= 1
    scene = Scene(9, lambda r: random_boxes(r, 80, 50), size, np.float16)
    random = np.random.default_rng(3)
    depths = [random.integers(0, 5, image.shape[:2]).astype(np.float32) for image in scene.images]
    mine = [depths[i] for i in np.flatnonzero(scene.ranks == rank)]
    both = comp.gather(comp.composite_layers(depths=mine, op="closest", **scene.of(rank)), depth=True)
    if rank == 0:
        expected = scene.serial(depths=depths, op="closest")
        assert (both.colour == expected.colour).all() and (both.depth == expected.depth).all()
    """,
    )


@pytest.mark.mpi
@pytest.mark.family
def test_ranks_without_images_and_frames_of_the_caller():
    run(
        3,
        """
    comp = sortlast.Compositor(comm)
    image = np.full((2, 3, 4), 0.5, np.float32)
    mine = dict(images=[image], positions=[0], boxes=[(4, 5, 7, 7)]) if rank == 1 else dict(
        images=[], positions=[], boxes=[])
    out = np.zeros((H, W, 4), np.float32)
    tile = comp.composite_layers(shape=(H, W), out=out, **mine)
    assert (out.reshape(-1, 4)[tile.begin : tile.end] == tile.pixels).all()
    frame = comp.gather(tile)
    if rank == 0:
        assert (frame.colour[5:7, 4:7] == 0.5).all() and frame.colour.sum() == 0.5 * image.size
    # Nobody has any.
    frame = comp.gather(comp.composite_layers([], [], (H, W), background=[0.25] * 4))
    assert rank != 0 or (frame.colour == 0.25).all()
    # Memory of another type than the others' images is refused, on all ranks.
    out = np.zeros((H, W, 4), np.uint8 if rank == 2 else np.float32)
    try:
        comp.composite_layers(shape=(H, W), out=out, **mine)
        text = "no error"
    except sortlast.MismatchError as error:
        text = str(error)
    assert "RGBA uint8 on rank 2" in text, text
    """,
    )


@pytest.mark.mpi
@pytest.mark.family
def test_values_that_are_no_numbers_the_largest_positions_and_empty_boxes():
    """Wherever the pixels are finished; a NaN stays in its pixel."""
    run(
        3,
        """
    most = 2**63 - 1
    glass = np.full((H, W, 4), 0.25, np.float32)
    huge = np.full((3, 4, 4), 0.5, np.float32)
    huge[0, 0], huge[0, 1], huge[1, 0, 3] = np.nan, np.inf, 3e38
    nothing = np.zeros((0, 7, 4), np.float32)
    images = [(glass, most, (0, 0, W, H)), (huge, 0, (W - 4, H - 3, W, H)), (glass, -most, (0, 0, W, H)),
              (nothing, 5, (W - 7, H, W, H)), (nothing.reshape(7, 0, 4), -5, (0, 0, 0, 7))]
    deal = {most: 0, -most: 0, 0: 1, 5: 1, -5: 2}  # rank 0 has what is in front of all and behind all
    for node_ranks in (0, 1):
        with sortlast.Compositor(comm, node_ranks=node_ranks) as comp:
            mine = [each for each in images if deal[each[1]] == rank]
            pixels, positions, boxes = map(list, zip(*mine))
            frame = comp.gather(comp.composite_layers(pixels, positions, (H, W), boxes=boxes))
        if rank:
            continue
        with np.errstate(all="ignore"):
            expected = np.zeros((H, W, 4))
            for image, _, (x0, y0, x1, y1) in sorted(images, key=lambda each: each[1]):
                expected[y0:y1, x0:x1] += (1 - expected[y0:y1, x0:x1, 3:]) * image
        assert np.isnan(frame.colour[H - 3, W - 4]).all()
        finite = np.isfinite(expected).all(axis=2) & (np.abs(expected) < 1e30).all(axis=2)
        assert finite.sum() >= W * H - 3
        assert np.abs(frame.colour - expected)[finite].max() <= 3e-6
    """,
    )


@pytest.mark.mpi
@pytest.mark.family
def test_errors_reach_every_rank():
    run(
        3,
        """
    comp = sortlast.Compositor(comm)
    image = np.zeros((2, 3, 4), np.float32)
    box = (4, 5, 7, 7)

    right = {"images": [image], "positions": [rank], "shape": (H, W), "boxes": [box]}

    def error_of(**arguments):
        try:
            comp.composite_layers(**(right | arguments))
        except (sortlast.ArgumentError, sortlast.MismatchError) as error:
            return str(error)
        return "no error"

    def check(part, **arguments):
        text = error_of(**arguments)
        assert part in text, text

    check("position 5 is that of an image of rank 0 and one of rank 1", positions=[5])
    outside = dict(boxes=[(118, 5, 121, 7)]) if rank == 1 else {}
    check("x 118 to 121, y 5 to 7; expected a rectangle", **outside)
    wrong = {
        "images is a ndarray": dict(images=image),
        "image 0: it is None": dict(images=[None]),
        "image 0: image is float64": dict(images=[image.astype(float)]),
        "positions has 2 numbers for 1 images": dict(positions=[1, 2]),
        "positions is [0.5]": dict(positions=[0.5]),
        "positions is None": dict(positions=None),
        "position 9223372036854775808 is too large": dict(positions=[2**63]),
        "box 0 is (4611686018427387904, 5, 7, 7)": dict(boxes=[(2**62, 5, 7, 7)]),
        "x 4611686018427387903 to 7, y 5 to 7; expected a rectangle": dict(boxes=[(2**62 - 1, 5, 7, 7)]),
        "x -4 to -1, y 5 to 7; expected a rectangle": dict(boxes=[(-4, 5, -1, 7)]),
        "x 7 to 4, y 5 to 7; expected a rectangle": dict(boxes=[(7, 5, 4, 7)]),
        "box 0 is (nan, 5, 7, 7)": dict(boxes=[(float("nan"), 5, 7, 7)]),
        "two images of rank 2": dict(images=[image, image], positions=[5, 5], boxes=[box, box]),
        "shape is None": dict(shape=None),
        "shape is (1, -2); expected (height, width) in pixels": dict(shape=(1, -2)),
        "box 0 is (1, 2, 3)": dict(boxes=[(1, 2, 3)]),
        "boxes has 0 boxes for 1 images": dict(boxes=[]),
        "depths has 0 planes for 1 images": dict(depths=[]),
        "depths is a bool; expected a list": dict(depths=True),
        "image 0 is 3x2; expected 120x90": dict(boxes=None),
        "root is -1; expected a rank": dict(root=-1),
        "root is 3; expected a rank": dict(root=3),
        "root is 'a'; expected a rank": dict(root="a"),
    }
    for part, arguments in wrong.items():
        check(part, **(arguments if rank == 2 else {}))
    """,
    )


# ---- The oracle against NumPy --------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_the_oracle_is_what_numpy_makes(seed, count):
    random = np.random.default_rng(seed)
    width, height = (int(extent) for extent in random.integers(1, 20, 2))
    boxes, images = [], []
    for _ in range(count):
        x0, x1 = sorted(int(x) for x in random.integers(0, width + 1, 2))
        y0, y1 = sorted(int(y) for y in random.integers(0, height + 1, 2))
        boxes.append((x0, y0, x1, y1))
        alpha = random.random((y1 - y0, x1 - x0, 1), np.float32)
        images.append(np.concatenate([alpha * random.random((y1 - y0, x1 - x0, 3), np.float32), alpha], 2))
    positions = [int(position) for position in random.permutation(3 * count)[:count] - count]
    frame = sortlast.composite_layers_serial(images, positions, (height, width), boxes=boxes)
    expected = np.zeros((height, width, 4))
    for i in np.argsort(positions):
        x0, y0, x1, y1 = boxes[i]
        part = expected[y0:y1, x0:x1]
        part += (1 - part[..., 3:]) * images[i]
    assert np.abs(frame.colour - expected).max(initial=0) <= 1e-6 * count


def test_the_oracle_refuses_a_position_twice():
    image = np.zeros((2, 2, 4), np.float32)
    with pytest.raises(sortlast.ArgumentError, match="position 3 is that of two images"):
        sortlast.composite_layers_serial([image, image], [3, 3], (2, 2))
