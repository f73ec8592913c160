"""FSIN (INSEE, https://github.com/navaridas/insee) as a peer: traffic with dependencies, on thin-trees."""

from __future__ import annotations

import re
from pathlib import Path

from peer_process import run

from sortlast import simulate

# Two of its cycles have no moving phit: the first one, and the one in which it detects the end.
IDLE_CYCLES = 2


def fsin(
    executable: Path, tree: tuple[int, int, int], traffic: simulate.Traffic, seed: int
) -> dict[str, float]:
    """Cycles, processor seconds and megabytes on the thin-tree k:up,n, with a task on every host.

    Raises RuntimeError if it does not print its cycles.
    """
    k, up, n = tree
    settings = {
        "topo": f"thintree_{k}_{up}_{n}",
        "tpattern": "trace",
        "tracefile": "trace",
        "placement": f"consecutive_{traffic.tasks}_1",
        "routing": "adaptive",
        "amode": "random",
        "rseed": seed,
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
    arguments = [f"{key}={value}" for key, value in settings.items()]
    said = run(executable, arguments, {"trace": traffic.to_fsin(), "fsin.conf": ""})
    found = re.search(r"Simulation clock \(cycles/us\):\s+(\d+)", said.text)
    if found is None:
        raise RuntimeError(f"FSIN says no cycles: {said.text[-300:]!r}")
    return {
        "cycles": int(found[1]) - IDLE_CYCLES,
        "seconds": said.seconds,
        "megabytes": said.megabytes,
    }
