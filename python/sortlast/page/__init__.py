"""A page that shows a fabric under a pattern: one self-contained HTML file.

It contains the topology, the forwarding tables and the pattern, and computes the load of every link in the
browser, so that it can list the flows on each: the tables of 600 hosts take tens of kB, whereas their loads
over all stages of a shift would take a MB, and the flows much more. It makes no network requests, and its
Content-Security-Policy forbids them. Tests compare its results with :func:`sortlast.fabric.contention`.

Tables that do not compress well (random routes of 10,000 hosts) and patterns of millions of flows are left
out: the page then contains the loads of one stage, and lists no flows.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast.fabric.analysis import repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast._fabric import Contention
    from sortlast.fabric.layout import Slot
    from sortlast.fabric.scene import Scene

_SCRIPTS = ("model.js", "fitting.js", "picture.js", "details.js", "panel.js")
_MOST_FLOWS = 2_000_000  # max flows listed, over all stages
_MOST_PLANES = 4_000_000  # max pairs of hosts with a listed plane
_MOST_PACKED = 3_500_000  # max characters of tables and flows


def render(scene: Scene, stage: int | None = None) -> str:
    """The page, as the text of an HTML file. It opens at ``stage``, from 1; by default at the worst stage."""
    # Escape "<", so that no name in the data can end the enclosing script.
    data = json.dumps(_data(scene, stage), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return Template(_asset("page.html")).substitute(
        title=html.escape(scene.title),
        style=_asset("page.css"),
        data=data,
        script="\n".join(_asset(name) for name in _SCRIPTS),
    )


def _asset(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _data(scene: Scene, stage: int | None) -> dict[str, Any]:
    layout, found = scene.layout, scene.found
    hosts = len(found.routes.topology.hosts)
    number = found.worst_stage + 1 if stage is None else stage
    return {
        "title": scene.title,
        "caption": scene.caption,
        "made": scene.made,
        "command": scene.command,
        "note": scene.note,
        "verdict": scene.verdict,
        "free": found.contention_free,
        "stage": number,
        "worst": found.worst_stage + 1,
        "hosts": scene.names[:hosts],
        "switches": scene.names[hosts:],
        "first": scene.first.tolist(),
        "target": _packed(scene.target.astype("<i4")),
        "back": _packed(scene.back.astype("<i4")),
        "placement": found.placement,
        "stageMax": found.stage_max.tolist(),
        "repeats": repeats(found),
        "width": round(layout.width, 1),
        "height": round(layout.height, 1),
        "thin": round(layout.thin(), 2),
        "whole": scene.groups.whole,
        "box": _packed(scene.box.astype("<i4")),
        "square": _packed(scene.groups.square_of.astype("<i4")),
        "part": _packed(scene.part.astype("<i4")),
        "squarePart": scene.square_part,
        "parts": scene.parts,
        "squares": _rounded(layout.hosts),
        "boxes": _rounded(layout.switches),
        "slots": [_slot(slot) for slot in layout.slots],
        "lines": [_rounded(line) for line in layout.links],
        **(_model(found) or _one_stage(found, number)),
    }


def _slot(slot: Slot) -> dict[str, Any]:
    options = {"upright": slot.upright, "faint": slot.faint}
    return {
        "texts": slot.texts,
        "room": _rounded([slot.box])[0],
        "align": slot.align,
        "group": slot.group,
        **{name: True for name, value in options.items() if value},
    }


def _model(found: Contention) -> dict[str, Any] | None:
    """Tables and flows, from which the page computes every stage; None if they are too large for a page."""
    routes, pattern = found.routes, found.pattern
    hosts = len(routes.topology.hosts)
    if routes.planes > 1 and hosts * hosts > _MOST_PLANES:
        return None
    if not pattern.is_shift and found.flows * found.stages > _MOST_FLOWS * max(1, found.steps):
        return None
    table = np.stack([routes.table(plane)[:, :hosts] for plane in range(routes.planes)])
    kind = "<u1" if table.max(initial=0) < 256 else "<u2"
    data = {
        "table": _packed(np.maximum(table, 0).astype(kind)),
        "wide": kind == "<u2",
        "plane": None if routes.planes == 1 else _packed(_planes(found, hosts)),
        **_pattern(found),
    }
    return (
        data if sum(len(value) for value in data.values() if isinstance(value, str)) <= _MOST_PACKED else None
    )


def _planes(found: Contention, hosts: int) -> NDArray[np.uint16]:
    plane = found.routes.plane
    return np.array([[plane(a, b) for b in range(hosts)] for a in range(hosts)], "<u2")


def _pattern(found: Contention) -> dict[str, Any]:
    """The flows of all stages one after another, and where each stage starts; nothing for a shift."""
    if found.pattern.is_shift:
        return {"flows": None}
    flows = [found.pattern.flows(stage)[:, :2] for stage in range(found.stages)]
    starts = np.cumsum([0, *(len(stage) for stage in flows)])
    pairs = np.concatenate([np.empty((0, 2)), *flows]).astype("<i4")
    return {"flows": _packed(pairs), "starts": starts.tolist()}


def _one_stage(found: Contention, number: int) -> dict[str, Any]:
    """The loads of one stage, for a page that does not compute them."""
    loads = found.loads(number - 1)
    return {
        "loads": _packed(loads.astype("<i4")),
        "share": float(found.stage_share[number - 1]),
        "flowsOfStage": int(loads[: len(found.routes.topology.hosts)].sum()),  # each leaves one host
        "flows": None,
    }


def _packed(values: NDArray[Any]) -> str:
    """Little-endian numbers, deflated, as base64."""
    return base64.b64encode(zlib.compress(values.tobytes(), 9)).decode("ascii")


def _rounded(rows: Any) -> list[list[float]]:
    return [[round(float(value), 1) for value in row] for row in rows]
