"""The overview of studies: summaries, disagreements, largest first, and every table and figure.

Disagreements are found from the tables alone: a computed or simulated value is compared with the published
value of the same place. Measured values are left out, because they are from another machine than the paper's.
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

AGREES = 0.05  # relative difference from the published value up to which a value is not listed
NOT_REPRODUCED = "not reproduced"
_OURS: tuple[Kind, ...] = ("computed", "simulated")


@dataclass(frozen=True)
class Difference:
    """A value and the published one of the same place; ``rounding`` is the paper's rounding error."""

    study: str
    ours: Row
    published: float
    rounding: float
    why: str

    @property
    def off(self) -> float:
        """The difference relative to the larger value, 0 to 1; 0 if the paper's rounding explains it."""
        ours, theirs = self.ours.value or 0.0, self.published
        difference = abs(ours - theirs)
        return min(1.0, difference / max(abs(ours), abs(theirs))) if difference > self.rounding else 0.0


class Overview:
    """The overview of studies that were written into folders by their names.

    Args:
        readings: The studies.
        folder: Parent of their folders.
    """

    def __init__(self, readings: Sequence[Reading], folder: Path) -> None:
        self._readings = readings
        self._folder = folder

    @property
    def text(self) -> str:
        """The overview as Markdown."""
        return self._rendered("overview.md")

    @property
    def disagreements(self) -> str:
        """The section on what did not agree, as Markdown."""
        return self._rendered("disagreements.md")

    @property
    def page(self) -> str:
        """The overview as the text of an HTML file."""
        names = [f"{reading.study.name}/{_main_picture(reading)[0]}" for reading in self._readings]
        pictures = {name: (self._folder / f"{name}.svg").read_text(encoding="utf-8") for name in names}
        return report.page(self._templates, self.text, pictures)

    def _rendered(self, template: str) -> str:
        """Render a template, with links between reports adapted to the folder above them."""
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
    """The value furthest from the published one for each table and figure, largest difference first."""
    found = [each for reading in readings for each in _worst(reading)]
    return sorted(found, key=lambda each: each.off, reverse=True)


def unconfirmed(readings: Sequence[Reading]) -> list[tuple[str, str, str, str, str]]:
    """Claims that are not confirmed: study, place, claim, verdict and figure; undecided ones last."""
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
    """Why an item of the table differs: the reason declared for the table or figure that it belongs to."""
    parts = [each for each in reading.items if name.startswith(each.item)]
    return max(parts, key=lambda each: len(each.item)).why if parts else ""


def _missing(reading: Reading) -> Iterator[tuple[str, str, str]]:
    for each in reading.items:
        if NOT_REPRODUCED in each.how:
            yield each.item, each.about, each.why


def _counts(reading: Reading) -> list[object]:
    """Name of a study, its numbers of tables and figures, how they were reproduced, and how many were not."""
    sorts = Counter(item.item.split()[0] for item in reading.items)
    how = Counter(kind for item in reading.items for kind in item.how.split(", "))
    missing = how.pop(NOT_REPRODUCED, 0)
    ways = ", ".join(f"{count} {kind}" for kind, count in how.most_common())
    return [reading.study.name, sorts["Table"], sorts["Figure"], ways, missing]


def _verdicts(readings: Sequence[Reading]) -> list[list[object]]:
    """A head, and for every study with claims a row with the count of each verdict."""
    judged = [reading for reading in readings if reading.checks]
    every = list(dict.fromkeys(verdict for reading in judged for verdict in reading.verdicts))
    rows = [[each.study.name, *(each.verdicts.get(verdict, 0) for verdict in every)] for each in judged]
    return [["study", *every], *rows]


def _parameters(readings: Sequence[Reading]) -> dict[str, Collection[str]]:
    """The options of studies that take additional values."""
    found = {reading.study.name: getattr(reading.study.module, "PARAMETERS", ()) for reading in readings}
    return {name: options for name, options in found.items() if options}


def _four_digits(value: float) -> str:
    """A number with four digits, or with all digits of its integer part if it has more."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _main_picture(reading: Reading) -> tuple[str, str]:
    """Name and caption of a study's main picture: the one named by its package, or the first."""
    found = dict(report.pictures(reading.markdown))
    name = getattr(reading.study.module, "PICTURE", next(iter(found)))
    return name, found[name]


def _shown_picture(reading: Reading) -> str:
    name, caption = _main_picture(reading)
    return report.picture(f"{reading.study.name}/{name}", caption)
