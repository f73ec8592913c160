"""Figure 7: 4 to 96 processes on a switch, as flows and packet by packet, and on several crossbars.

A model of Eureka, the paper's cluster: links of 10 Gbit/s, the published rate of Myrinet's generation of that
time; the paper only says "a Myrinet switching fabric" of 100 nodes. Calibrated to one figure: the rate of
blending, such that 4 processes take 0.06 s.

A Myrinet switch is a Clos network of crossbars with 16 or, later, 32 ports: each crossbar on the first level
has half of its ports for nodes and half for the crossbars of the second level. The sender writes the whole
route into a packet, and all packets between two nodes take the same route. The model therefore draws one of
the shortest routes for each pair; the paper does not say how Eureka chose its routes. Nodes are taken in the
order of the crossbars.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from threading import Lock

import numpy as np

from sortlast import fabric, simulate
from sortlast.fabric import Routes
from sortlast.schedule import Schedule
from sortlast_studies.radix_k.vectors import PUBLISHED, pixels, prime_factors, radix_k, text
from sortlast_studies.steps import Json, PartDone, Step, in_turn

LINK = 1e9 * PUBLISHED.value("Machines", "switch", "link")  # [byte/s]
BLEND = 630e6  # bytes of fragments that a node blends onto others [byte/s]; calibrated
GROUPS = ("multiples of 4", "multiples of 3", "multiples of 5", "others")
CROSSBARS = (16, 32)  # ports per crossbar of a Clos network
_HOSTS = 128  # in the networks of crossbars; the paper's cluster has 100
_PACKET_BYTES, _PACKET_PHITS = 4096, 1024
_QUICK = (4, 5, 6, 7, 8, 9, 10, 12, 13, 15, 16)

_routing = Lock()


def steps(quick: bool) -> list[Step]:
    """The steps, one per number of processes."""
    first, last = map(int, PUBLISHED.rows("Figure 7, multiples of 4"))
    return [count(p) for p in (_QUICK if quick else range(first, last + 1))]


def count(p: int) -> Step:
    """For one number of processes: the k vector, and seconds by flows, by packets, and on crossbars."""

    def compute(part_done: PartDone) -> Json:
        k = prime_factors(p)
        made = radix_k(p, pixels("Figure 7"), k)
        flows = simulate.flow(
            fabric.crossbar(p),
            simulate.frame_traffic(made, blend_bytes_per_second=BLEND),
            link_bytes_per_second=LINK,
            sends_at_once=0,
        )
        networks = {"packets": fabric.route(fabric.crossbar(p), "minhop")}
        networks |= {column(ports): clos(ports) for ports in CROSSBARS}
        found = {
            name: seconds(made, done, routes) for (name, routes), done in in_turn(networks.items(), part_done)
        }
        return {"k": text(k), "flows": flows.seconds, **found}

    return Step(f"figure-7/p{p}", compute, work=150 * p)


def column(ports: int) -> str:
    """The column for packets on crossbars with ``ports`` ports."""
    return f"{ports}-port crossbars"


def clos(ports: int) -> Routes:
    """Two levels of crossbars with a fixed route for each pair of nodes; shared by threads."""
    with _routing:
        return _clos(ports)


@lru_cache
def _clos(ports: int) -> Routes:
    half = ports // 2
    # With as many planes of routes as a crossbar has nodes, each node has its own route to a destination.
    planes = half.bit_length() - 1
    return fabric.route(fabric.pgft([half, _HOSTS // half], [1, half], [1, 1]), "random", lmc=planes)


def seconds(schedule: Schedule, part_done: PartDone | None = None, routes: Routes | None = None) -> float:
    """Simulate a frame by packets, on one switch or other routes."""
    return simulate.packet(
        routes or fabric.route(fabric.crossbar(schedule.p), "minhop"),
        simulate.frame_traffic(schedule, blend_bytes_per_second=BLEND),
        packet_bytes=_PACKET_BYTES,
        packet_phits=_PACKET_PHITS,
        link_bytes_per_second=LINK,
        progress=part_done,
    ).seconds


def group(p: int) -> str:
    """The category of section 4.4: divisible by 4, otherwise by 3, otherwise by 5, or others."""
    return next((f"multiples of {k}" for k in (4, 3, 5) if p % k == 0), "others")


def line(times: Mapping[int, float], which: str) -> tuple[float, float]:
    """The best-fit line of a category to times over numbers of processes: intercept and slope."""
    own = [p for p in times if group(p) == which]
    slope, start = np.polyfit(own, [times[p] for p in own], 1)
    return float(start), float(slope)


def on_line(times: Mapping[int, float], which: str, p: int) -> float:
    """The value of a category's line at a number of processes."""
    start, slope = line(times, which)
    return start + slope * p
