"""Printing: tables on the terminal, JSON to a file or to standard output."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sortlast import Error
from sortlast._shown import shown
from sortlast.files import STANDARD_OUTPUT, check_place, write_text

_WIDEST = 10_000  # maximum width for measuring a table [columns]
_WIDTH_OF_FILES = 120  # width of output to a file or a pipe [columns]


class _Console(Console):
    """A console safe for names from files: invisible and control characters in them are escaped."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print with at least the width of the longest words of tables, so that no word is broken."""
        wide = self.options.update(width=_WIDEST)
        least = (Measurement.get(self, wide, each).minimum for each in objects if _is_table(each))
        usual = self.width
        self.width = max([usual, *least])
        try:
            super().print(*objects, **options)
        finally:
            self.width = usual

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(shown(text, keep="\n"), **options)


def _is_table(value: Any) -> bool:
    return isinstance(value, (Table, Group))


def console(*files: Path | None) -> Console:
    """A console on standard output, as wide as the terminal, or 120 columns without one.

    If one of the command's ``files`` is standard output, the console is on standard error instead.
    """
    error = STANDARD_OUTPUT in files
    width = None if (sys.stderr if error else sys.stdout).isatty() else _WIDTH_OF_FILES
    return _Console(width=width, highlight=False, markup=False, emoji=False, stderr=error)


def check_places(*files: Path | None, pictures: Collection[Path | None] = ()) -> None:
    """Raise, before the work, if a file could not be written after it; None: no file.

    ``pictures``: files that are not text, which a terminal cannot show.
    """
    wanted = [path for path in (*files, *pictures) if path is not None]
    drawn = set(pictures)  # a film has thousands
    for path in wanted:
        check_place(path, text=path not in drawn)
    if wanted.count(STANDARD_OUTPUT) > 1:
        raise Error("two files cannot both go to standard output; name one of them")


def command() -> str:
    """The running command, in a form that can be typed again."""
    return shlex.join(["sortlast", *sys.argv[1:]])


def hand_on() -> None:
    """Pass the properties of our terminal to rich in started ranks, which write to pipes."""
    if sys.stderr.isatty():
        os.environ.setdefault("TTY_COMPATIBLE", "1")
        os.environ.setdefault("TTY_INTERACTIVE", "1")
        os.environ.setdefault("COLUMNS", str(shutil.get_terminal_size().columns))


def write_json(value: Any, path: Path | None) -> None:
    """Write ``value`` as JSON to ``path``, or to standard output if it is None."""
    text = json.dumps(value, indent=2) + "\n"
    if path is None:
        sys.stdout.write(text)
    else:
        write_text(path, text)


def name_written(console: Console, *files: Path | str | None) -> None:
    """Print a line for each file that was written, suitable for copying; None: no file.

    Commands write files before they print: a reader of their output may exit early, or stop them.
    """
    for path in files:
        if path is not None:
            console.print(f"wrote {path}", soft_wrap=True)
