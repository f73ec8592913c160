"""Table 1 and Figures 2 and 3: what the algorithms cost by section 4, and what our schedules cost.

The paper counts n in data items and prints beta = 0.53 ns, which is the time of a byte (1800 MB/s): a pixel
of 16 bytes takes 16 times as long.
"""

from __future__ import annotations

from sortlast import schedule
from sortlast.plot.cost import Network, communication_time
from sortlast.study.document import Grid
from sortlast.study.shift_based.published import values

ALGORITHMS = ("direct-send", "binary-swap", "2-3-swap", "radix-k", "parallel-pipeline", "shift")
COUNTS = tuple(2**k for k in range(1, 16))
_PRICED = (16, 64, 128)  # powers of two, of which binary swap has a closed form


def network() -> Network:
    """The network of Figures 2 and 3."""
    given = values()["network"]
    width, height = given["size"]
    pixel_bytes = given["pixel_bytes"]
    return Network(width * height, pixel_bytes, given["alpha"], 1 / given["beta"])


def equal_rows() -> int:
    """Rows of Table 1 whose three entries are those of our algorithms."""
    return sum(_ours(name) == values()["table_1"][name] for name in ALGORITHMS)


def table_1() -> Grid:
    """Table 1: the published terms, and ours where they differ."""
    rows = []
    for name in ALGORITHMS:
        published = values()["table_1"][name]
        rows.append([name, *published, "equal" if _ours(name) == published else ", ".join(_ours(name))])
    head = ["", "latency, published", "transfer, published", "overlap, published", "ours"]
    return Grid("Table 1. Communication and computation costs", head, rows, first_number=5)


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


def _ours(name: str) -> list[str]:
    entry = next(entry for entry in schedule.algorithms() if entry.name == name)
    return [entry.latency, entry.transfer, entry.overlap]


def _price(name: str, p: int) -> float:
    given = network()
    made = schedule.make(name, p=p, n=given.n)
    return schedule.price(made, alpha=given.alpha, beta=given.beta, gamma=0.0).wait
