"""The command line that the other tests call: each call is a process of its own."""

from __future__ import annotations

import pytest

import commands
from sortlast import __version__


def test_output_errors_and_the_status_come_back():
    done = commands.run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sortlast {__version__}\n", "")
    done = commands.run("schedule", "nope", "--p", 2)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sortlast: algorithm 'nope' is not known")
    assert commands.run("schedule", "nope", "--p", 2, together=True).stdout == done.stderr
    assert commands.run("--version", text=False).stdout == f"sortlast {__version__}\n".encode()


def test_folder_and_variables_are_those_of_one_call(tmp_path):
    done = commands.run("price", "--p", 4, "--json", "a.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]
    widths = [
        max(map(len, commands.run("--help", variables={"COLUMNS": columns}).stdout.splitlines()))
        for columns in ("60", "100", "60")
    ]
    assert widths == [60, 100, 60]


@pytest.mark.mpi
@pytest.mark.family
def test_a_command_that_takes_too_long_is_killed_and_the_next_one_runs(tmp_path):
    with pytest.raises(TimeoutError):
        commands.run("bandwidth", "--ranks", 2, "--repeat", 9999, folder=tmp_path, timeout=1.0)
    assert commands.run("--version").returncode == 0
