"""Prints how many lines the tests ran through, by folder: those of C++ and those of Python.

    python tests/coverage_tables.py CPP.json PYTHON.json

CPP.json is of ``gcovr --json-summary``, PYTHON.json of ``coverage json``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple


class Lines(NamedTuple):
    """Lines of one file or several that can be run, and those that were."""

    run: int
    all: int

    def __str__(self) -> str:
        return f"{100 * self.run / self.all if self.all else 100:5.1f} %"


def of_cpp(path: Path) -> Iterator[tuple[PurePath, Lines]]:
    """Each file that gcovr tells of."""
    for file in json.loads(path.read_text())["files"]:
        yield PurePath(file["filename"]), Lines(file["line_covered"], file["line_total"])


def of_python(path: Path) -> Iterator[tuple[PurePath, Lines]]:
    """Each file that coverage.py tells of."""
    for name, file in json.loads(path.read_text())["files"].items():
        yield PurePath(name), Lines(file["summary"]["covered_lines"], file["summary"]["num_statements"])


def total(files: list[Lines]) -> Lines:
    """Lines of all of them."""
    return Lines(sum(file.run for file in files), sum(file.all for file in files))


def table(language: str, files: list[tuple[PurePath, Lines]]) -> Lines:
    """Print a line for each folder; lines of all."""
    rooms: dict[str, list[Lines]] = defaultdict(list)
    for path, lines in files:
        rooms[str(path.parent)].append(lines)
    print(f"{language:44} files   lines not run     run")
    for room, found in sorted(rooms.items()):
        lines = total(found)
        print(f"{room:44} {len(found):5} {lines.all:7} {lines.all - lines.run:7} {lines}")
    print()
    return total([lines for _, lines in files])


def main(cpp: str, python: str) -> None:
    """Print both tables, and a line that closes them."""
    found = {"C++": list(of_cpp(Path(cpp))), "Python": list(of_python(Path(python)))}
    totals = [(language, table(language, files)) for language, files in found.items()]
    print(
        "coverage:",
        ", ".join(f"{language} {str(lines).strip()} of {lines.all} lines" for language, lines in totals),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
