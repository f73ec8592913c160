"""Frames of all algorithms on the 12-ary 2-tree: contention, flows and packets against measured frame rates.

    python bench/simulate/frames.py [--packets] [--large] [--json FILE]

``--packets`` also simulates the same frames packet by packet, with packets of 2 KB (minutes). ``--large``
adds 65,536 hosts: a stage of a shift and a frame of radix-k, with their time and memory (minutes, 3 GB).

Images are 4096 x 2048 x 16 bytes, links 1827 MB/s, a stage costs 113 us, stages run one at a time, as in the
runs of shift that Cavin and Demengeon measured (2012, section 4).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
from pathlib import Path
from typing import Any

from sortlast import fabric, schedule, simulate

PIXELS = 4096 * 2048
LINK = 1827e6
STAGE = 113e-6
BLEND = 5e9
ALGORITHMS = [
    "shift",
    "direct-send",
    "radix-k",
    "binary-swap",
    "2-3-swap",
    "parallel-pipeline",
]
# Frames per second on 4x DDR InfiniBand.
MEASURED = {
    (12, "shift", "routing"): 14.5,
    (12, "direct-send", "routing"): 6.4,
    (64, "shift", "routing"): 8.0,
    (64, "direct-send", "routing"): 5.2,
    (144, "shift", "routing"): 11.5,
    (144, "shift", "random"): 6.5,
    (144, "direct-send", "routing"): 4.7,
    (144, "direct-send", "random"): 4.7,
}


def hosts_of(p: int, order: str) -> list[int]:
    """The first hosts of the tree, in order or not; for the random order, any p of them."""
    hosts = list(range(144))
    if order == "random":
        random.Random(1).shuffle(hosts)
    return hosts[:p]


def cell(routes: fabric.Routes, p: int, name: str, order: str, packets: bool) -> dict[str, Any]:
    """Frame rates of one algorithm on p hosts."""
    made = schedule.make(name, p=p, n=PIXELS)
    hosts = hosts_of(p, order)
    time = fabric.pattern_time(
        routes, made, hosts, link_bytes_per_second=LINK, stage_seconds=STAGE, pixel_bytes=16
    )
    stages = {"blend_bytes_per_second": BLEND, "stage_seconds": STAGE, "window": 1}
    frame = simulate.frame(routes, made, placement=hosts, link_bytes_per_second=LINK, **stages)
    row = {
        "p": p,
        "algorithm": made.name,
        "order": order,
        "contention": 1 / time.synchronised,
        "flow": frame.frames_per_second,
        "hidden": frame.hidden,
        "seconds": frame.elapsed,
        "measured": MEASURED.get((p, name, order)),
    }
    if packets:
        run = simulate.packet(
            routes,
            simulate.frame_traffic(made, **stages),
            placement=hosts,
            packet_bytes=2048,
            link_bytes_per_second=LINK,
        )
        row |= {"packet": 1 / run.seconds, "packet_seconds": run.elapsed}
    return row


def large() -> list[dict[str, Any]]:
    """A stage of a shift and a frame of radix-k with first messages of 1 MiB, on a 16-ary 4-tree."""
    routes = fabric.route(fabric.k_ary_n_tree(16, 4), "d-mod-k")
    p = 65536
    rows = []

    def add(what: str, run: simulate.FlowResult) -> None:
        rows.append(
            {
                "what": what,
                "simulated_ms": run.seconds * 1e3,
                "messages": run.messages,
                "seconds": run.elapsed,
                "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )

    add("shift, stage 1, 1 MiB", simulate.flow(routes, simulate.shift(p, 2**20, 1, 2)))
    shuffled = list(range(p))
    random.Random(1).shuffle(shuffled)
    add("the same in random order", simulate.flow(routes, simulate.shift(p, 2**20, 1, 2), placement=shuffled))
    made = schedule.make("radix-k:16,16,16,16", p=p, n=2**20)
    add("radix-k:16,16,16,16", simulate.frame(routes, made, window=0, message_log=False))
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    for name in rows[0]:
        print(f"{name:>24}" if name == "what" else f"{name:>18}", end="")
    print()
    for row in rows:
        for name, value in row.items():
            text = "-" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
            print(f"{text:>24}" if name == "what" else f"{text:>18}", end="")
        print(flush=True)


def main() -> None:
    """Simulate, print tables, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--packets", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()

    routes = fabric.route(fabric.k_ary_n_tree(12, 2), "d-mod-k")
    rows = [
        cell(routes, p, name, order, asked.packets)
        for p in (12, 64, 128, 144)
        for name in ALGORITHMS
        for order in ("routing", "random")
        if name != "binary-swap" or p & (p - 1) == 0
    ]
    show(rows)
    result = {"frames": rows}
    if asked.large:
        result["large"] = large()
        show(result["large"])
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
