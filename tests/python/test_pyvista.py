"""A PyVista plotter to which every rank adds its part shows what one process would have shown."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from pyvista_ranks import run

pytestmark = pytest.mark.mpi


def test_meshes_with_scalar_bar_axes_and_bounds():
    """All pixels are equal but for some at edges between parts."""
    found, share = run(
        3,
        """
        def fill(p, mesh):
            p.add_mesh(mesh, scalars="u", cmap="plasma")
            p.show_bounds()
            p.add_axes()
            p.add_text("title")
            return p.screenshot(return_img=True)
        picture = fill(plotter(), slab(rank, size))
        if rank == 0:
            report(difference(picture, fill(alone(), slab(0, 1))))
        """,
    )[0]
    assert share < 0.001, found


def test_the_range_of_colours_is_that_of_all_ranks_or_as_passed():
    reports = run(
        3,
        """
        made = plotter()
        first = made.add_mesh(slab(rank, size), scalars="u", show_scalar_bar=False)
        second = made.add_mesh(slab(rank, size), scalars="u", show_scalar_bar=False, clim=(0, 2))
        third = made.add_volume(slab(rank, size), scalars="u", show_scalar_bar=False)
        whole = slab(0, 1)["u"]
        report([
            np.allclose(first.mapper.scalar_range, (whole.min(), whole.max())),
            tuple(second.mapper.scalar_range) == (0, 2),
            np.allclose(third.mapper.scalar_range, (whole.min(), whole.max())),
        ])
        made.close()
        """,
    )
    assert reports == [[True, True, True]] * 3


@pytest.mark.parametrize("without", ["None", "pv.PolyData()"])
@pytest.mark.parametrize("empty", [0, 1])
def test_a_rank_without_a_part_has_the_scalar_bar_all_the_same(without, empty):
    found = run(
        2,
        f"""
        made = plotter()
        actor = made.add_mesh(slab(0, 1) if rank != {empty} else {without}, scalars="u", cmap="plasma")
        assert (actor is None) == (rank == {empty})
        picture = made.screenshot(return_img=True)
        if rank == 0:
            whole = alone()
            whole.add_mesh(slab(0, 1), scalars="u", cmap="plasma")
            report(difference(picture, whole.screenshot(return_img=True)))
        """,
    )[0]
    assert found == [0, 0]


def test_show_writes_one_file_closes_on_all_and_returns_on_rank_0(tmp_path):
    reports = run(
        3,
        f"""
        made = plotter()
        made.add_mesh(slab(rank, size), scalars="u")
        made.camera_position = "xy" if rank == 0 else "yz"
        returned = made.show(screenshot={str(tmp_path / "shown.png")!r}, return_cpos=True)
        report([returned is not None, made._closed, made.composition.closed])
        """,
    )
    assert reports == [[True, True, True]] + [[False, True, True]] * 2
    assert Image.open(tmp_path / "shown.png").size == (200, 150)


@pytest.mark.parametrize(("opened", "name"), [("open_gif", "film.gif"), ("open_movie", "film.mp4")])
def test_films(opened, name, tmp_path):
    run(
        2,
        f"""
        made = plotter()
        part = slab(rank, size)
        made.add_mesh(part, scalars="u", clim=(-0.3, 1))
        made.{opened}({str(tmp_path / name)!r})
        for step in range(4):
            part["u"] += 0.1
            made.camera.azimuth += 10
            made.write_frame()
        made.close()
        report(0)
        """,
    )
    import imageio.v3

    frames = imageio.v3.imread(tmp_path / name)
    assert frames.shape[0] == 4
    assert np.abs(frames[0].astype(float) - frames[3]).max() > 30


def test_subplots():
    found = run(
        2,
        """
        def fill(p, mesh):
            p.subplot(0, 0)
            p.add_mesh(mesh, scalars="u")
            p.subplot(0, 1)
            p.add_mesh(mesh.contour([0.4], scalars="u"), color="teal")
            return p.screenshot(return_img=True)
        picture = fill(plotter(shape=(1, 2)), slab(rank, size))
        if rank == 0:
            report(difference(picture, fill(alone(shape=(1, 2)), slab(0, 1))))
        """,
    )[0]
    assert found[1] < 0.002, found


def test_image_has_the_depths_that_pyvista_gives_with_the_other_sign():
    reports = run(
        1,
        """
        import sortlast
        made = pv.Plotter(**OPTIONS)
        made.set_background("white")
        made.disable_anti_aliasing()
        made.add_mesh(pv.Sphere(), color="teal")
        made.camera_position = [(0, 0, 4), (0, 0, 0), (0, 1, 0)]
        made.camera.clipping_range = (1, 10)
        image = sortlast.pyvista.image(made)
        made.show(auto_close=False)
        theirs = made.get_image_depth()
        near, far = 1, 10
        theirs = np.ascontiguousarray(theirs, np.float32)
        distance = near * far / (far - image.depth * (far - near))
        there = np.isfinite(image.depth)
        refused = [
            told(lambda: sortlast.composite_serial([image.colour], [theirs], op="closest")),
            told(lambda: sortlast.Compositor(comm).composite(image.colour, theirs, "closest")),
            told(lambda: sortlast.pyvista.image(7)),
        ]
        report([
            bool((there == ~np.isnan(theirs)).all()),
            float(np.abs(distance + theirs)[there].max()),
            bool((image.colour[~there] == 0).all()),
            image.bounds,
            refused,
        ])
        """,
    )
    same, most, empty, (x0, y0, x1, y1), refused = reports[0]
    assert same
    assert most < 1e-3
    assert empty
    assert 0 < x0 < x1 < 200
    assert 0 < y0 < y1 < 150
    assert [kind for kind, _ in refused] == ["ArgumentError"] * 3
    assert all("depth holds NaN; expected +inf where nothing is" in text for _, text in refused[:2])
    assert "plotter is 7" in refused[2][1]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("made.add_mesh(slab(rank, size), scalars='v')", "rank 1: KeyError"),
        ("made.add_mesh(slab(rank, size), scalars='u', cmap='no such map')", "rank 1: ValueError"),
        ("made.add_mesh(slab(rank, size).elevation(), scalars='Elevation')", "and rank 1 'Elevation'"),
        ("made.add_mesh(7, scalars='u')", "rank 1: "),
    ],
)
def test_what_fails_on_one_rank_is_raised_on_all(wrong, text):
    reports = run(
        2,
        f"""
        made = plotter()
        good = wrong = lambda: made.add_mesh(slab(rank, size), scalars="u")
        errors = [told((lambda: {wrong}) if rank == 1 else good), told(good), told(made.screenshot)]
        report(errors)
        made.close()
        """,
    )
    assert reports[0] == reports[1]
    (kind, message), *rest = reports[0]
    assert kind in ("Error", "MismatchError")
    assert text in message
    assert rest == [None, None]


def test_a_file_that_cannot_be_written_is_told_on_all():
    reports = run(
        2,
        """
        made = plotter()
        made.add_mesh(slab(rank, size), scalars="u")
        report([told(lambda: made.screenshot("/no/such/folder/a.png")), told(made.screenshot)])
        made.close()
        """,
    )
    assert "/no/such/folder" in reports[0][0][1]
    assert reports[1][0][0] == "Error"
    assert "/no/such/folder" in reports[1][0][1]
    assert [after for _, after in reports] == [None, None]
