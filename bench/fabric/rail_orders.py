"""Cost of alphabetical order for a job on machines with eight adapters.

The fabric is artificial: adapter r of every machine is on one of the leaf switches of rail r, with sixteen
machines per leaf in order of installation, and each leaf has half as many cables up as machines. Names follow
another order, as after machines were moved or in a cloud. Two jobs, on 16 and on 128 of the 128 machines with
eight ranks each, do an all-reduce by rings, one on each rail, and an all-to-all through the rails.

    python bench/fabric/rail_orders.py
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from sortlast import fabric
from sortlast.fabric import Contention, Pattern, Placement, Routes, Topology

RAILS, LEAF = 8, 16
RANK_BYTES = 10**9
PATTERNS = {"ring": "tensor=8:none,data={}:ring", "all-to-all": "rail:8"}


def topology(machines: int, seed: int = 1) -> Topology:
    """A fabric of that many machines (a multiple of 16), with links of 400 Gbit/s."""
    numbers = random.Random(seed).sample(range(1, machines + 1), machines)
    net = fabric.pgft([LEAF, RAILS * machines // LEAF], [1, LEAF // 2], [1, 1])
    names = {}
    for number, host in enumerate(net.hosts):
        rail, machine = divmod(number, machines)
        names[host.guid] = f"gpu{numbers[machine]:03d} HCA-{rail + 1}"
    text = fabric.write_ibnetdiscover(fabric.assign_lids(net.with_names(names)))
    rated = (line + " 4xNDR" if line.startswith("[") else line for line in text.splitlines())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{machines}-machines.ibnetdiscover"
        path.write_text("\n".join(rated))
        return fabric.read(path)


def job(net: Topology, machines: int, seed: int = 1) -> Placement:
    """Eight ranks on each of some randomly chosen machines, with machines in alphabetical order."""
    names = sorted({host.name.split()[0] for host in net.hosts})
    return fabric.placement(net, sorted(random.Random(seed).sample(names, machines)), rail="all")


def pattern(what: str, ranks: int) -> Pattern:
    """The ring on every rail, or the all-to-all, of that many ranks."""
    return fabric.pattern(PATTERNS[what].format(ranks // RAILS), ranks, rank_bytes=RANK_BYTES)


def random_time(routes: Routes, placed: Placement, made: Pattern, orders: int = 20) -> float:
    """Mean seconds over random orders of the machines."""
    each = (
        fabric.contention(routes, made, fabric.order_nodes(routes.topology, placed, "random", seed))
        for seed in range(1, orders + 1)
    )
    return sum(fabric.contended_time(found, 0).seconds for found in each) / orders


def row(what: str, machines: int, before: Contention, average: float, best: fabric.NodeOrder) -> str:
    """A line of the table."""
    listed, after = fabric.contended_time(before, 0), fabric.contended_time(best.contention, 0)
    return (
        f"| {what} | {machines} | {before.max_flows} | {1e3 * listed.seconds:.2f} | {1e3 * average:.2f} |"
        f" {best.contention.max_flows} | {1e3 * after.seconds:.2f} | {1e3 * after.bound:.2f} |"
        f" {1 - after.seconds / listed.seconds:.1%} | {best.how} |"
    )


def main() -> None:
    net = topology(128)
    routes = fabric.route(net, "ftree")
    columns = ("pattern", "machines", "flows", "ms, alphabetical", "ms, random", "flows", "ms, best", "bound")
    print("| " + " | ".join([*columns, "lost", "how"]) + " |")
    print("|" + 10 * "---|")
    for machines in (16, 128):
        placed = job(net, machines)
        for what in PATTERNS:
            print(f"{what} of {machines} machines ...", end="\r", file=sys.stderr, flush=True)
            before = fabric.contention(routes, pattern(what, len(placed)), placed)
            average = random_time(routes, placed, pattern(what, len(placed)))
            best = fabric.best_node_order(routes, placed, lambda ranks, what=what: pattern(what, ranks))
            print(row(what, machines, before, average, best), flush=True)


if __name__ == "__main__":
    main()
