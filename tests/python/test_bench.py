"""The benchmark: what it measures, checks and writes."""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import commands
import mpirun
import sortlast
from sortlast import schedule
from sortlast.bench import Row, Task, pattern, turns

KEYS = [field.name for field in fields(Row)]
OURS = {"sortlast", "sortlast-allocated", "sortlast-messages"}
NAMES = OURS | {
    "mpi-reduce",
    "mpi-reduce-scatter",
    "mpi-allreduce",
    "floor-memcpy",
    "floor-network",
    "floor-shared-window",
}


def bench(*args):
    return commands.run("bench", "composite", *args)


def rows_of(*args, path):
    done = bench(*args, "--json", path)
    assert done.returncode == 0, done.stderr
    return json.loads(path.read_text()), done.stdout


# --- the command --------------------------------------------------------------------------------------


@pytest.mark.family
@pytest.mark.mpi
def test_all_algorithms_beside_all_peers(tmp_path):
    rows, out = rows_of(
        "--ranks", "2,3", "--size", "96x40", "--algorithms", "all", "--frames", 3,
        path=tmp_path / "rows.json",
    )  # fmt: skip
    algorithms = {entry.name for entry in schedule.algorithms()} | {"auto"}
    for ranks in (2, 3):
        for gather in (True, False):
            some = [row for row in rows if (row["ranks"], row["gather"]) == (ranks, gather)]
            assert {row["algorithm"] for row in some if row["peer"] == "sortlast-messages"} == algorithms
            assert {row["peer"] for row in some} == NAMES
            assert len(some) == len(algorithms) + len(NAMES) - 1  # between nodes alone does it matter which
    for row in rows:
        assert list(row) == KEYS
        assert (row["task"], row["format"], row["op"], row["frames"]) == ("composite", "float32", "over", 3)
        assert (row["width"], row["height"]) == (96, 40)
        assert 0 < row["min_ms"] <= row["median_ms"] <= row["max_ms"]
        assert row["cpu_ms"] > 0
        assert 0 <= row["max_abs_error"] <= 1e-6 * row["ranks"]
        assert row["peak_bytes"] >= 0
    assert out.count("dense, not gathered, 3 frames") == 2
    for row in rows:
        assert row["peer"] in out
        assert f"{row['median_ms']:.2f}" in out
    assert "3 ranks, 96x40: radix-k is radix-k:3" in out


@pytest.fixture(scope="module")
def of_all_kinds(tmp_path_factory):
    """Rows of two formats and four operators."""
    rows, _ = rows_of(
        "--ranks", 3, "--size", "61x7", "--format", "float16,uint8", "--op", "over,add,max,min",
        "--frames", 1, "--algorithms", "shift,2-3-swap", path=tmp_path_factory.mktemp("bench") / "rows.json",
    )  # fmt: skip
    assert len({(row["format"], row["op"]) for row in rows}) == 2 * 4
    return rows


@pytest.mark.mpi
@pytest.mark.parametrize("op", ["over", "add", "max", "min"])
@pytest.mark.parametrize("form", ["float16", "uint8"])
def test_formats_and_operators(of_all_kinds, form, op):
    rows = [row for row in of_all_kinds if (row["format"], row["op"]) == (form, op)]
    assert {row["peer"] for row in rows} == NAMES
    for row in rows:
        if op in ("max", "min"):
            assert row["max_abs_error"] == 0


@pytest.mark.mpi
def test_closest_leaves_the_reductions_out_and_says_so(tmp_path):
    rows, out = rows_of(
        "--ranks", 3, "--size", "50x9,8x8", "--op", "closest", "--no-gather", "--frames", 1,
        path=tmp_path / "rows.json",
    )  # fmt: skip
    floors = {"floor-memcpy", "floor-network", "floor-shared-window"}
    assert {row["peer"] for row in rows} == OURS | floors
    assert all(row["max_abs_error"] == 0 and not row["gather"] for row in rows)
    assert {(row["width"], row["height"]) for row in rows} == {(50, 9), (8, 8)}
    assert out.count("mpi-reduce is left out") == 1


@pytest.mark.mpi
@pytest.mark.slow
def test_peak_memory_holds_what_a_peer_must_have(tmp_path):
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this kernel does not tell the peak")
    rows, _ = rows_of(
        "--ranks", 2, "--size", "2048x1024", "--gather", "--frames", 1, "--algorithms", "shift",
        path=tmp_path / "rows.json",
    )  # fmt: skip
    image = 2048 * 1024 * 16
    peak = {row["peer"]: row["peak_bytes"] / image for row in rows}
    assert peak["floor-memcpy"] == pytest.approx(1, abs=0.1)
    assert all(0.9 < peak[peer] < 4 for peer in NAMES if peer.startswith("mpi-"))
    assert all(0 < peak[peer] < 2 for peer in OURS)
    assert peak["floor-shared-window"] < 1.1  # the frame: the images in the window are input
    assert peak["floor-network"] > 0.95  # half an image to send, half to receive, half to gather


