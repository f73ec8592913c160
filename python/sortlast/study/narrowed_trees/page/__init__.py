"""The page of the report, in which weights are set and Tables 4 and 5 follow.

What it computes is compared with :mod:`sortlast.study.narrowed_trees.performance` by the tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from sortlast.study import page
from sortlast.study.document import Document
from sortlast.study.narrowed_trees.cost import cost_per_node
from sortlast.study.narrowed_trees.networks import SETS
from sortlast.study.narrowed_trees.performance import COLLECTIVES, EQUAL, LONG_MESSAGES, Times, Weights
from sortlast.study.narrowed_trees.workloads import PATTERNS, size_name

_PRESETS = {
    "all 1 (Table 4)": EQUAL,
    "collectives (Table 5a)": COLLECTIVES,
    "100 KB alone (Table 5b)": LONG_MESSAGES,
}


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
    scripts = (
        f'<script type="application/json" id="data">{data}</script>\n'
        f'<script type="module">\n{_asset("page.js")}\n</script>'
    )
    return page.render(document, pictures, first=_asset("weigh.html"), last=scripts)


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
