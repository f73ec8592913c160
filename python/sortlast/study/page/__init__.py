"""A report as one HTML file that needs nothing else.

It asks no network for anything, and refuses to by its Content-Security-Policy.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping
from importlib.resources import files

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph, Picture

_VERDICTS = frozenset({"confirmed", "refuted", "undecided"})


def render(document: Document, pictures: Mapping[str, str], *, first: str = "", last: str = "") -> str:
    """The page, as the text of an HTML file.

    Args:
        document: the report.
        pictures: SVG text by the name of each picture of the report.
        first: HTML between the title and the report.
        last: HTML behind the report.
    """
    parts = {
        "TITLE": html.escape(document.title),
        "STYLE": _asset("page.css"),
        "FIRST": first,
        "BODY": "\n".join(_block(block, pictures) for block in document.blocks),
        "LAST": last,
    }
    before, *rest = _asset("page.html").split("@")  # the template has no other use for this letter
    text = [before]
    for name, between in zip(rest[::2], rest[1::2], strict=True):
        text += [parts[name], between]
    return "".join(text)


def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _block(block: Block, pictures: Mapping[str, str]) -> str:
    if isinstance(block, Heading):
        return f"<h2>{html.escape(block.text)}</h2>"
    if isinstance(block, Paragraph):
        return f"<p>{html.escape(block.text)}</p>"
    if isinstance(block, Picture):
        encoded = base64.b64encode(pictures[block.name].encode()).decode("ascii")
        caption = html.escape(block.caption)
        return (
            f'<figure><img src="data:image/svg+xml;base64,{encoded}" alt="{caption}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return _grid(block)


def _grid(grid: Grid) -> str:
    head = "".join(
        f'<th scope="col"{_kind(grid, k, "")}>{html.escape(t)}</th>' for k, t in enumerate(grid.head)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{_kind(grid, k, text)}>{html.escape(text)}</td>" for k, text in enumerate(row))
        + "</tr>"
        for row in grid.rows
    )
    return (
        f'<div class="wide"><table><caption>{html.escape(grid.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _kind(grid: Grid, column: int, text: str) -> str:
    """The class of a cell: a number, or a verdict."""
    name = "number" if column >= grid.first_number else text if text in _VERDICTS else ""
    return f' class="{name}"' if name else ""
