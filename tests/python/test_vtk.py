"""A VTK window whose scene is spread over ranks shows what one process would have shown."""

from __future__ import annotations

import numpy as np
import pytest

import sortlast
import vtk_scenes
from sortlast import vtk
from vtk_ranks import run

pytestmark = pytest.mark.mpi

RANKS = [1, 4]

# ---- pictures


@pytest.mark.parametrize("ranks", RANKS)
def test_surfaces_are_those_of_one_process(ranks):
    """All pixels are equal but for some where two spheres touch."""
    found, share, nearest = run(
        ranks,
        """
        text("words", renderer_of(made))
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        for zoom in (1, 1.2):
            renderer_of(made).GetActiveCamera().Zoom(zoom)
            made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            text("words", renderer_of(whole))
            look(whole, 1.2)
            whole.Render()
            deeper = float(np.abs(depths(made) - depths(whole)).mean())
            report([*difference(shown(made)[..., :3], shown(whole)[..., :3]), deeper])
        composition.close()
        """,
    )[0]
    assert share < 0.001, found
    assert nearest < 1e-4


@pytest.mark.parametrize("ranks", RANKS)
def test_volumes_are_those_of_one_process(ranks):
    """Within the bound of the demo, whose renderer makes blocks that go together: 0.03 of 255 [float32]."""
    body = """
        from sortlast import render
        from sortlast.render.volume import VolumeRenderer
        from sortlast.vtk import pixels
        x, y, z = np.ogrid[-1:1:48j, -1:1:48j, -1:1:48j]
        voxels = np.clip(1.2 - np.sqrt(x * x + y * y + z * z) + 0.1 * np.sin(9 * x), 0, 1).astype(np.float32)
        spacing = (1.0, 1.0, 1.0)
        camera = render.Camera.orbit((0, 47, 0, 47, 0, 47), 40, 30, 20)

        def scene(parts, part):
            block = render.split(voxels.shape, spacing, parts)[part]
            return VolumeRenderer(render.cut(voxels, block), block, spacing, 0.4, (120, 90))

        part = scene(size, rank)._window
        camera.apply(part.scene.GetActiveCamera(), part.size)
        box = render.split(voxels.shape, spacing, size)[rank].bounds(spacing)  # without ghosts
        composition = sortlast.vtk.compose(part._window, comm, box=box, timeout=30)
        found = part.render(camera)
        if rank == 0:
            report(float(np.abs(found - scene(1, 0).render(camera)).max()))
        composition.close()
        """
    assert run(ranks, body)[0] < 0.03 / 255


@pytest.mark.parametrize(
    "change",
    [
        "renderer_of(w).GradientBackgroundOn(); renderer_of(w).SetBackground2(0.9, 0.8, 0.1)",
        "w.SetAlphaBitPlanes(1); renderer_of(w).SetBackground(0, 0, 0)",  # of alpha 0 by default
        "renderer_of(w).GetActiveCamera().ParallelProjectionOn()",
        "w.SetSize(97, 61)",
    ],
    ids=["gradient", "transparent", "parallel", "odd size"],
)
def test_windows_of_many_kinds(change):
    found = run(
        3,
        f"""
        def change(w):
            {change}
        compare(4, change)
        """,
    )[0]
    assert found[1] < 0.001, found


def test_several_renderers_each_with_its_camera():
    found = run(
        4,
        """
        made = window(renderers=2)
        spheres(mine(rank, size), renderer_of(made, 0))
        spheres(mine(rank, size)[:2], renderer_of(made, 1))
        look(made)
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window(renderers=2)
            spheres(range(SPHERES), renderer_of(whole, 0))
            spheres([i for r in range(size) for i in mine(r, size)[:2]], renderer_of(whole, 1))
            look(whole)
            whole.Render()
            report(difference(shown(made), shown(whole)))
        composition.close()
        """,
    )[0]
    assert found[1] < 0.001, found


def test_translucent_surfaces_lie_in_the_visibility_order_of_the_boxes():
    """Slabs of one sphere each, from left to right, seen from the left and from the right."""
    found = run(
        4,
        """
        def one(i, renderer):
            source = vtkSphereSource()
            source.SetCenter(i, 0, 0)
            source.SetRadius(0.49)
            mapper = vtkPolyDataMapper()
            mapper.SetInputConnection(source.GetOutputPort())
            actor = vtkActor()
            actor.SetMapper(mapper)
            actor.GetProperty().SetColor(i % 2, i / 4, 1 - i / 4)
            actor.GetProperty().SetOpacity(0.5)
            actor.GetProperty().BackfaceCullingOn()
            renderer.AddActor(actor)
            renderer.SetUseDepthPeeling(True)
            renderer.SetMaximumNumberOfPeels(20)
            renderer.SetOcclusionRatio(0)

        made = window()
        one(rank, renderer_of(made))
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        whole = window()
        for i in range(size):
            one(i, renderer_of(whole))
        worst = []
        for x in (-9, 9):
            for w in (made, whole):
                look_from(w, (x, 1, 2), (1.5, 0, 0))
            made.Render()
            whole.Render()
            worst.append(difference(shown(made)[..., :3], shown(whole)[..., :3], 4))
        report(worst)
        composition.close()
        """,
    )[0]
    assert all(share < 0.005 for _, share in found), found


