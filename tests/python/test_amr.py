"""A hierarchy of boxes: how it is refined, that its field has no seams, and that the boxes make the whole."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from depth_order import front_to_back
from sortlast import render
from sortlast.render import amr
from sortlast.render.blocks import GHOSTS, Block
from sortlast.render.volume import BoxesRenderer, VolumeRenderer

SHAPE = (140, 40, 36)


def detailed(shape=SHAPE):
    """Waves that become shorter along x, in [0, 1]."""
    x, y, z = np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij")
    return (0.5 + 0.5 * np.sin(40 * x**3) * np.cos(5 * y + 3 * z)).astype(np.float32)


def cells(box):
    return tuple(
        slice(first * box.step, last * box.step)
        for first, last in zip(box.block.lower, box.block.upper, strict=True)
    )


def test_boxes_cover_the_volume_and_share_their_faces():
    made = amr.hierarchy(detailed(), visible=-1)
    covered = np.zeros(np.subtract(made.field.shape, 1), int)
    for box in made.boxes:
        covered[cells(box)] += 1
    assert (covered == 1).all()
    assert max(max(np.subtract(box.block.upper, box.block.lower)) for box in made.boxes) <= amr.CELLS


def test_boxes_are_refined_where_the_data_varies():
    made = amr.hierarchy(detailed(), visible=-1)
    assert {box.step for box in made.boxes} == {1, 2, 4}
    finest = [box.bounds((1, 1, 1))[0] for box in made.boxes if box.step == 1]
    coarsest = [box.bounds((1, 1, 1))[0] for box in made.boxes if box.step == 4]
    assert min(finest) > max(coarsest)


def test_the_field_follows_the_data_and_has_it_where_boxes_are_fine():
    made = amr.hierarchy(detailed(), visible=-1)
    data = np.pad(detailed(), [(0, b - a) for a, b in zip(SHAPE, made.field.shape, strict=True)], mode="edge")
    fine = np.ones(made.field.shape, bool)
    for box in made.boxes:
        if box.step > 1:
            reach = tuple(slice(max(c.start - box.step, 0), c.stop + box.step + 1) for c in cells(box))
            fine[reach] = False
            inner = tuple(slice(c.start + 4, c.stop - 3) for c in cells(box))
            assert np.abs(made.field[inner] - data[inner]).max(initial=0) < 2 * amr.TOLERANCE
    assert fine.any()
    np.testing.assert_array_equal(made.field[fine], data[fine])


def test_a_box_and_its_ghosts_hold_the_field():
    made = amr.hierarchy(detailed(), visible=-1)
    field = np.pad(made.field, 4, mode="edge")
    for box in made.boxes:
        voxels = made.voxels(box)
        finer = voxels
        for _ in range({1: 0, 2: 1, 4: 2}[box.step]):
            finer = amr._interpolated(finer)
        own = tuple(
            slice(4 + box.step * (first - GHOSTS), 4 + box.step * (last + GHOSTS) + 1)
            for first, last in zip(box.block.lower, box.block.upper, strict=True)
        )
        np.testing.assert_allclose(finer, field[own], atol=1e-6)


def test_boxes_with_nothing_to_see_are_left_out():
    data = detailed()
    data[:80] *= 0.2
    made = amr.hierarchy(data, visible=0.3)
    seen = np.zeros(made.field.shape, bool)
    for box in made.boxes:
        own = tuple(slice(c.start, c.stop + 1) for c in cells(box))
        assert made.field[own].max() > 0.3
        seen[own] = True
    assert made.field[~seen].max() <= 0.3
    assert len(made.boxes) < len(amr.hierarchy(data, visible=-1).boxes)


@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (0.5, 1.0, 0.8)])
def test_boxes_composite_to_the_picture_of_the_whole_without_seams(spacing):
    size, threshold = (150, 110), 0.4
    made = amr.hierarchy(detailed(), threshold / 2)
    whole = Block((0, 0, 0), tuple(n - 1 for n in made.field.shape))
    one = VolumeRenderer(render.cut(made.field, whole), whole, spacing, threshold, size)
    boxes = BoxesRenderer([(box, made.voxels(box)) for box in made.boxes], spacing, threshold, size)
    bounds = np.array([box.bounds(spacing) for box in made.boxes])
    radius = 0.4 * max(whole.bounds(spacing))
    for azimuth, elevation in itertools.product((20, 200), (-35, 50)):
        camera = render.Camera.orbit(whole.bounds(spacing), radius, azimuth, elevation)
        images, rectangles = boxes.render(camera)
        frame = np.zeros((size[1], size[0], 4))
        for k in front_to_back(bounds, camera.eye):
            x0, y0, x1, y1 = rectangles[k]
            assert images[k].shape == (y1 - y0, x1 - x0, 4)
            frame[y0:y1, x0:x1] += (1 - frame[y0:y1, x0:x1, 3:]) * images[k]
        expected = one.render(camera)
        assert expected[..., 3].max() > 0.5
        assert np.abs(frame - expected).max() < 0.1 / 255
