"""A program to compare with: its output, processor seconds and peak memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Said:
    """Standard output of a program that has ended, its user seconds and its peak memory in megabytes."""

    text: str
    seconds: float
    megabytes: float


def run(executable: Path, arguments: list[str], files: Mapping[str, str], limit: float | None = None) -> Said:
    """Run a program in a folder with these files. Ignores the exit status, which some peers do not set.

    Raises TimeoutError, and kills it, if it takes longer than ``limit`` seconds.
    """
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        process = subprocess.Popen([str(executable.resolve()), *arguments], cwd=folder, stdout=output)
        over = threading.Event()
        timer = threading.Timer(limit or 0, lambda: (over.set(), process.kill()))
        if limit is not None:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if over.is_set():
            raise TimeoutError(f"{executable.name} did not end in {limit:g} s")
        output.seek(0)
        return Said(output.read(), usage.ru_utime, usage.ru_maxrss / 1e3)
