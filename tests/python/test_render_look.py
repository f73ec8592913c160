"""What may change of a renderer while it lives: size, look, camera. Each is compared with a new renderer."""

from __future__ import annotations

import os

import numpy as np
import pytest

import sortlast
from depth_order import front_to_back
from sortlast import render
from sortlast.render.amr import Box
from sortlast.render.blocks import Block
from sortlast.render.camera import VIEW_ANGLE, Camera, pixel_width
from sortlast.render.look import COLOURS, LOOK, Look, colour_points, opacity_points
from sortlast.render.surface import SurfaceRenderer
from sortlast.render.volume import BoxesRenderer, VolumeRenderer
from viewing import resident

SIZE = (96, 72)
SPACING = (1.0, 1.0, 1.0)
SHAPE = (33, 30, 27)
WHOLE = Block((0, 0, 0), (32, 29, 26))
THRESHOLD = 0.5
BOUNDS = WHOLE.bounds(SPACING)
RADIUS = 20.0
CUTS = [(1.0, 0.0, 0.0, -16.0), (-0.4, 0.8, 0.3, -9.0), (0.0, 0.0, -1.0, 12.5)]


def ball() -> np.ndarray:
    x, y, z = np.ogrid[-1:1:33j, -1:1:30j, -1:1:27j]
    return np.asfortranarray(np.clip(1.3 - 1.2 * np.sqrt(x * x + y * y + z * z), 0, 1), np.float32)


def camera(**moved: object) -> Camera:
    return Camera.orbit(BOUNDS, RADIUS, 40.0, 25.0, **moved)


def renderer(kind: type, block: Block = WHOLE, size: tuple[int, int] = SIZE):
    voxels = render.cut(ball(), block)
    if kind is BoxesRenderer:
        return BoxesRenderer([(Box(block, 1), voxels)], SPACING, THRESHOLD, size)
    return kind(voxels, block, SPACING, THRESHOLD, size)


def image(of, at: Camera) -> np.ndarray:
    found = of.render(at)
    if isinstance(of, BoxesRenderer):
        ((x0, y0, x1, y1),) = found[1]
        whole = np.zeros((*of.size[::-1], 4), np.float32)
        whole[y0:y1, x0:x1] = found[0][0]
        return whole
    return found[0] if isinstance(found, tuple) else found


KINDS = pytest.mark.parametrize("kind", [VolumeRenderer, SurfaceRenderer, BoxesRenderer])


@KINDS
def test_a_resized_renderer_draws_as_a_new_one(kind):
    changed = renderer(kind)
    before = image(changed, camera())
    for size in ((120, 50), (33, 64), SIZE):
        changed.resize(size)
        assert changed.size == size
        np.testing.assert_array_equal(image(changed, camera()), image(renderer(kind, size=size), camera()))
    np.testing.assert_array_equal(image(changed, camera()), before)


def test_a_smaller_image_is_the_same_in_bands():
    changed = renderer(VolumeRenderer)
    changed.resize((33, 64))
    once = changed.render(camera())
    np.testing.assert_array_equal(changed.render(camera(), lambda: None), once)


def test_resizing_holds_no_memory():
    changed = renderer(VolumeRenderer, size=(400, 300))

    def resident_after(times: int) -> int:
        for k in range(times):
            changed.resize((200 + k % 2, 150))
            changed.render(camera())
            changed.resize((400, 300))
        return resident(os.getpid())

    before = resident_after(5)
    assert resident_after(40) - before < 8e6


@KINDS
@pytest.mark.parametrize("plane", CUTS)
def test_a_plane_hides_what_lies_behind_it(kind, plane):
    """Looked at along the plane: one side of the picture is as without it, the other empty."""
    made = renderer(kind)
    normal = np.array(plane[:3]) / np.linalg.norm(plane[:3])
    across = np.cross(normal, (0.3, 0.5, 0.81))
    across /= np.linalg.norm(across)
    centre = np.array(BOUNDS).reshape(3, 2).mean(axis=1)
    on_plane = centre - (centre @ plane[:3] + plane[3]) / np.linalg.norm(plane[:3]) * normal
    eye = Camera(tuple(on_plane + 100 * across), tuple(on_plane), 50.0, 150.0)
    whole = image(made, eye)
    made.show(Look(clip=plane))
    cut = image(made, eye)
    right, up, _ = eye.axes()
    x = (np.arange(SIZE[0]) + 0.5 - SIZE[0] / 2) * pixel_width(SIZE)
    y = (SIZE[1] / 2 - np.arange(SIZE[1]) - 0.5) * pixel_width(SIZE)
    side = x[np.newaxis] * (right @ normal) + y[:, np.newaxis] * (up @ normal)
    kept = side > 1.5 * pixel_width(SIZE)
    assert whole[kept].any()
    assert whole[side < 0].any()
    np.testing.assert_allclose(cut[kept], whole[kept], atol=0.02 if kind is SurfaceRenderer else 1e-6)
    assert not cut[side < -1.5 * pixel_width(SIZE)].any()
    made.show(Look())
    np.testing.assert_array_equal(image(made, eye), whole)


