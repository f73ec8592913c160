"""What a program leaves behind when it ends, but for what signals do (test_signals.py): nothing."""

from __future__ import annotations

import threading

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
