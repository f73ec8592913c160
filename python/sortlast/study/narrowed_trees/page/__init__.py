"""The report as one HTML file that needs nothing else, in which weights are set and Tables 4 and 5 follow.

It asks no network for anything, and refuses to by its Content-Security-Policy. What it computes is compared
with :mod:`sortlast.study.narrowed_trees.performance` by the tests.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph, Picture
from sortlast.study.narrowed_trees.cost import cost_per_node
from sortlast.study.narrowed_trees.networks import SETS
from sortlast.study.narrowed_trees.performance import COLLECTIVES, EQUAL, LONG_MESSAGES, Times, Weights
from sortlast.study.narrowed_trees.workloads import PATTERNS, size_name

_PRESETS = {
    "all 1 (Table 4)": EQUAL,
    "collectives (Table 5a)": COLLECTIVES,
    "100 KB alone (Table 5b)": LONG_MESSAGES,
}
_CLASSES = {"confirmed": "confirmed", "refuted": "refuted", "undecided": "undecided"}


def render(document: Document, times: Times, pictures: Mapping[str, str], weights: Weights = EQUAL) -> str:
    """The page, as the text of an HTML file.

    Args:
        document: the report.
        times: from which the page computes.
        pictures: SVG text by the name of each picture of the report.
        weights: with which the page opens.
    """
    # "<" as an escape: no text in the data can end the script that holds it.
    data = json.dumps(_data(times, weights), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "TITLE": html.escape(document.title),
        "STYLE": _asset("page.css"),
        "BODY": "\n".join(_block(block, pictures) for block in document.blocks),
        "DATA": data,
        "SCRIPT": _asset("page.js"),
    }
    before, *rest = _asset("page.html").split("@")  # the template has no other use for this letter
    text = [before]
    for name, between in zip(rest[::2], rest[1::2], strict=True):
        text += [parts[name], between]
    return "".join(text)


def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _data(times: Times, weights: Weights) -> dict[str, Any]:
    presets = {"your own, as the page was made": weights} if weights != EQUAL else {}
    return {
        "patterns": list(PATTERNS),
        "sizes": [[size, size_name(size)] for size in times.sizes],
        "sets": [_set(times, which) for which in SETS],
        "presets": {
            name: {
                "pattern": [each.pattern.get(pattern, 1.0) for pattern in PATTERNS],
                "size": [each.size.get(size, 1.0) for size in times.sizes],
            }
            for name, each in {**presets, **_PRESETS}.items()
        },
    }


def _set(times: Times, which: str) -> dict[str, Any]:
    counts = ("CN",) if which == "a" else ("CN", "U")
    return {
        "name": "Same size" if which == "a" else "Same radix",
        "counts": counts,
        "networks": [
            {
                "name": net.name,
                "cost": [cost_per_node(net, count) for count in counts],
                "times": times.block(which, net).tolist(),
            }
            for net in SETS[which]
        ],
    }


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
    name = "number" if column >= grid.first_number else _CLASSES.get(text, "")
    return f' class="{name}"' if name else ""
