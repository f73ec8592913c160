"""The overview of studies: their summaries, what did not agree, worst first, and every table and figure.

What did not agree is found in the tables alone: a value that is computed or simulated stands at the same
place as the published one. What was measured is left out, as it is of another machine than the paper's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jinja2 import Environment

from sortlast_studies import report
from sortlast_studies.checks import CONFIRMED
from sortlast_studies.study import Reading
from sortlast_studies.table import Kind, Row, Table

AGREES = 0.05  # part by which a value may differ from the published one without being listed
NOT_REPRODUCED = "not reproduced"
_OURS: tuple[Kind, ...] = ("computed", "simulated")


@dataclass(frozen=True)
class Difference:
    """A value beside the published one of the same place; ``rounding``: how far the paper rounds that."""

    study: str
    ours: Row
    published: float
    rounding: float
    why: str

    @property
    def off(self) -> float:
        """The difference as a part of the larger of both, 0 to 1; none if the paper's rounding hides it."""
        ours, theirs = self.ours.value or 0.0, self.published
        difference = abs(ours - theirs)
        return min(1.0, difference / max(abs(ours), abs(theirs))) if difference > self.rounding else 0.0


class Overview:
    """That of studies which were written into folders by their names.

    Args:
        readings: of the studies.
        folder: where their folders are.
    """

    def __init__(self, readings: Sequence[Reading], folder: Path) -> None:
        self._readings = readings
        self._folder = folder

    @property
    def text(self) -> str:
        """As Markdown."""
        return self._rendered("overview.md")

    @property
    def disagreements(self) -> str:
        """Its section on what did not agree, as Markdown."""
        return self._rendered("disagreements.md")

    @property
    def page(self) -> str:
        """As the text of an HTML file."""
        names = [f"{reading.study.name}/{_main_picture(reading)[0]}" for reading in self._readings]
        pictures = {name: (self._folder / f"{name}.svg").read_text(encoding="utf-8") for name in names}
        return report.page(self._templates, self.text, pictures)

    def _rendered(self, template: str) -> str:
        """A template; it quotes links from report to report, and stands one folder above them."""
        return self._templates.get_template(template).render().replace("](../", "](")

    @cached_property
    def _templates(self) -> Environment:
        of_papers = [reading for reading in self._readings if _has_paper(reading)]
        differences = worst_first(of_papers)
        terms = {
            "of_papers": of_papers,
            "others": [reading for reading in self._readings if not _has_paper(reading)],
            "quick": [each.study.name for each in self._readings if each.table.value("run", "quick")],
            "counts": [_counts(reading) for reading in of_papers],
            "verdicts": _verdicts(of_papers),
            "differences": [each for each in differences if each.off > AGREES],
            "near": sum(each.off <= AGREES for each in differences),
            "agrees": AGREES,
            "claims": unconfirmed(self._readings),
            "missing": [(each.study.name, item) for each in of_papers for item in _missing(each)],
            "four_digits": _four_digits,
            "main_picture": _shown_picture,
            "parameters": _parameters(self._readings),
        }
        return report.environment(__package__ or "", Table(), terms)


def worst_first(readings: Sequence[Reading]) -> list[Difference]:
    """Of every table and figure the value that is furthest from the published one; the furthest first."""
    found = [each for reading in readings for each in _worst(reading)]
    return sorted(found, key=lambda each: each.off, reverse=True)


def unconfirmed(readings: Sequence[Reading]) -> list[tuple[str, str, str, str, str]]:
    """Claims that are not confirmed: study, place, claim, verdict and figure; those left open come last."""
    found = [
        (reading.study.name, check.where, check.claim, check.verdict, check.figure)
        for reading in readings
        for check in reading.checks
        if check.verdict != CONFIRMED
    ]
    return sorted(found, key=lambda each: each[3] == "undecided")


def _has_paper(reading: Reading) -> bool:
    return any(row.kind == "published" for row in reading.table)


def _worst(reading: Reading) -> Iterator[Difference]:
    table = reading.table
    for item in table.items():
        compared = [
            Difference(reading.study.name, ours, theirs.value, _rounding(table, theirs), _why(reading, item))
            for theirs in table.of(item, "published")
            for kind in _OURS
            if (ours := table.find(item, theirs.row, theirs.column, kind)) is not None
            if ours.value is not None and theirs.value is not None
        ]
        if compared:
            yield max(compared, key=lambda each: each.off)


def _rounding(table: Table, theirs: Row) -> float:
    """Half a unit of the last digit that the paper prints in values of this item and unit."""
    printed = [row.value for row in table.of(theirs.item, "published") if row.unit == theirs.unit]
    digits = [len(f"{value:.10g}".partition(".")[2]) for value in printed if value is not None]
    return 0.5 * 10.0 ** -max(digits)


def _why(reading: Reading, name: str) -> str:
    """Why an item of the table differs: what is declared of the table or figure that it is a part of."""
    parts = [each for each in reading.items if name.startswith(each.item)]
    return max(parts, key=lambda each: len(each.item)).why if parts else ""


def _missing(reading: Reading) -> Iterator[tuple[str, str, str]]:
    for each in reading.items:
        if NOT_REPRODUCED in each.how:
            yield each.item, each.about, each.why


def _counts(reading: Reading) -> list[object]:
    """Of a study: its tables and figures, how they came about, and how many did not."""
    sorts = Counter(item.item.split()[0] for item in reading.items)
    how = Counter(kind for item in reading.items for kind in item.how.split(", "))
    missing = how.pop(NOT_REPRODUCED, 0)
    ways = ", ".join(f"{count} {kind}" for kind, count in how.most_common())
    return [reading.study.name, sorts["Table"], sorts["Figure"], ways, missing]


def _verdicts(readings: Sequence[Reading]) -> list[list[object]]:
    """A head, and a row for every study that judges claims: how many there are of each verdict."""
    judged = [reading for reading in readings if reading.checks]
    every = list(dict.fromkeys(verdict for reading in judged for verdict in reading.verdicts))
    rows = [[each.study.name, *(each.verdicts.get(verdict, 0) for verdict in every)] for each in judged]
    return [["study", *every], *rows]


def _parameters(readings: Sequence[Reading]) -> dict[str, Collection[str]]:
    """The options of studies that take values of one's own."""
    found = {reading.study.name: getattr(reading.study.module, "PARAMETERS", ()) for reading in readings}
    return {name: options for name, options in found.items() if options}


def _four_digits(value: float) -> str:
    """A number with four digits, or all of a larger one's before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _main_picture(reading: Reading) -> tuple[str, str]:
    """The name of a study's main picture and its caption: the one that its package names, or the first."""
    found = dict(report.pictures(reading.markdown))
    name = getattr(reading.study.module, "PICTURE", next(iter(found)))
    return name, found[name]


def _shown_picture(reading: Reading) -> str:
    name, caption = _main_picture(reading)
    return report.picture(f"{reading.study.name}/{name}", caption)
