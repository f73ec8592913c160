"""A program beside which we measure: what it said, its processor seconds, and its memory at most."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Said:
    """Standard output of a program that has ended, its user seconds and the megabytes it had at most."""

    text: str
    seconds: float
    megabytes: float


def run(executable: Path, arguments: list[str], files: Mapping[str, str]) -> Said:
    """Run a program in a folder with these files. Its exit status is no matter: not all peers set it."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        for name, text in files.items():
            (Path(folder) / name).write_text(text)
        process = subprocess.Popen([str(executable.resolve()), *arguments], cwd=folder, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        return Said(output.read(), usage.ru_utime, usage.ru_maxrss / 1e3)
