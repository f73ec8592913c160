"""The benchmark's matrix: its cells, going on with an unfinished one, its tables and its picture."""

from __future__ import annotations

import json

import pytest
from PIL import Image

import mpirun
from sortlast import provenance
from sortlast.bench import Task, cells, memory
from sortlast.cli import _bench_run, bench

TINY = [
    (2, Task(24, 16, "float32", "over", True)),
    (3, Task(24, 16, "float32", "over", True)),
    (3, Task(24, 16, "float32", "over", True, "block", True)),
]


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(cells, "matrix", lambda: TINY)
    monkeypatch.setattr(bench, "_FRAMES", 2)


@pytest.mark.mpi
def test_an_interrupted_matrix_goes_on(tiny, cli, tmp_path):
    path = tmp_path / "matrix.json"
    args = ("bench", "matrix", "--json", path)
    status, out, err = cli(*args, "--ranks", "2")
    assert status == 0, err
    assert "1 cells measured, 0 from" in out
    before = json.loads(path.read_text())

    status, out, err = cli(*args, "--plot", tmp_path / "matrix.png")
    assert status == 0, err
    assert "2 cells measured, 1 from" in out
    rows = json.loads(path.read_text())
    assert rows[: len(before)] == before
    assert list(dict.fromkeys((row["ranks"], row["content"]) for row in rows)) == [
        (2, "dense"),
        (3, "dense"),
        (3, "block"),
    ]
    for kind in ("24x16 float32, over, dense, gathered", "24x16 float32, over, block, bounds told, gathered"):
        assert f"{kind}: best median" in " ".join(out.split())
        assert f"{kind}: ratios" in " ".join(out.split())
    assert Image.open(tmp_path / "matrix.png").width > 1000

    path.write_text(json.dumps(rows[::-1]))  # the tables follow the matrix, not the file
    status, out, err = cli(*args)
    assert (status, err) == (0, "")
    assert "0 cells measured, 3 from" in out
    assert out.count(": ratios") == 2


@pytest.mark.mpi
def test_a_matrix_of_another_machine_is_refused_and_kept(tiny, cli, tmp_path):
    path = tmp_path / "matrix.json"
    args = ("bench", "matrix", "--json", path)
    status, _, err = cli(*args, "--ranks", 2)
    assert status == 0, err
    row = json.loads(path.read_text())[0]
    assert _bench_run.read_rows(path)[0].machine == provenance.here().machine
    assert (row["build"], row["date"][:2]) == (provenance.build(), "20")
    for changed in ({"host": "there"}, {"mpi": "another"}, {"cores": 999}):
        path.write_text(json.dumps([row | changed]))
        before = path.read_bytes()
        status, _, err = cli(*args)
        assert status == 2
        assert "has rows of another machine" in err
        assert str(*changed.values()) in err
        assert path.read_bytes() == before
        assert cli(*args, "--ranks", 2)[0] == 0  # nothing is measured: its tables are only shown


@pytest.mark.parametrize("text", ["{}", "[1]", '[{"peer": "icet"}]', "no json"])
def test_a_file_that_is_none_of_the_benchmark_is_refused_and_kept(cli, tmp_path, text):
    path = tmp_path / "file.json"
    path.write_text(text)
    status, _, err = cli("bench", "matrix", "--json", path)
    assert status == 2
    assert "holds no rows of this benchmark" in err
    assert path.read_text() == text


# --- memory -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needs", "room", "groups"),
    [
        ([], 10, []),
        ([3, 4, 3], 10, [[0, 1, 2]]),
        ([3, 4, 4], 10, [[0, 1], [2]]),
        ([20, 1, 0, 9, 1], 10, [[0], [1, 2, 3], [4]]),
        ([20, 30], None, [[0, 1]]),
    ],
)
def test_peers_that_do_not_fit_together_are_apart(needs, room, groups):
    assert memory.groups(needs, room) == groups


@pytest.mark.mpi
def test_peers_that_do_not_fit_together_take_turns_in_groups():
    reports = mpirun.reports(
        2,
        """
        from sortlast import bench
        from sortlast.bench import memory

        memory.room = lambda comm: 1
        done = []
        tasks = [bench.Task(64, 32, "float32", "over", gather=True)]
        settings = bench.Settings(tasks, ["shift", "tree"], ["sortlast-messages", "mpi-reduce"], frames=4)
        result = bench.run(comm, settings, lambda what, part, total: done.append(part))
        rows = [(row.algorithm, row.frames, row.min_ms > 0) for row in result.rows]
        report({"rows": rows, "steps": len(set(done)), "ordered": done[:-1] == sorted(done[:-1])})
        """,
    )
    rows = [["shift", 4, True], ["tree", 4, True], ["MPI_Reduce", 4, True]]
    assert [told["rows"] for told in reports] == [rows, rows]
    assert reports[0]["ordered"]
    assert reports[0]["steps"] > 9  # three laps of three groups