def test_many_boxes_a_rank_lie_in_the_visibility_order_of_all():
    """Translucent spheres in a checkerboard, of which each rank has every second, from two sides."""
    found = run(
        2,
        """
        def ball(i, renderer):
            source = vtkSphereSource()
            source.SetCenter(i % 4, i // 4, 0)
            source.SetRadius(0.49)
            mapper = vtkPolyDataMapper()
            mapper.SetInputConnection(source.GetOutputPort())
            actor = vtkActor()
            actor.SetMapper(mapper)
            actor.GetProperty().SetColor(i % 2, i / 12, 1 - i / 12)
            actor.GetProperty().SetOpacity(0.5)
            actor.GetProperty().BackfaceCullingOn()
            renderer.AddActor(actor)
            renderer.SetUseDepthPeeling(True)
            renderer.SetMaximumNumberOfPeels(30)
            renderer.SetOcclusionRatio(0)

        made, whole = window(), window()
        for i in range(12):
            if (i % 4 + i // 4) % 2 == rank:
                ball(i, renderer_of(made))
            ball(i, renderer_of(whole))
        composition = sortlast.vtk.compose(made, comm, "boxes", timeout=30)
        shares = []
        for x in (-9, 9):
            for w in (made, whole):
                look_from(w, (x, 3, 2), (1.5, 1, 0))
            made.Render()
            whole.Render()
            shares.append(difference(shown(made)[..., :3], shown(whole)[..., :3], 4))
        report(shares)
        composition.close()
        """,
    )[0]
    assert all(share < 0.005 for _, share in found), found


def test_annotations_are_those_of_rank_0_and_lie_on_top():
    found = run(
        2,
        """
        look(made, 3.0)
        text("rank 0" if rank == 0 else "QQQQQQQQ", renderer_of(made))
        composition = sortlast.vtk.compose(made, comm, timeout=30)
        made.Render()
        if rank == 0:
            whole = window()
            spheres(range(SPHERES), renderer_of(whole))
            text("rank 0", renderer_of(whole))
            look(whole, 3.0)
            whole.Render()
            report(difference(shown(made)[..., :3], shown(whole)[..., :3]))
        composition.close()
        """,
    )[0]
    assert found[1] < 0.002, found


# ---- adapters


@pytest.mark.parametrize("background", [(0.1, 0.2, 0.4), (1, 1, 1)])
def test_image_is_what_composites(background):
    """Of two windows with a background, each with some of the spheres."""
    pictures = []
    for part in (range(0, 16, 2), range(1, 16, 2), range(16)):
        made = vtk_scenes.window(background=background)
        vtk_scenes.spheres(part, vtk_scenes.renderer_of(made))
        vtk_scenes.text("words", vtk_scenes.renderer_of(made))
        vtk_scenes.look(made)
        pictures.append(vtk.image(made))
        assert vtk_scenes.renderer_of(made).GetBackground() == background
    *parts, whole = pictures
    found = sortlast.composite_serial(
        [each.colour for each in parts], [each.depth for each in parts], op="closest"
    )
    assert vtk_scenes.difference(found.colour, whole.colour)[1] < 0.001
    assert np.isinf(whole.depth).mean() > 0.3
    np.testing.assert_array_equal(np.isinf(found.depth), np.isinf(whole.depth))
    x0, y0, x1, y1 = whole.bounds
    assert (whole.colour[..., 3] > 0).sum() == (whole.colour[y0:y1, x0:x1, 3] > 0).sum()
    assert all(whole.colour[y0:y1, x0:x1].any(axis=(1, 2))[[0, -1]])
    assert whole.box is not None
    assert -2 <= whole.box[0] < whole.box[1] <= 2


def test_image_of_nothing():
    made = vtk_scenes.window()
    found = vtk.image(made)
    assert not found.colour.any()
    assert np.isinf(found.depth).all()
    assert (found.bounds, found.box) == ((0, 0, 0, 0), None)
    with pytest.raises(sortlast.ArgumentError, match="window is a int; expected a vtkRenderWindow"):
        vtk.image(7)
