"""Figures 2 and 3: what the algorithms cost by section 4, and what our schedules cost.

The paper counts n in data items and prints beta = 0.53 ns, which is the time of a byte (1800 MB/s): a pixel
of 16 bytes takes 16 times as long.
"""

from __future__ import annotations

from sortlast import schedule
from sortlast.cost import Network, communication_time
from sortlast.study.document import Grid
from sortlast.study.shift_based.published import values
from sortlast.study.shift_based.table_1 import ALGORITHMS

COUNTS = tuple(2**k for k in range(1, 16))
_PRICED = (16, 64, 128)  # powers of two, of which binary swap has a closed form


def network() -> Network:
    """The network of Figures 2 and 3."""
    given = values()["network"]
    width, height = given["size"]
    pixel_bytes = given["pixel_bytes"]
    return Network(width * height, pixel_bytes, given["alpha"], 1 / given["beta"])


def walked() -> Grid:
    """The closed forms of Table 1 evaluated, beside the costs of our schedules step by step."""
    rows = []
    for name in ALGORITHMS:
        row = [name]
        for p in _PRICED:
            formula, ours = communication_time(name, p, network()), _price(name, p)
            row += [f"{1e3 * formula:.2f}", f"{1e3 * ours:.2f}", f"{ours / formula:.3f}"]
        rows.append(row)
    head = ["", *(f"{text}, p = {p}" for p in _PRICED for text in ("formula", "schedule", "ratio"))]
    return Grid("Milliseconds of communication for 4096x4096 pixels", head, rows)


def latency_share(p: int) -> float:
    """The part of shift's time in Figure 2 that is latency."""
    return network().alpha * (p - 1) / communication_time("shift", p, network())


def _price(name: str, p: int) -> float:
    given = network()
    made = schedule.make(name, p=p, n=given.n)
    return schedule.price(made, alpha=given.alpha, beta=given.beta, gamma=0.0).wait
