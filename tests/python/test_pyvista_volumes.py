"""Volumes that are spread over ranks look as on one: no seam shows where their blocks meet."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pyvista_ranks import run

pytestmark = pytest.mark.mpi

# Of 255, in 8 bits: the mean, and the share of pixels that differ by more than 2, at the edges of blocks.
MEAN, BEYOND = 0.01, 2e-4

HEAD = """
from mpi4py import MPI

def compare(draw, part, whole, **more):
    # Report what differs between many ranks and a plotter on one, and the mean beside PyVista's own plotter.
    def fill(p, mesh):
        draw(p, mesh)
        p.camera_position = [(3, 2.2, 4), (0, 0, 0), (0, 1, 0)]
        return p.screenshot(return_img=True)
    picture = fill(plotter(**more), part)
    if rank == 0:
        one = fill(sortlast.pyvista.Plotter(MPI.COMM_SELF, **OPTIONS), whole)
        assert (one != one[0, 0]).any(axis=-1).mean() > 0.2  # something is drawn
        others = one, fill(alone(), whole)
        away, theirs = (np.abs(picture.astype(float) - other).max(axis=-1) for other in others)
        report([(away > 2).mean(), away.mean(), theirs.mean(), np.quantile(away, 0.95)])

def volume(p, mesh, **options):
    return p.add_volume(mesh, scalars="u", cmap="plasma", **options)

def ghosted(part, parts, n=41):
    # A slab with a layer of its neighbours' cells, as VTK marks them.
    first, last = (r * (n - 1) // parts for r in (part, part + 1))
    begin, end = max(first - 1, 0), min(last + 1, n - 1)
    made = slab(0, 1, n).extract_subset((begin, end, 0, n - 1, 0, n - 1))
    ghosts = np.zeros((end - begin, n - 1, n - 1), np.uint8)
    ghosts[: first - begin] = ghosts[last - begin :] = 1
    made.cell_data["vtkGhostType"] = ghosts.ravel(order="F")
    return made
"""


def reports(ranks: int, body: str) -> list:
    return run(ranks, HEAD + dedent(body))


@pytest.mark.parametrize("ranks", [2, 5])
def test_slabs(ranks):
    """PyVista's own picture has samples at other places: it differs everywhere by a little."""
    beyond, mean, theirs, _ = reports(ranks, "compare(volume, slab(rank, size), slab(0, 1))")[0]
    assert beyond <= BEYOND
    assert mean < MEAN
    assert theirs < 1


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param("volume(p, mesh, opacity='foreground')", marks=pytest.mark.slow),
        "volume(p, mesh, opacity='sigmoid', clim=(0.2, 0.7))",
        "volume(p, mesh); p.enable_parallel_projection()",
        "volume(p, mesh); p.add_mesh(pv.Cube(bounds=(-1, -0.5, -0.5, 0.5, 0, 1)) if rank == 0 else None)",
    ],
    ids=["steps", "clim", "parallel", "solid"],
)
def test_slabs_of_many_looks(draw):
    """A solid body that lies in the first slab hides what is behind it."""
    body = f"def draw(p, mesh):\n    {draw}\ncompare(draw, slab(rank, size), slab(0, 1))"
    beyond, mean, *_ = reports(4, body)[0]
    assert beyond <= BEYOND
    assert mean < MEAN


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("ghosted(rank, size)", ""),
        # Every rank has the whole volume.
        ("slab(0, 1)", ", box=(-1 + 2 * rank / size, -1 + 2 * (rank + 1) / size, -1, 1, -1, 1)"),
    ],
    ids=["vtkGhostType", "box"],
)
def test_ghost_cells_give_lights_and_are_not_drawn(part, options):
    body = f"compare(lambda p, mesh: volume(p, mesh, shade=True), {part}, slab(0, 1){options})"
    beyond, mean, *_ = reports(4, body)[0]
    assert beyond <= BEYOND
    assert mean < MEAN


def test_many_volumes_a_rank():
    """Eight octants, dealt out so that no rank's are beside each other, each with its outline."""
    found, *_ = reports(
        2,
        """
        ends = ((0, 20), (20, 40))
        octants = pv.MultiBlock([
            slab(0, 1).extract_subset((*ends[i], *ends[j], *ends[k]))
            for i in range(2) for j in range(2) for k in range(2) if (i + j + k) % 2 == rank
        ])
        def draw(p, mesh):
            added = volume(p, mesh)
            assert not isinstance(mesh, pv.MultiBlock) or len(added) == 4
            # A body in the octant (1, 1, 1) of rank 1.
            p.add_mesh(pv.Cube(bounds=(0.1, 0.9) * 3) if mesh is not octants or rank == 1 else None)
        compare(draw, octants, slab(0, 1))
        """,
    )
    assert found[0] <= BEYOND
    assert found[1] < MEAN


def test_rectilinear_grids():
    """Of cells that grow along x; VTK's own lookup is half a cell off."""
    beyond, mean, theirs, _ = reports(
        3,
        """
        def grid(part, parts, n=43):
            x = np.linspace(-1, 1, n)
            first, last = (r * (n - 1) // parts for r in (part, part + 1))
            made = pv.RectilinearGrid(x[first : last + 1] ** 3, x, x)
            made["u"] = np.exp(-2 * (made.points**2).sum(axis=1)) + 0.3 * made.points[:, 0]
            return made
        compare(volume, grid(rank, size), grid(0, 1))
        """,
    )[0]
    assert beyond <= BEYOND
    assert mean < MEAN
    assert 0.1 < theirs < 6


def test_unstructured_grids():
    """Tetrahedra of two slabs: their mapper integrates each cell, so that it needs no samples in step."""
    _, mean, _, most = reports(
        2,
        """
        def tetrahedra(part, parts):
            return slab(part, parts, 9).to_tetrahedra(5)
        def draw(p, mesh):
            volume(p, mesh, opacity_unit_distance=0.2)
        compare(draw, tetrahedra(rank, size), tetrahedra(0, 1))
        """,
    )[0]
    assert most <= 8
    assert mean < 2


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ("made.add_volume(slab(rank, size), scalars='u', mapper='smart')", "mapper is 'smart'"),
        ("made.add_volume(slab(rank, size), scalars='u', blending='maximum')", "expected 'composite'"),
        ("made.add_volume(pv.Sphere(), scalars='u')", "rank 1: "),
        ("made.add_volume(holed(), scalars='u')", "make no box"),
        ("made.add_volume(slab(rank, size).cast_to_rectilinear_grid(), scalars='u', shade=True)", "wrongly"),
    ],
)
def test_what_is_no_volume_on_one_rank_is_refused_on_all(wrong, text):
    found = reports(
        2,
        f"""
        def holed():
            made = slab(rank, size)
            made.cell_data["vtkGhostType"] = np.uint8(np.arange(made.n_cells) == made.n_cells // 2)
            return made
        made = plotter()
        good = lambda: made.add_volume(slab(rank, size), scalars="u")
        report([told((lambda: {wrong}) if rank == 1 else good), told(good), told(made.screenshot)])
        made.close()
        """,
    )
    assert found[0] == found[1]
    (kind, message), *rest = found[0]
    assert kind == "Error"
    assert text in message
    assert rest == [None, None]
