"""The script that compares two files of the benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

import sortlast
from sortlast import provenance
from sortlast.bench import Row
from sortlast.bench.cells import matrix

BENCH = Path(__file__).parents[2] / "bench"
ROW = Row(
    task="composite",
    peer="sortlast",
    algorithm="shift",
    ranks=4,
    width=64,
    height=32,
    format="float32",
    op="over",
    gather=True,
    content="dense",
    bounds=False,
    frames=5,
    median_ms=10.0,
    min_ms=10.0,
    max_ms=10.0,
    cpu_ms=40.0,
    max_abs_error=0.0,
    peak_bytes=1000,
    version="1.0",
    build="one",
    host="here",
    cpu="a processor",
    cores=2,
    mpi="MPICH 5",
    date="2026-01-01T00:00:00Z",
)


def row(median, **changes):
    return asdict(replace(ROW, median_ms=median, **changes))


def compare(tmp_path, old, new, *args):
    files = []
    for name, rows in (("old.json", old), ("new.json", new)):
        files.append(str(tmp_path / name))
        (tmp_path / name).write_text(json.dumps(rows))
    return script("compare.py", *files, *args)


def script(name, *args):
    command = [sys.executable, str(BENCH / name), *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("old", "new", "args", "status"),
    [
        (10.0, 10.0, (), 0),
        (10.0, 5.0, (), 0),
        (10.0, 12.0, (), 1),
        (100.0, 105.0, (), 0),  # within 10 %
        (1.0, 1.9, (), 0),  # within 1 ms
        (100.0, 105.0, ("--percent", "4"), 1),
        (1.0, 1.9, ("--absolute", "0.5"), 1),
        (10.0, 12.0, ("--percent", "30"), 0),
    ],
)
def test_compare_needs_both_thresholds(tmp_path, old, new, args, status):
    done = compare(tmp_path, [row(old)], [row(new)], *args)
    assert done.returncode == status, done.stderr
    assert ("SLOWER" in done.stdout) == (status == 1)
    assert f"{status} regressions" in done.stdout


def test_compare_finds_more_processor_time_in_the_same_time(tmp_path):
    done = compare(tmp_path, [row(10.0, cpu_ms=40.0)], [row(10.0, cpu_ms=50.0)])
    assert done.returncode == 1
    assert "+25.0 %" in done.stdout
    assert compare(tmp_path, [row(10.0, cpu_ms=40.0)], [row(10.0, cpu_ms=40.9)]).returncode == 0


def test_compare_matches_rows_by_what_they_measure(tmp_path):
    old = [row(10.0), row(50.0, ranks=8), row(3.0, algorithm="tree")]
    new = [row(51.0, ranks=8), row(10.0), row(90.0, gather=False), row(90.0, content="block")]
    new += [row(90.0, content="block", bounds=True)]
    done = compare(tmp_path, old, new)
    assert done.returncode == 0
    assert done.stdout.count("only in the") == 4
    assert "64x32 float32, over, block, bounds told, gathered" in done.stdout
    assert "only in the old file: composite/sortlast tree, 4 ranks" in done.stdout
    task = "4 ranks, 64x32 float32, over, dense, not gathered"
    assert f"only in the new file: composite/sortlast shift, {task}" in done.stdout


@pytest.mark.parametrize("other", [{"host": "there"}, {"cpu": "b"}, {"cores": 4}, {"mpi": "Open MPI 5"}])
def test_compare_refuses_rows_of_two_machines_unless_told(tmp_path, other):
    old, new = [row(10.0)], [row(10.0, **other)]
    for files in ((old, new), (old, old + new), (old + new, [row(10.0)])):
        done = compare(tmp_path, *files)
        assert (done.returncode, done.stdout) == (2, "")
        assert "rows of 2 machines" in done.stderr
        assert "here, a processor, 2, MPICH 5" in done.stderr
        assert str(*other.values()) in done.stderr
        assert compare(tmp_path, *files, "--any-machine").returncode == 0


def test_compare_takes_other_builds_and_tells_of_rows_of_unknown_machines(tmp_path):
    done = compare(
        tmp_path, [row(10.0)], [row(10.0, version="2.0", build="two", date="2026-02-02T00:00:00Z")]
    )
    assert (done.returncode, done.stderr) == (0, "")
    unknown = row(10.0)
    for name in ("version", "build", "host", "cpu", "cores", "mpi", "date"):
        del unknown[name]
    done = compare(tmp_path, [unknown], [row(10.0), row(10.0, ranks=8, host="")])
    assert done.returncode == 0
    assert "old.json: 1 of 1 rows do not tell where" in done.stderr
    assert "new.json: 1 of 2 rows do not tell where" in done.stderr


def test_compare_refuses_other_files(tmp_path):
    for rows in ({"rows": []}, [{"peer": "sortlast"}], 3):
        done = compare(tmp_path, [row(1.0)], rows)
        assert (done.returncode, done.stdout) == (2, "")
        assert "new.json" in done.stderr
    done = script("compare.py", str(tmp_path / "nowhere.json"), str(tmp_path / "old.json"))
    assert done.returncode == 2
    assert "nowhere.json" in done.stderr


@pytest.mark.mpi
def test_alternate_times_each_cell_of_both_builds(tmp_path):
    package = str(Path(sortlast.__file__).parents[1])
    options = ("--ranks", "2", "--frames", "3", "--starts", "2", "--size", "24x16", "--output", str(tmp_path))
    done = script("alternate.py", package, package, *options)
    assert done.returncode == 0, done.stderr
    old, new = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("old", "new"))
    tasks = [replace(task, width=24, height=16) for ranks, task in matrix() if ranks == 2]
    wanted = {
        (peer, task) for peer in ("sortlast", "sortlast-allocated", "sortlast-messages") for task in tasks
    }
    for rows in (old, new):
        made = [Row(**row) for row in rows]
        assert {(row.peer, row.task_of()) for row in made} == wanted
        assert len(made) == len(wanted)
        assert {row.machine for row in made} == {provenance.here().machine}
        assert {row.build for row in made} == {provenance.build()}
        assert all(row.frames == 6 and 0 < row.min_ms <= row.median_ms <= row.max_ms for row in made)
    done = script("compare.py", str(tmp_path / "old.json"), str(tmp_path / "new.json"), "--absolute", "1e9")
    assert done.returncode == 0, done.stderr
    assert "only in" not in done.stdout
