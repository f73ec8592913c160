"""The script that compares two files of the benchmark."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from sortlast.bench import Row

COMPARE = Path(__file__).parents[2] / "bench" / "compare.py"
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
)


def row(median, **changes):
    return asdict(replace(ROW, median_ms=median, **changes))


def compare(tmp_path, old, new, *args):
    return compare_files(tmp_path, {"old.json": old, "new.json": new}, *args)


def compare_files(tmp_path, files, *args):
    for name, rows in files.items():
        (tmp_path / name).write_text(json.dumps(rows))
    command = [sys.executable, str(COMPARE), *(str(tmp_path / name) for name in files), *args]
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


def test_compare_takes_the_medians_of_files_measured_by_turns(tmp_path):
    old = {"old1.json": [row(10.0)], "old2.json": [row(11.0)], "old3.json": [row(30.0)]}
    new = {"new1.json": [row(10.0)], "new2.json": [row(30.0)], "new3.json": [row(11.5)]}
    turns = {name: rows for pair in zip(old.items(), new.items(), strict=True) for name, rows in pair}
    done = compare_files(tmp_path, turns)
    assert done.returncode == 0, done.stdout
    assert "11.00      11.50" in done.stdout
    turns["new1.json"] = [row(31.0)]
    assert compare_files(tmp_path, turns).returncode == 1
    turns.pop("new3.json")
    assert compare_files(tmp_path, turns).returncode == 2


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


def test_compare_refuses_other_files(tmp_path):
    for rows in ({"rows": []}, [{"peer": "sortlast"}], 3):
        done = compare(tmp_path, [row(1.0)], rows)
        assert (done.returncode, done.stdout) == (2, "")
        assert "new.json" in done.stderr
    missing = [sys.executable, str(COMPARE), str(tmp_path / "nowhere.json"), str(tmp_path / "old.json")]
    done = subprocess.run(missing, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nowhere.json" in done.stderr
