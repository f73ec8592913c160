"""Printing: tables in the terminal, JSON to a file or to standard output."""

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

_WIDEST = 10_000  # columns that a table may be measured at
_WIDTH_OF_FILES = 120  # columns of output that goes to a file or a pipe


class _Console(Console):
    """A console on which names from files move no cursor: what is not to be seen in them is escaped."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as wide as the longest words of tables need, so that no word is broken inside a cell."""
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
    """A console on standard output, as wide as the terminal or, where there is none, 120 columns.

    On standard error if one of the command's ``files`` goes to standard output, which holds it alone then.
    """
    error = STANDARD_OUTPUT in files
    width = None if (sys.stderr if error else sys.stdout).isatty() else _WIDTH_OF_FILES
    return _Console(width=width, highlight=False, markup=False, emoji=False, stderr=error)


def check_places(*files: Path | None, pictures: Collection[Path | None] = ()) -> None:
    """Refuse before the work what cannot be written after it; None: a file that is not wanted.

    ``pictures``: those that are no text, and that no terminal shows.
    """
    wanted = [path for path in (*files, *pictures) if path is not None]
    drawn = set(pictures)  # which a film has thousands of
    for path in wanted:
        check_place(path, text=path not in drawn)
    if wanted.count(STANDARD_OUTPUT) > 1:
        raise Error("two files cannot both go to standard output; name one of them")


def command() -> str:
    """The command that runs, as it can be typed again."""
    return shlex.join(["sortlast", *sys.argv[1:]])


def hand_on() -> None:
    """Tell rich in the ranks that are started next about our terminal, which they see through pipes alone."""
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
    """Print a line for each file that was written, as it can be copied; None: a file that is not wanted.

    Commands write their files before they print: a reader of what they print may leave early, or stop them.
    """
    for path in files:
        if path is not None:
            console.print(f"wrote {path}", soft_wrap=True)
