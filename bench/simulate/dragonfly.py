"""Routings on dragonflies compared with BookSim2: accepted load and delay against offered load.

    python bench/simulate/dragonfly.py --booksim PATH [--p 2] [--loads 0.1,0.2,..] [--seeds 3]
                                       [--cells minimal:uniform,ugal:next-group] [--json FILE] [--draw FILE]

The network is BookSim's ``dragonflynew``: a = 2 p routers per group, h = p global links per router, all
g = a h + 1 groups, with the same wiring here. Both have packets of 16 flits (phits), and 256 flits for each
virtual channel. BookSim's links take 10 cycles within a group and 100 between groups, and so do its credits,
as in the distributed version; its routers delay a head by 3 cycles. UGAL compares the queue of the minimal
path with twice the queue of the other plus 30 flits, and chooses when a packet leaves its host.

Remaining differences: BookSim has 3 virtual channels for UGAL, sortlast has 4 (2 in both for minimal). In
BookSim a head advances when there is room for a flit, here when there is room for its whole packet. BookSim
draws destinations among all hosts, including the source. In both, packets are allocated lanes before ports
(``allocation="lane-first"``); ``together`` is the accepted load here if both are allocated at once.

Without ``--booksim`` there are only our own curves. ``accepted`` refers to the measured cycles; ``delay`` is
the mean over packets that arrived, None if there were none, and grows without bound if the load is not
accepted.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from peer_booksim import ROUTER, run_booksim, said_value

from sortlast import fabric, simulate

PHITS, FLITS_A_LANE, ROUTER_CYCLES, THRESHOLD = 16, 256, 3, 30
LOCAL_CYCLES, GLOBAL_CYCLES = 10, 100  # of BookSim's links
WARM_UP, MEASURED = 4000, 6000
LIMIT = 300  # seconds of a run of BookSim; its three channels for UGAL can deadlock
ROUTINGS = {"minimal": ("min", 2), "ugal": ("ugal", 3)}  # name and virtual channels in BookSim
TRAFFICS = {"uniform": "uniform", "next-group": "bad_dragon"}

Row = dict[str, Any]
Allocation = Literal["together", "lane-first"]


def ours(
    p: int, routing: str, traffic: str, load: float, seed: int, allocation: Allocation = "lane-first"
) -> dict[str, float | None]:
    """Accepted load, in flits per cycle and host, and the mean delay."""
    net = fabric.dragonfly(p, 2 * p, p, 2 * p * p + 1)
    found = simulate.load(
        net,
        load,
        "uniform" if traffic == "uniform" else "next-group",
        routing=routing,
        ugal_threshold=THRESHOLD,
        seed=seed,
        packet_phits=PHITS,
        switch_cycles=ROUTER_CYCLES,
        buffer_packets=FLITS_A_LANE // PHITS,
        link_cycles=LOCAL_CYCLES - 1,
        global_cycles=GLOBAL_CYCLES - 1,
        allocation=allocation,
        warm_up=WARM_UP,
        measured=MEASURED,
        drain=4 * MEASURED,
        arbitration="round-robin",
    )
    return {"accepted": found.accepted, "delay": found.mean_delay}


def booksim(
    executable: Path, p: int, routing: str, traffic: str, load: float, seed: int
) -> dict[str, float | None]:
    """The same for BookSim2. Raises RuntimeError if it prints nothing, TimeoutError if it does not end."""
    name, channels = ROUTINGS[routing]
    settings: dict[str, object] = {
        **ROUTER,
        "topology": "dragonflynew",
        "k": p,
        "n": 1,
        "routing_function": name,
        "num_vcs": channels,
        "vc_buf_size": FLITS_A_LANE,
        "traffic": TRAFFICS[traffic],
        "injection_rate": load,
        "injection_rate_uses_flits": 1,
        "sim_type": "throughput",
        "warmup_periods": WARM_UP // 1000,
        "sample_period": 1000,
        "seed": seed,
    }
    said = run_booksim(executable, settings, LIMIT)
    return {
        "accepted": said_value(said, "Accepted flit rate average"),
        "delay": said_value(said, "Packet latency average"),
    }


def mean(runs: list[dict[str, float | None]]) -> dict[str, float | None]:
    """Mean over the seeds, ignoring unknown delays."""
    told: dict[str, float | None] = {}
    for key in runs[0]:
        known = [value for each in runs if (value := each[key]) is not None]
        told[key] = fmean(known) if known else None
    return told


def measure(options: argparse.Namespace, routing: str, traffic: str, load: float) -> Row:
    """One load of a curve, in both simulators; prints its line."""
    seeds = range(1, options.seeds + 1)
    row: Row = {"routing": routing, "traffic": traffic, "load": load}
    row["sortlast"] = mean([ours(options.p, routing, traffic, load, seed) for seed in seeds])
    row["together"] = mean([ours(options.p, routing, traffic, load, seed, "together") for seed in seeds])
    line = f"{routing} {traffic} {load:.2f}: {told(row['sortlast'])} (together {told(row['together'])})"
    if options.booksim:
        try:
            row["booksim"] = mean(
                [booksim(options.booksim, options.p, routing, traffic, load, seed) for seed in seeds]
            )
            apart = row["sortlast"]["accepted"] / row["booksim"]["accepted"] - 1
            line += f"; BookSim2 {told(row['booksim'])}: {apart:+.1%}"
        except TimeoutError as error:
            line += f"; {error}"
    print(line, flush=True)
    return row


def told(values: dict[str, float | None]) -> str:
    """Accepted load and delay."""
    delay = "none" if values["delay"] is None else f"{values['delay']:.0f}"
    return f"{values['accepted']:.4f} arrive, delay {delay}"


def main() -> None:
    """Run all cells, print lines, write JSON and the picture."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--booksim", type=Path)
    parser.add_argument("--p", type=int, default=2)
    parser.add_argument("--loads", default="0.1,0.2,0.3,0.4,0.5,0.6,0.7,1")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cells", default=",".join(f"{r}:{t}" for r in ROUTINGS for t in TRAFFICS))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--draw", type=Path)
    options = parser.parse_args()
    if not options.booksim:
        print("without BookSim2, as there is no --booksim PATH of its executable", flush=True)

    rows = [
        measure(options, *cell.split(":"), float(load))
        for cell in options.cells.split(",")
        for load in options.loads.split(",")
    ]
    if options.json:
        settings = {"p": options.p, "phits": PHITS, "flits_a_lane": FLITS_A_LANE, "seeds": options.seeds}
        options.json.write_text(json.dumps({"settings": settings, "rows": rows}, indent=1) + "\n")
    if options.draw:
        from sortlast import plot
        from sortlast.plot.simulate import loads

        points = []
        for row in rows:
            for who in ("sortlast", "booksim"):
                if who in row:
                    name = f"{row['routing']} {row['traffic']}, {who}"
                    points.append((name, row["load"], row[who]["accepted"], row[who]["delay"]))
        plot.save(loads(points, f"dragonfly with p = {options.p}"), options.draw)


if __name__ == "__main__":
    main()
