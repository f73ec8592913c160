"""A mesh of tetrahedra: that it is not convex, how it is divided, and that its fragments are exact."""

from __future__ import annotations

import numpy as np
import pytest
from vtkmodules.vtkRenderingCore import vtkCamera

from sortlast import Error
from sortlast.render import Camera
from sortlast.render import tetrahedra as module
from sortlast.render.camera import pixel_width
from sortlast.render.mesh import Tetrahedra, partition, tetrahedra
from sortlast.render.tetrahedra import TetrahedraRenderer, flattened

SIZE = (64, 48)
OPACITY = 0.3
GREY = ((0.0, (0.5, 0.5, 0.5), OPACITY), (2.0, (0.5, 0.5, 0.5), OPACITY))  # whatever the value


def shell(n=28):
    """A thick spherical shell around an empty middle, in [0, 1]."""
    axis = np.linspace(-1, 1, n)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    return np.clip(1 - 4 * np.abs(np.sqrt(x * x + y * y + z * z) - 0.65), 0, 1).astype(np.float32)


@pytest.fixture(scope="module")
def mesh():
    return tetrahedra(shell(), (1.0, 1.0, 1.2), 0.5, points=800)


def camera(azimuth=35.0, elevation=20.0):
    return Camera.orbit((0.0, 27.0, 0.0, 27.0, 0.0, 32.4), 16.0, azimuth, elevation)


def rays(view, size=SIZE):
    """Directions (h, w, 3) through the centres of pixels, as long as 1 along the view direction."""
    width, height = size
    x = (np.arange(width) + 0.5 - width / 2) * pixel_width(size)
    y = (height / 2 - np.arange(height) - 0.5) * pixel_width(size)
    right, up, forward = view.axes()
    return x[None, :, None] * right + y[:, None, None] * up + forward


def chords(view, corners, size=SIZE):
    """Entry and exit of every ray in one tetrahedron, cut with one half space after another."""
    directions = rays(view, size)
    entry, leave = np.zeros(directions.shape[:2]), np.full(directions.shape[:2], np.inf)
    for vertex in range(4):
        a, b, c = (corners[k] for k in range(4) if k != vertex)
        normal = np.cross(b - a, c - a)
        normal *= np.sign(normal @ (corners[vertex] - a))  # inward
        along, start = directions @ normal, (a - view.eye) @ normal
        at = start / along
        entry = np.where(along > 0, np.maximum(entry, at), entry)
        leave = np.where(along < 0, np.minimum(leave, at), leave)
    return entry, np.maximum(leave, entry), np.linalg.norm(directions, axis=-1)


# ---- the mesh


def test_the_mesh_fills_the_object_and_leaves_its_hole(mesh):
    edges = mesh.corners[:, 1:] - mesh.corners[:, :1]
    filled = np.abs(np.linalg.det(edges)).sum() / 6
    object_ = (shell() > 0.25).sum() * 1.2
    assert filled == pytest.approx(object_, rel=0.12)
    centres = mesh.corners.mean(axis=1) - (13.5, 13.5, 16.2)
    assert np.linalg.norm(centres / (13.5, 13.5, 16.2), axis=1).min() > 0.35


def test_values_are_those_of_the_volume():
    x, y, z = np.meshgrid(np.arange(12), np.arange(13), np.arange(14), indexing="ij")
    made = tetrahedra((0.2 + 0.01 * x + 0.02 * y + 0.03 * z).astype(np.float32), (1, 1, 2), 0.1, points=200)
    expected = 0.2 + made.corners @ (0.01, 0.02, 0.015)
    np.testing.assert_allclose(made.values, expected, atol=1e-5)


def test_a_volume_without_an_object_is_an_error():
    with pytest.raises(Error, match="no tetrahedra can be made"):
        tetrahedra(np.zeros((5, 5, 5), np.float32), (1, 1, 1), 0.5)


# ---- the partition


@pytest.mark.parametrize("p", [1, 2, 5, 16])
def test_regions_have_their_share_and_few_faces_between_them(mesh, p):
    regions = partition(mesh, p)
    sizes = np.bincount(regions, minlength=p)
    assert len(sizes) == p
    assert sizes.max() <= 1.1 * len(regions) / p
    order = np.argsort(mesh.faces.ravel(), kind="stable")
    face, region = mesh.faces.ravel()[order], np.repeat(regions, 4)[order]
    shared = face[1:] == face[:-1]
    cut = (region[1:] != region[:-1])[shared].mean()
    assert cut < 0.5 * (1 - 1 / p) or p == 1
    assert (cut == 0) == (p == 1)


def test_more_regions_than_tetrahedra_are_an_error(mesh):
    few = mesh.part(np.arange(len(mesh.faces)) < 3)
    with pytest.raises(Error, match="cannot divide 3 tetrahedra among 4 ranks"):
        partition(few, 4)