@pytest.mark.mpi
def test_runs_on_the_ranks_of_the_users_mpiexec(tmp_path):
    command = [sys.executable, "-m", "sortlast", "bench", "composite", "--size", "16x16", "--frames", "1"]
    command += ["--peers", "sortlast-messages,mpi-reduce", "--algorithms", "shift", "--gather"]
    done = mpirun.run_command(3, [*command, "--json", str(tmp_path / "rows.json")])
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [(row["peer"], row["ranks"]) for row in rows] == [("sortlast-messages", 3), ("mpi-reduce", 3)]
    done = mpirun.run_command(3, [*command, "--ranks", "2"])
    assert done.returncode == 2
    assert "--ranks 2, but mpiexec started 3" in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--ranks", "0"), "at least 1 rank"),
        (("--size", "4x"), "WIDTHxHEIGHT"),
        (("--size", "0x4"), "no pixels"),
        (("--format", "float64"), "'float64' is none of float32, float16, uint8"),
        (("--op", "under"), "'under' is none of"),
        (("--peers", "sortlast,you"), "'you' is none of"),
        (("--algorithms", "shift,nope"), "nope"),
        (("--algorithms", "radix-k:2,3,shift", "--ranks", "6,4"), "radix-k:2,3"),
    ],
)
def test_refuses_before_it_starts_ranks(args, message):
    done = bench(*args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


# --- what is measured ---------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["float32", "float16", "uint8"])
def test_images_are_premultiplied_active_and_repeatable(form):
    task = Task(300, 400, form, "closest", gather=True)  # two chunks
    image = pattern.image(task, 5, 3)
    assert image.colour.shape == (400, 300, 4)
    assert image.colour.dtype == form
    assert image.depth is not None
    colour = image.colour.astype(np.float32)
    assert colour[..., 3].min() > 0
    assert (colour[..., :3] <= colour[..., 3:]).all()
    again = pattern.image(task, 5, 3)
    np.testing.assert_array_equal(again.colour, image.colour)
    np.testing.assert_array_equal(again.depth, image.depth)
    assert not np.array_equal(pattern.image(task, 5, 2).colour, image.colour)


def test_every_image_of_many_shows_and_its_place_matters():
    task = Task(32, 32, "float32", "over", gather=True)
    images = [pattern.image(task, 16, rank).colour for rank in range(16)]
    right = sortlast.composite_serial(images).colour
    for wrong in (images[:-1], [*images[:-2], images[-1], images[-2]]):
        assert np.abs(sortlast.composite_serial(wrong).colour - right).max() > 10 * task.bound(16)


SNIPPET = """
    import sortlast
    from sortlast import bench
    from sortlast.bench.peer import Finished, Peer
    from sortlast.bench.peers import PEERS
    from sortlast.bench.peers.mpi_reduce import MpiReduce

    class Wrong(MpiReduce):
        name = "wrong"
        def finished(self):
            held = super().finished()
            {spoil}

    PEERS["wrong"] = Wrong
    tasks = [bench.Task(33, 17, "float32", "over", gather=True)]
    settings = bench.Settings(tasks, ["shift"], ["floor-memcpy", "wrong"], frames=1)
    try:
        bench.run(comm, settings, lambda what, done, total: None)
    except sortlast.Error as error:
        report(str(error))
"""


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("spoil", "by"),
    [
        ("held.pixels[-1:, 2] += 1e-3; return held", "by 0.001"),
        ("held.pixels[-1:, 2] = float('nan'); return held", "by nan"),
        ("return Finished(0, held.pixels[:-1])", "by inf"),
        ("return Finished(1, held.pixels[1:])", "by inf"),
    ],
)
def test_a_wrong_answer_is_never_timed(spoil, by):
    reports = mpirun.reports(2, SNIPPET.format(spoil=spoil))
    assert reports[0] == reports[1]
    task = "2 ranks, 33x17 float32, over, dense, gathered"
    assert reports[0].startswith(f"wrong (MPI_Reduce) is wrong: {task}: differs")
    assert by in reports[0]


@pytest.mark.parametrize("peers", [3, 9, 13])
def test_no_peer_always_follows_the_same_one(peers):
    frames = 12
    order = turns.turns(peers, frames)
    assert order == turns.turns(peers, frames)  # every rank makes its own
    assert all(sorted(frame) == list(range(peers)) for frame in order)
    flat = [peer for frame in order for peer in frame]
    for peer in range(peers):
        before = [first for first, then in itertools.pairwise(flat) if then == peer]
        assert len({*before} - {peer}) >= min(peers - 1, 6)
        assert max(before.count(other) for other in range(peers)) <= frames // 2
