"""What a program leaves behind when it ends, but for what signals do (test_signals.py): nothing."""

from __future__ import annotations

import os
import subprocess
import threading

import pytest

from sortlast import _leftovers


def test_a_folder_goes_although_files_in_it_come_and_go():
    begun = threading.Event()

    def write(path):
        for number in range(3000):
            try:
                (path / f"{number % 40}").write_text("x")
                (path / f"{(number + 20) % 40}").unlink(missing_ok=True)
            except FileNotFoundError:  # the folder has gone
                return
            begun.set()

    for _ in range(20):
        begun.clear()
        with _leftovers.folder() as path:
            writer = threading.Thread(target=write, args=[path])
            writer.start()
            assert begun.wait(30)
        writer.join()
        assert not path.exists()


def test_a_folder_that_has_gone_is_no_error():
    with _leftovers.folder() as path:
        path.rmdir()
    assert not path.exists()


@pytest.mark.parametrize("variable", ["TMPDIR", "TMP"])
def test_the_folder_of_a_launcher_that_is_killed_goes_with_it(variable, tmp_path):
    """As Open MPI's mpiexec has it, which would not start where one of its number has left such a folder."""
    others = {name: value for name, value in os.environ.items() if name not in ("TMPDIR", "TEMP", "TMP")}
    with _leftovers.processes() as mark:
        launcher = subprocess.Popen(["sleep", "100"], env=others | mark | {variable: str(tmp_path)})
        folder, neighbour = (tmp_path / f"ompi.{pid}" for pid in (launcher.pid, launcher.pid + 1))
        for each in (folder, neighbour):
            (each / "0").mkdir(parents=True)
            (each / "0" / "file").touch()
    launcher.wait()
    assert [*tmp_path.iterdir()] == [neighbour]
