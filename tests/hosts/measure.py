"""Prints how long a frame takes on separate hosts, and what it moves over their interfaces.

    python tests/hosts/measure.py direct-send shift radix-k:4,4

Algorithms take turns, ROUNDS each; times are medians over all frames. Needs what a testbed
needs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import frames
import hosts
import sortlast
from sortlast_testbed import why_not


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("algorithm", nargs="+", help="algorithm with its parameters")
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--ranks-per-host", type=int, default=2)
    parser.add_argument("--rate", type=float, default=100, help="rate of every link in Mbit/s")
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--height", type=int, default=512)
    parser.add_argument("--frames", type=int, default=5, help="frames a turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns an algorithm")
    parser.add_argument("--timeout", type=float, default=600.0, help="limit of the whole in seconds")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    each = options.ranks_per_host
    order = list(range(options.hosts * each))
    nodes = [rank // each for rank in order]
    try:
        if reason := why_not():
            raise sortlast.Error(reason)
        plans = [
            frames.planned(algorithm, nodes, order, options.width * options.height)
            for algorithm in options.algorithm
        ]
    except sortlast.Error as error:
        sys.exit(f"measure.py: {error}")

    size = {"width": options.width, "height": options.height, "frames": options.frames}
    with hosts.behind_switch(options.hosts, options.rate) as testbed:
        turns = options.algorithm * options.rounds
        job = frames.run(testbed, each, turns, order, **size, timeout=options.timeout)

    print(
        f"{len(order)} ranks on {options.hosts} hosts at {options.rate:g} Mbit/s,"
        f" {options.width}x{options.height} RGBA float32"
    )
    print("| algorithm | composite [ms] | gather [ms] | most bytes sent by a host [MB] | schedule [MB] |")
    print("|---|---|---|---|---|")
    for k, plan in enumerate(plans):
        print_row(plan, job.measured[k :: len(plans)])


def print_row(plan: list[frames.Traffic], turns: list[frames.Frames]) -> None:
    composite = statistics.median(seconds for turn in turns for seconds in turn.seconds)
    gather = statistics.median(turn.gather for turn in turns)
    counted = max(host.sent / len(turn.seconds) for turn in turns for host in turn.counted)
    promised = max(host.sent for host in plan)
    print(
        f"| {turns[0].algorithm} | {composite * 1e3:.0f} | {gather * 1e3:.0f}"
        f" | {counted / 1e6:.2f} | {promised / 1e6:.2f} |"
    )


if __name__ == "__main__":
    main()
