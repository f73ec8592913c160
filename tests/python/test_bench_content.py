"""The benchmark's images: which pixels are active, and that every peer composites them right."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import commands
from sortlast.bench import Task, pattern

# Where peers lie that are no part of this project, if they are here.
ICET = os.environ.pop("SORTLAST_ICET", None)  # which the command would take too
MINIGRAPHICS = os.environ.get("SORTLAST_TEST_MINIGRAPHICS")


def bench(*args):
    return commands.run("bench", "composite", *args, timeout=240)


# --- the images ---------------------------------------------------------------------------------------


@given(
    st.integers(1, 300), st.integers(1, 300), st.integers(1, 40), st.integers(0, 39),
)  # fmt: skip
def test_a_block_lies_in_the_image_and_has_its_share_of_the_area(width, height, ranks, rank):
    task = Task(width, height, "float32", "over", True, "block")
    x0, y0, x1, y1 = pattern.box(task, ranks, rank % ranks)
    assert 0 <= x0 < x1 <= width
    assert 0 <= y0 < y1 <= height
    share = task.n / ranks
    assert abs((x1 - x0) * (y1 - y0) - share) <= max(share, x1 - x0)  # to half a row, or a pixel at least


@pytest.mark.parametrize("form", ["float32", "uint8"])
def test_block_pixels_are_active_inside_the_box_alone(form):
    task = Task(400, 300, form, "closest", True, "block", bounds=True)
    image = pattern.image(task, 6, 4)
    x0, y0, x1, y1 = image.bounds
    inside = np.zeros((300, 400), bool)
    inside[y0:y1, x0:x1] = True
    np.testing.assert_array_equal(image.colour[..., 3] > 0, inside)
    np.testing.assert_array_equal(image.colour.any(axis=2), inside)
    np.testing.assert_array_equal(np.isfinite(image.depth), inside)
    assert (image.depth[~inside] == np.inf).all()


def test_random_pixels_are_active_with_probability_1_of_p():
    task = Task(512, 512, "float32", "over", True, "random", bounds=True)
    image = pattern.image(task, 8, 3)
    assert image.bounds == (0, 0, 512, 512)
    active = image.colour.any(axis=2)
    deviation = np.sqrt(task.n * 1 / 8 * 7 / 8)
    assert abs(active.sum() - task.n / 8) < 5 * deviation
    for part in (active[:256], active[256:], active[:, :256], active[:, 256:]):
        assert abs(part.sum() - task.n / 16) < 5 * deviation


def test_bounds_are_told_only_where_the_task_says_so():
    assert pattern.image(Task(8, 8, "float32", "over", True, "block"), 4, 1).bounds is None


def test_no_two_ranks_have_the_same_depth():
    task = Task(256, 128, "uint8", "closest", gather=True)
    depths = np.stack([pattern.image(task, 16, rank).depth for rank in range(16)])
    assert (np.diff(np.sort(depths, axis=0), axis=0) > 0).all()
    assert 0 <= depths.min() < 0.01 < 0.99 < depths.max() < 1


# --- the peers ----------------------------------------------------------------------------------------


@pytest.mark.mpi
def test_every_peer_composites_sparse_images(tmp_path):
    path = tmp_path / "rows.json"
    done = bench(
        "--ranks", 3, "--size", "61x37", "--content", "block-bounds,random-bounds", "--gather",
        "--format", "float32,uint8", "--op", "over,closest", "--frames", 1, "--algorithms", "shift,tree",
        "--json", path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(path.read_text())
    cells = {(row["format"], row["op"], row["content"], row["bounds"], row["gather"]) for row in rows}
    assert len(cells) == 2 * 2 * 2
    assert all(row["bounds"] for row in rows)
    for row in rows:
        if row["op"] == "closest" or row["peer"].startswith("floor-mem"):
            assert row["max_abs_error"] == 0


@pytest.mark.parametrize("content", ["sparse", "block,"])
def test_unknown_contents_are_refused(content):
    done = bench("--content", content)
    assert done.returncode == 2
    assert "is none of dense, block, random, dense-bounds," in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("peer", "left_out", "library"),
    [
        ("icet", "no installation is given (--icet)", "libIceTCore.so"),
        ("minigraphics", "no adapter is given (--minigraphics)", "libsortlast_minigraphics.so"),
    ],
)
def test_others_are_left_out_unless_it_is_told_where_they_lie(tmp_path, peer, left_out, library):
    args = ("--ranks", 2, "--size", "8x8", "--gather", "--frames", 1, "--peers", f"{peer},floor-memcpy")
    done = bench(*args)
    assert done.returncode == 0, done.stderr
    assert f"{peer} is left out: {left_out}" in done.stdout
    done = bench(*args, f"--{peer}", tmp_path)
    assert done.returncode == 2
    message = " ".join(done.stderr.split())
    assert f"no {library} below" in message
    assert str(tmp_path) in message
    assert "Traceback" not in done.stderr


@pytest.mark.mpi
@pytest.mark.skipif(ICET is None, reason="SORTLAST_ICET names no installation of IceT")
@pytest.mark.parametrize("ranks", [2, 5])
def test_icet_composites_what_it_can(tmp_path, ranks):
    kinds = {(form, op) for form in ("float32", "uint8") for op in ("over", "closest")}
    check_other("icet", ICET, ranks, kinds, tmp_path)


@pytest.mark.mpi
@pytest.mark.skipif(MINIGRAPHICS is None, reason="SORTLAST_TEST_MINIGRAPHICS names no build of its adapter")
@pytest.mark.parametrize("ranks", [2, 5])
def test_minigraphics_composites_what_it_can(tmp_path, ranks):
    kinds = {("float32", "over"), ("uint8", "over"), ("uint8", "closest")}
    check_other("minigraphics", MINIGRAPHICS, ranks, kinds, tmp_path)


def check_other(peer, folder, ranks, kinds, tmp_path):
    path = tmp_path / "rows.json"
    done = bench(
        "--ranks", ranks, "--size", "61x37", "--frames", 1,
        "--content", "dense-bounds,block-bounds,random-bounds",
        "--format", "float32,float16,uint8", "--op", "over,closest,max", "--peers", peer,
        f"--{peer}", folder, "--json", path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(path.read_text())
    assert {(row["format"], row["op"]) for row in rows} == kinds
    assert len(rows) == 4 * len(kinds) * 3 * 2  # the four fastest settings of each task
    assert all(row["max_abs_error"] == 0 for row in rows if row["op"] == "closest")
    assert f"{peer} is left out: it has no" in done.stdout