# ---- the camera


def test_points_are_seen_where_vtk_has_them():
    view, vtk = camera(), vtkCamera()
    for size in ((64, 48), (48, 64)):
        view.apply(vtk, size)
        matrix = vtk.GetCompositeProjectionTransformMatrix(size[0] / size[1], -1, 1)
        projection = np.array([[matrix.GetElement(i, j) for j in range(4)] for i in range(4)])
        points = np.random.default_rng(3).uniform(0, 27, (20, 3))
        clip = np.concatenate([points, np.ones((20, 1))], axis=1) @ projection.T
        seen = view.seen(points)
        places = seen[:, :2] / seen[:, 2:] / pixel_width(size)
        np.testing.assert_allclose(places, clip[:, :2] / clip[:, 3:] * size / np.array(2), atol=1e-6)


# ---- fragments


@pytest.mark.parametrize("seed", range(6))
def test_a_tetrahedron_is_as_opaque_as_its_chord_is_long(seed):
    corners = np.random.default_rng(seed).uniform(4, 24, (4, 3))
    one = Tetrahedra(corners[None], np.full((1, 4), 0.5), np.zeros((1, 4, 3)), np.arange(4)[None])
    made = TetrahedraRenderer(one, 0.5, 2.0, SIZE, GREY).render(camera())
    entry, leave, stretch = chords(camera(), corners)
    expected = 1 - (1 - OPACITY) ** ((leave - entry) * stretch / 2.0)
    frame = flattened([made])
    np.testing.assert_allclose(frame[..., 3], expected, atol=1e-6)
    np.testing.assert_allclose(frame[..., 0], 0.75 * 0.5 * expected, atol=1e-6)
    hit = made.counts.ravel() > 0
    assert hit.sum() > 20
    np.testing.assert_allclose(made.depth, entry.ravel()[hit], rtol=1e-6)


def test_rays_take_what_lies_in_all_tetrahedra_together():
    coarse, size = tetrahedra(shell(14), (2.0, 2.0, 2.4), 0.5, points=150), (32, 24)
    made = TetrahedraRenderer(coarse, 0.5, 2.0, size, GREY).render(camera())
    length = np.zeros(size[::-1])
    for corners in coarse.corners:
        entry, leave, stretch = chords(camera(), corners, size)
        length += (leave - entry) * stretch
    np.testing.assert_allclose(flattened([made])[..., 3], 1 - (1 - OPACITY) ** (length / 2), atol=1e-6)


def test_fragments_are_the_times_that_a_ray_passes_through(mesh):
    made = TetrahedraRenderer(mesh, 0.5, 2.0, SIZE, GREY).render(camera())
    assert made.counts.sum() == len(made.depth) == len(made.colour)
    assert made.counts[SIZE[1] // 2, SIZE[0] // 2] == 2  # into the shell, through its hole, and out
    pixel = np.repeat(np.arange(made.counts.size), made.counts.ravel())
    same = pixel[1:] == pixel[:-1]
    assert (made.depth[1:][same] > made.depth[:-1][same]).all()


@pytest.mark.parametrize("p", [2, 5, 9])
@pytest.mark.parametrize("divide", ["metis", "random"])
def test_regions_composite_to_the_picture_of_the_whole(mesh, p, divide):
    random = np.random.default_rng(p)
    regions = partition(mesh, p) if divide == "metis" else random.integers(0, p, len(mesh.faces))
    for azimuth in (10, 130, 250):
        view = camera(azimuth, 30.0)
        whole = flattened([TetrahedraRenderer(mesh, 0.5, 1.0, SIZE).render(view)])
        lists = [TetrahedraRenderer(mesh.part(regions == k), 0.5, 1.0, SIZE).render(view) for k in range(p)]
        assert whole[..., 3].max() > 0.8
        assert max(one.counts.max() for one in lists) > 1
        np.testing.assert_allclose(flattened(lists), whole, atol=2e-6)


def test_bands_change_no_bit(mesh, monkeypatch):
    whole = TetrahedraRenderer(mesh, 0.5, 1.0, SIZE).render(camera())
    monkeypatch.setattr(module, "BAND", 1)
    banded = TetrahedraRenderer(mesh, 0.5, 1.0, SIZE).render(camera())
    for one, other in ((whole.counts, banded.counts), (whole.colour, banded.colour)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(whole.depth, banded.depth)


def test_no_tetrahedra_make_no_fragments(mesh):
    made = TetrahedraRenderer(mesh.part(np.zeros(len(mesh.faces), bool)), 0.5, 1.0, SIZE).render(camera())
    assert made.counts.shape == SIZE[::-1]
    assert not made.counts.any()
    assert made.colour.shape == (0, 4)
    assert made.depth.shape == (0,)