@pytest.mark.parametrize("kind", [VolumeRenderer, SurfaceRenderer])
@pytest.mark.parametrize("plane", CUTS)
def test_clipped_blocks_make_the_clipped_whole(kind, plane):
    look = Look(clip=plane, isovalue=0.6, colours="viridis", opacity=((0.0, 0.0), (0.4, 0.0), (1.0, 0.8)))
    at = camera(zoom=1.3, pan=(0.1, -0.2))
    whole = renderer(kind)
    whole.show(look)
    blocks = render.split(SHAPE, SPACING, 5)
    made = [renderer(kind, block) for block in blocks]
    for each in made:
        each.show(look)
    if kind is VolumeRenderer:
        order = front_to_back([block.bounds(SPACING) for block in blocks], at.eye)
        composited = sortlast.composite_serial([each.render(at) for each in made], order=order).colour
        assert np.abs(composited - image(whole, at)).max() < 0.1 / 255
    else:
        images, depths = zip(*(each.render(at) for each in made), strict=True)
        composited = sortlast.composite_serial(list(images), depths=list(depths), op="closest").colour
        differing = np.abs(composited - image(whole, at)).max(axis=-1) > 2 / 255
        assert differing.mean() < 2e-3
    assert composited.any()


def test_the_transfer_function_is_the_one_that_is_shown():
    made = renderer(VolumeRenderer)
    usual = made.render(camera())
    made.show(Look(opacity=((0.0, 0.0), (1.0, 0.0))))
    assert not made.render(camera()).any()
    made.show(Look(colours="grey"))
    grey = made.render(camera())
    np.testing.assert_allclose(grey[..., 0], grey[..., 2], atol=1e-6)
    np.testing.assert_allclose(grey[..., 3], usual[..., 3], atol=1e-6)
    assert np.abs(usual[..., 0] - usual[..., 2]).max() > 0.05
    made.show(Look())
    np.testing.assert_array_equal(made.render(camera()), usual)


def test_the_points_of_a_transfer_function_lie_on_the_values():
    for colours in ("tissue", *COLOURS):
        values = [value for value, _ in colour_points(Look(colours=colours), 0.3)]
        assert values == sorted(values)
        assert 0 <= values[0] < values[-1] == 1
    assert opacity_points(Look(), 0.3)[-1] == (1.0, LOOK[-1][2])
    assert opacity_points(Look(opacity=((0.2, 0.1), (0.9, 1.0))), 0.3) == ((0.2, 0.1), (0.9, 1.0))


def test_another_isovalue_is_another_surface():
    made = renderer(SurfaceRenderer)
    areas = []
    for isovalue in (0.3, 0.5, 0.8):
        made.show(Look(isovalue=isovalue))
        areas.append((made.render(camera())[0][..., 3] > 0).sum())
    assert areas[0] > areas[1] > areas[2] > 0
    made.show(Look())
    assert (made.render(camera())[0][..., 3] > 0).sum() == areas[1]


def test_zoom_magnifies_about_the_middle_and_pan_moves_it():
    usual, zoomed = camera(), camera(zoom=2.0)
    assert usual.angle == VIEW_ANGLE
    assert pixel_width(SIZE, zoomed.angle) == pytest.approx(pixel_width(SIZE) / 2)
    assert zoomed.eye == usual.eye
    panned = camera(pan=(0.25, -0.5))
    right, up, forward = usual.axes()
    np.testing.assert_allclose(
        np.subtract(panned.eye, usual.eye), RADIUS * (0.25 * right - 0.5 * up), atol=1e-9
    )
    np.testing.assert_allclose(panned.axes()[2], forward, atol=1e-12)
    plain = image(renderer(SurfaceRenderer), usual)[..., 3] > 0
    near = image(renderer(SurfaceRenderer), camera(zoom=1.5))[..., 3] > 0
    assert near.sum() == pytest.approx(2.25 * plain.sum(), rel=0.05)
