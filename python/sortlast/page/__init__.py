"""A page that shows a fabric under a pattern: one HTML file that needs nothing else.

It holds the topology, the forwarding tables and the pattern, and computes the load of every link itself, so
that it can name the flows on each: the tables of 600 hosts are tens of kB, their loads over all stages of a
shift would be a MB, and their flows many. It asks no network for anything, and refuses to by its
Content-Security-Policy. What it computes is compared with :func:`sortlast.fabric.contention` by the tests.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast.fabric.scene import Scene

_SCRIPTS = ("model.js", "picture.js", "panel.js")


def render(scene: Scene) -> str:
    """The page, as the text of an HTML file."""
    # "<" as an escape: no name in the data can end the script that holds it.
    data = json.dumps(_data(scene), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "TITLE": html.escape(scene.title),
        "STYLE": _asset("page.css"),
        "DATA": data,
        "SCRIPT": "\n".join(_asset(name) for name in _SCRIPTS),
    }
    page = _asset("page.html")
    before, *rest = page.split("@")  # the template has no other use for this letter
    text = [before]
    for name, between in zip(rest[::2], rest[1::2], strict=True):
        text += [parts[name], between]
    return "".join(text)


def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _data(scene: Scene) -> dict[str, Any]:
    layout = scene.layout
    return {
        "title": scene.title,
        "caption": scene.caption,
        "routing": scene.routing,
        "verdict": scene.verdict,
        "free": scene.free,
        "hosts": scene.hosts,
        "switches": scene.switches,
        "first": scene.first,
        "target": _packed(scene.target.astype("<i4")),
        "pairs": scene.cables,
        "plane": None if scene.plane is None else _packed(scene.plane.astype("<u2")),
        "table": _packed(scene.table.astype("<u2")),
        "placement": scene.placement,
        "stageMax": scene.stage_max,
        "width": round(layout.width, 1),
        "height": round(layout.height, 1),
        "cell": round(layout.cell, 2),
        "hostPlaces": _rounded(layout.hosts),
        "switchPlaces": _rounded(layout.switches),
        "labels": [[text, round(x, 1), round(y, 1)] for text, x, y in layout.labels],
        "links": [[*pair, *line] for pair, line in zip(scene.links, _rounded(layout.links), strict=True)],
        **_pattern(scene),
    }


def _pattern(scene: Scene) -> dict[str, Any]:
    """The flows of all stages one after another, and where each stage starts; of a shift nothing."""
    if scene.flows is None:
        return {"flows": None}
    starts = np.cumsum([0, *(len(stage) for stage in scene.flows)])
    pairs = np.concatenate([np.empty((0, 2)), *scene.flows]).astype("<i4")
    return {"flows": _packed(pairs), "starts": starts.tolist()}


def _packed(values: NDArray[Any]) -> str:
    """Little-endian numbers, deflated, as base64."""
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode("ascii")


def _rounded(rows: Any) -> list[list[float]]:
    return [[round(float(value), 2) for value in row] for row in rows]
