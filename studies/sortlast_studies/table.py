"""The tidy table of a study: one row per value, of any kind; a report needs nothing but its CSV file.

A value belongs to a row and a column of an item, which is a table or a figure of the paper, or one of ours.
Published and computed values of the same quantity share item, row and column, and differ in their kind, so
they can be compared and never overwrite each other. A value that is not a number (a vector of radices,
"refused") is the note of a row without a value. Rows of kind "" describe the run: its settings and
provenance.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, TextIO, get_args

from sortlast import Error

Kind = Literal["published", "computed", "simulated", "measured", "calibrated", ""]
Wanted = Kind | Literal["ours"] | None  # a kind, all but published, or any, where ours takes precedence


@dataclass(frozen=True)
class Row:
    """A value with its place and kind.

    Attributes:
        item: The table or figure: "Table 4a".
        row: Its row there.
        column: Its column there.
        unit: Unit of the value.
        kind: How the value was obtained.
        value: The number; None if the note replaces it.
        spread: Minimum and maximum of the samples, if the value is a mean or median.
        n: Number of samples.
        note: Where it is published, why it is missing, or the text that replaces it.
    """

    item: str
    row: str
    column: str
    unit: str = ""
    kind: Kind = "computed"
    value: float | None = None
    spread: tuple[float, float] | None = None
    n: int | None = None
    note: str = ""


COLUMNS = tuple(field.name for field in fields(Row))


class Table:
    """Rows in order, looked up by item, row and column."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._items: dict[str, dict[tuple[str, str], list[Row]]] = {}
        for row in rows:
            self.append(row)

    def __iter__(self) -> Iterator[Row]:
        for cells in self._items.values():
            for found in cells.values():
                yield from found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and list(self) == list(other)

    def append(self, row: Row) -> None:
        """Add a row. Raises Error if there is one of the same place and kind."""
        found = self._items.setdefault(row.item, {}).setdefault((row.row, row.column), [])
        if any(row.kind == other.kind for other in found):
            raise Error(f"{row.item}, {row.row}, {row.column} has two {row.kind} values")
        found.append(row)

    def add(
        self,
        item: str,
        row: object,
        column: object,
        value: float | None = None,
        unit: str = "",
        kind: Kind = "computed",
        *,
        spread: Sequence[float] = (),
        n: int | None = None,
        note: str = "",
    ) -> None:
        """Add a row; minimum and maximum of ``spread`` are kept."""
        number = None if value is None else float(value)
        ends = (float(min(spread)), float(max(spread))) if len(spread) else None
        self.append(Row(item, str(row), str(column), unit, kind, number, ends, n, note))

    def add_sample(
        self,
        item: str,
        row: object,
        column: object,
        values: Sequence[float],
        unit: str = "",
        kind: Kind = "simulated",
        *,
        by: Callable[[Sequence[float]], float] = fmean,
        note: str = "",
    ) -> None:
        """Add the mean of some values, or the result of ``by``; for several values also spread and number."""
        spread, n = (values, len(values)) if len(values) > 1 else ((), None)
        self.add(item, row, column, by(values), unit, kind, spread=spread, n=n, note=note)

    def add_line(
        self,
        item: str,
        row: object,
        values: Mapping[Any, float | None],
        unit: str = "",
        kind: Kind = "computed",
        *,
        note: str = "",
    ) -> None:
        """Add a whole row of an item, with values by column; values of None are left out."""
        for column, value in values.items():
            if value is not None:
                self.add(item, row, column, value, unit, kind, note=note)

    # --- looking up -----------------------------------------------------------------------------------

    def find(self, item: str, row: object, column: object = "", kind: Wanted = None) -> Row | None:
        """The row at a place; None if there is none."""
        found = self._items.get(item, {}).get((str(row), str(column)), [])
        ordered = sorted(found, key=lambda each: each.kind == "published") if kind is None else found
        return next((each for each in ordered if _is(each, kind)), None)

    def value(self, item: str, row: object, column: object = "", kind: Wanted = None) -> float:
        """The value at a place, see :meth:`find`. Raises Error if there is none."""
        found = self.get(item, row, column, kind)
        if found is None:
            raise Error(f"the table has no {kind or 'value'} of {item}, {row}, {column}")
        return found

    def get(self, item: str, row: object, column: object = "", kind: Wanted = None) -> float | None:
        """The value at a place, see :meth:`find`; None if there is none."""
        found = self.find(item, row, column, kind)
        return None if found is None else found.value

    def note(self, item: str, row: object, column: object = "", kind: Wanted = None) -> str:
        """The note at a place, see :meth:`find`; empty if there is none."""
        found = self.find(item, row, column, kind)
        return "" if found is None else found.note

    def of(self, item: str, kind: Wanted = None) -> list[Row]:
        """The rows of an item, of one kind or of all."""
        rows = (row for found in self._items.get(item, {}).values() for row in found)
        return [row for row in rows if _is(row, kind)]

    def items(self, prefix: str = "") -> list[str]:
        """The items that begin with ``prefix``."""
        return [item for item in self._items if item.startswith(prefix)]

    def rows(self, item: str, kind: Wanted = None) -> list[str]:
        """The names of an item's rows, without duplicates."""
        return list(dict.fromkeys(row.row for row in self.of(item, kind)))

    def columns(self, item: str, kind: Wanted = None) -> list[str]:
        """The names of an item's columns, without duplicates."""
        return list(dict.fromkeys(row.column for row in self.of(item, kind)))

    def line(self, item: str, row: object, kind: Wanted = None) -> dict[str, float]:
        """The values of a row, by column."""
        found = {each: self.get(item, row, each, kind) for each in self.columns(item, kind)}
        return {column: value for column, value in found.items() if value is not None}

    def column(self, item: str, column: object = "", kind: Wanted = None) -> dict[str, float]:
        """The values of a column, by row."""
        found = {each: self.get(item, each, column, kind) for each in self.rows(item, kind)}
        return {row: value for row, value in found.items() if value is not None}


