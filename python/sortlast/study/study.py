"""A study as a value: what it runs, what it reports, and what of its paper it reproduces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sortlast.study.document import Document
from sortlast.study.page import render
from sortlast.study.steps import Json, Step

Results = Mapping[str, Json]  # of the steps, by name
How = Literal["computed", "measured", "simulated", "drawn", "not reproduced"]


@dataclass(frozen=True)
class Reproduced:
    """One numbered table or figure of the paper, for the overview of all studies.

    Attributes:
        item: as the paper numbers it: ``Table 2a``, ``Figure 6``.
        about: what it shows, in a few words.
        how: how ours came about; several for an item with several parts.
        near: how near ours is to the published one, with the figure.
        why: why it differs or is missing; empty where nothing needs a reason.
    """

    item: str
    about: str
    how: Sequence[How]
    near: str
    why: str = ""


def _plain_page(document: Document, results: Results, pictures: Mapping[str, str]) -> str:
    return render(document, pictures)


@dataclass(frozen=True)
class Study:
    """The tables and figures of one paper.

    Attributes:
        name: as the command line knows it.
        summary: one sentence for the help, with the paper.
        steps: what is run, by whether it shall be quick; their names and settings tell quick and whole apart.
        settings: what all steps share beside the version of the package, such as a seed.
        report: the report on the results of all steps (True: of the quick ones). It draws its pictures into
            the folder, PNG and SVG files under the names in the document, and writes nothing else.
        reproduced: every numbered table and figure of the paper, from the same results.
        page: the report as HTML, from the report, the results and SVG text by the name of each picture.
    """

    name: str
    summary: str
    steps: Callable[[bool], Sequence[Step]]
    settings: Mapping[str, Json]
    report: Callable[[Results, bool, Path], Document]
    reproduced: Callable[[Results, bool], Sequence[Reproduced]]
    page: Callable[[Document, Results, Mapping[str, str]], str] = _plain_page
