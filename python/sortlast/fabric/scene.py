"""What a picture of a fabric under a pattern shows: names, places, cables, tables and flows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sortlast.fabric.layout import Layout


@dataclass(frozen=True)
class Scene:
    """A fabric with its tables and a pattern, ready to be drawn.

    Vertices are the hosts, then the switches; channels are numbered as in :class:`sortlast.fabric.Fabric`.

    ``title``: of the fabric; ``caption``: its parts in numbers; ``routing``: the engine, and why it was
    replaced; ``verdict``: in a sentence; ``free``: whether the pattern is contention-free.
    ``hosts``, ``switches``: their names. ``first``: the first channel of each switch. ``target``: the vertex
    that each channel leads to, -1 if there is no cable. ``cables``: pairs of channels, both directions.
    ``links``: those of them between switches, in the order of ``layout.links``. ``table``: (planes, switches,
    hosts), the port towards a host, 0 if there is none. ``placement``: the host of each participant, -1 for
    a dummy. ``flows``: of each stage an (F, 2) array of participants; None: those of a shift.
    ``stage_max``: most flows on a channel at each stage.
    """

    title: str
    caption: str
    routing: str
    verdict: str
    free: bool
    hosts: list[str]
    switches: list[str]
    first: list[int]
    target: NDArray[np.int32]
    cables: list[tuple[int, int]]
    links: list[tuple[int, int]]
    layout: Layout
    table: NDArray[np.uint16]
    placement: list[int]
    flows: list[NDArray[np.int32]] | None
    stage_max: list[int]
