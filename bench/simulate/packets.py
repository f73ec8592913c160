"""The packet simulator compared with FSIN and BookSim2 if available: cycles, packet hops per second, memory.

    python bench/simulate/packets.py [--sizes 10,1000] [--networks 8:8,8:4] [--patterns BU,2M] [--seeds 10]
                                     [--fsin PATH] [--fsin-seeds 1] [--booksim PATH] [--batch-seeds 3]
                                     [--json FILE]

First the patterns of Navaridas et al. (``--patterns ""``: none). ``--fsin`` is the executable of an installed
FSIN that counts the packets of each router. It runs the same traffic from a trace, with the first seeds, and
ties between ports with equally many credits are broken by FSIN's rule. Its cycles have to agree within 5 %
before the times are compared.

Then uniform random traffic, which BookSim2 (``--booksim``: its executable) supports as well: as a batch
through all available simulators (``--batch-seeds 0``: none), and as packets that begin at random times, with
latency and accepted load against offered load.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import mean, pstdev

import batches
import open_loop
import peer_booksim
from peer_fsin import fsin

from sortlast import fabric, simulate

RANKS = 4096
PATTERNS = ["BT", "2M", "3M", "BU", "2W", "3W", "WF"]
SEED = 17
LOADS = {"8-ary 3-tree": [0.01, 0.2, 0.4, 1], "16x16 mesh": [0.01, 0.05, 0.1, 1]}  # 1: saturation


def ours(up: int, traffic: simulate.Traffic, seeds: int, ties: str) -> dict[str, float]:
    """Mean and spread of the cycles over the seeds, and the speed of the fastest run."""
    topology = fabric.thin_tree(8, up, 4)
    runs, seconds = [], []
    for s in range(seeds):
        before = time.process_time()
        runs.append(simulate.packet(topology, traffic, seed=SEED + s, ties=ties))
        seconds.append(time.process_time() - before)
    return {
        "cycles": mean(run.cycles for run in runs),
        "deviation": pstdev(run.cycles for run in runs),
        "hops_per_second": runs[0].packet_hops / min(seconds),
        "seconds": min(seconds),
        "megabytes": runs[0].bytes_used / 1e6,
    }


def beside_fsin(executable: Path, up: int, traffic: simulate.Traffic, seeds: int) -> dict[str, float]:
    """The same for FSIN, with the seconds of its fastest run."""
    runs = [fsin(executable, (8, up, 4), traffic, SEED + s) for s in range(seeds)]
    return {
        "cycles": mean(run["cycles"] for run in runs),
        "deviation": pstdev(run["cycles"] for run in runs),
        "seconds": min(run["seconds"] for run in runs),
        "megabytes": max(run["megabytes"] for run in runs),
    }


def cell(network: str, size: int, name: str, options: argparse.Namespace) -> dict[str, object]:
    """One pattern on one tree; prints its line."""
    up = int(network.split(":")[1])
    traffic = simulate.pattern(name, RANKS, size)
    own = ours(up, traffic, options.seeds, "fsin" if options.fsin else "uniform")
    row: dict[str, object] = {"network": network, "pattern": name, "size": size, **own}
    line = (
        f"{network},4-thin-tree {name} {size:>6} B: {own['cycles']:10.1f} +- {own['deviation']:6.1f} "
        f"cycles, {own['hops_per_second'] / 1e6:5.1f} M hops/s, {own['megabytes']:5.1f} MB"
    )
    if options.fsin:
        peer = beside_fsin(options.fsin, up, traffic, options.fsin_seeds)
        row["fsin"] = peer
        agrees = abs(own["cycles"] / peer["cycles"] - 1) <= 0.05
        line += f"; FSIN {peer['cycles']:.1f} +- {peer['deviation']:.1f} cycles, " + (
            f"{peer['seconds'] / own['seconds']:.0f} times as long, {peer['megabytes']:.0f} MB"
            if agrees
            else "which do not agree within 5 %: not timed"
        )
    print(line, flush=True)
    return row


def loads(booksim: Path) -> list[dict[str, object]]:
    """Latency and accepted load against offered load, compared with BookSim; prints one line each."""
    rows: list[dict[str, object]] = []
    for network, _ in batches.BATCHES:
        for load in LOADS.get(network.name, []):
            own = open_loop.ours(network, load, SEED)
            peer = peer_booksim.open_loop(booksim, network, load, SEED)
            rows.append({"network": network.name, "load": load, "sortlast": own, "booksim": peer})
            latency = f"{own['latency']:.1f} cycles (BookSim2 {peer['latency']:.1f})" if load < 1 else "-"
            print(
                f"{network.name}, load {load:.2f}: latency {latency}, "
                f"{own['accepted']:.3f} arrive (BookSim2 {peer['accepted']:.3f})",
                flush=True,
            )
    return rows


def main() -> None:
    """Run all cells, print lines, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10,1000")
    parser.add_argument("--networks", default="8:8,8:4")
    parser.add_argument("--patterns", default=",".join(PATTERNS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--fsin", type=Path)
    parser.add_argument("--fsin-seeds", type=int, default=1)
    parser.add_argument("--booksim", type=Path)
    parser.add_argument("--batch-seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    peers = {name: path for name in ("fsin", "booksim") if (path := getattr(options, name))}
    for name in {"fsin", "booksim"} - peers.keys():
        print(f"without {name}, as there is no --{name} PATH of its executable", flush=True)

    done: dict[str, list[dict[str, object]]] = {"patterns": [], "batches": [], "loads": []}
    for network in options.networks.split(","):
        for size in map(int, options.sizes.split(",")):
            for name in filter(None, options.patterns.split(",")):
                done["patterns"].append(cell(network, size, name, options))
    for network, packets in batches.BATCHES if options.batch_seeds else []:
        row = batches.measure(network, packets, options.batch_seeds, peers)
        print(batches.line(row), flush=True)
        done["batches"].append(row)
    if options.booksim:
        done["loads"] = loads(options.booksim)
    if options.json:
        options.json.write_text(json.dumps(done, indent=1))


if __name__ == "__main__":
    main()