def _is(row: Row, kind: Wanted) -> bool:
    return row.kind not in ("", "published") if kind == "ours" else kind in (None, row.kind)


# --- files --------------------------------------------------------------------------------------------


def write_csv(table: Table, file: TextIO) -> None:
    """Write all rows; numbers are read back unchanged."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in table:
        writer.writerow([_text(each) for each in astuple(row)])


def read_csv(path: Path) -> Table:
    """Read a file written by :func:`write_csv`. Raises Error with file and line if it is something else."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"cannot read {path}: {error}") from error
    return _parse(text, str(path))


@cache
def published(package: str) -> Table:
    """The published values of a study: ``published.csv`` of its package; an empty table if it has no paper.

    The columns are item, row, column, unit, value and where: the place in the paper, which becomes the note.
    """
    file = files(package).joinpath("published.csv")
    table = Table()
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    for line in csv.DictReader(text.splitlines()):
        value = float(line["value"]) if line["value"] else None
        place = line["item"], line["row"], line["column"]
        table.add(*place, value, line["unit"], "published", note=line["where"])
    return table


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "..".join(map(_text, value))
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return "" if value is None else str(value)


def _parse(text: str, name: str) -> Table:
    lines = csv.reader(text.splitlines(keepends=True))
    if next(lines, None) != list(COLUMNS):
        raise Error(f"{name}: expected a table of a study, whose first line is {','.join(COLUMNS)}")
    table = Table()
    for cells in lines:
        try:
            item, row, column, unit, kind, value, spread, n, note = cells
            if kind not in get_args(Kind):
                raise ValueError(f"there is no kind {kind!r}")
            ends = [float(each) for each in spread.split("..")] if spread else []
            number = float(value) if value else None
            count = int(n) if n else None
            table.add(item, row, column, number, unit, kind, spread=ends, n=count, note=note)  # type: ignore[arg-type]
        except ValueError as error:
            raise Error(f"{name}, line {lines.line_num}: {error}; expected {','.join(COLUMNS)}") from error
    return table
