"""The packet simulator, beside FSIN where there is one: cycles, packet hops a second, memory.

    python bench/simulate/packets.py [--sizes 10,1000] [--networks 8:8,8:4] [--patterns BU,2M] [--seeds 10]
                                     [--fsin PATH] [--json FILE]

``--fsin`` is the executable of an installed FSIN (INSEE, https://github.com/navaridas/insee) that counts the
packets of each router. It then runs the same traffic from a trace, with the first seed, and ports with
equally many credits are drawn as it draws them. Its cycles, of which two have no moving phit, have to agree
within 5 % before the times are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import mean, pstdev

from sortlast import fabric, simulate

RANKS = 4096
PATTERNS = ["BT", "2M", "3M", "BU", "2W", "3W", "WF"]
SEED = 17


def ours(up: int, traffic: simulate.Traffic, seeds: int, ties: str) -> dict[str, float]:
    """Mean and spread of the cycles over the seeds, and the speed of the fastest run."""
    topology = fabric.thin_tree(8, up, 4)
    runs = [simulate.packet(topology, traffic, seed=SEED + s, ties=ties) for s in range(seeds)]
    return {
        "cycles": mean(run.cycles for run in runs),
        "deviation": pstdev(run.cycles for run in runs),
        "hops_per_second": max(run.packet_hops / run.elapsed for run in runs),
        "seconds": min(run.elapsed for run in runs),
        "megabytes": runs[0].bytes_used / 1e6,
    }


def fsin(executable: Path, up: int, traffic: simulate.Traffic) -> dict[str, float]:
    """Cycles and processor seconds of FSIN. Raises RuntimeError if it does not say its cycles."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "trace").write_text(traffic.to_fsin())
        (Path(folder) / "fsin.conf").touch()
        settings = {
            "topo": f"thintree_8_{up}_4",
            "tpattern": "trace",
            "tracefile": "trace",
            "placement": f"consecutive_{RANKS}_1",
            "routing": "adaptive",
            "amode": "random",
            "rseed": SEED,
            "plength": "16_4",
            "nchan": 1,
            "ninj": 1,
            "tql": 4,
            "iql": 8,
            "plevel": 0,
            "pheaders": 0,
            "vc": "dally",
            "output": "out",
        }
        command = [str(executable.resolve()), *(f"{key}={value}" for key, value in settings.items())]
        before = os.times()
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
        after = os.times()
    found = re.search(r"Simulation clock \(cycles/us\):\s+(\d+)", said)
    if found is None:
        raise RuntimeError(f"FSIN says no cycles: {said[-300:]!r}")
    return {"cycles": int(found[1]) - 2, "seconds": after.children_user - before.children_user}


def main() -> None:
    """Run the cells, print a table, write JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="10,1000")
    parser.add_argument("--networks", default="8:8,8:4")
    parser.add_argument("--patterns", default=",".join(PATTERNS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--fsin", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    rows = []
    ties = "fsin" if options.fsin else "uniform"
    for network in options.networks.split(","):
        up = int(network.split(":")[1])
        for size in map(int, options.sizes.split(",")):
            for name in options.patterns.split(","):
                traffic = simulate.pattern(name, RANKS, size)
                row = {
                    "network": network,
                    "pattern": name,
                    "size": size,
                    **ours(up, traffic, options.seeds, ties),
                }
                line = (
                    f"{network},4-thin-tree {name} {size:>6} B: "
                    f"{row['cycles']:10.1f} +- {row['deviation']:6.1f} "
                    f"cycles, {row['hops_per_second'] / 1e6:5.1f} M hops/s, {row['megabytes']:5.1f} MB"
                )
                if options.fsin:
                    start = time.time()
                    peer = fsin(options.fsin, up, traffic)
                    row["fsin"] = peer
                    agrees = abs(row["cycles"] / peer["cycles"] - 1) <= 0.05
                    ratio = peer["seconds"] / row["seconds"]
                    line += f"; FSIN {peer['cycles']} cycles, " + (
                        f"{ratio:.0f} times as long" if agrees else "which do not agree within 5 %: not timed"
                    )
                    line += f" ({time.time() - start:.1f} s)"
                rows.append(row)
                print(line, flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
