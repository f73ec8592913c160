"""Uniform random traffic, all of it starting at once, through every simulator that supports it."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import mean, pstdev

import peer_booksim
from peer_booksim import Network, mesh, tree
from peer_fsin import fsin

from sortlast import simulate

# Network and packets per host: as many as the slowest simulator handles in half a minute.
BATCHES = [(tree(8, 3), 100), (tree(8, 4), 20), (mesh(16), 100)]
SEED = 17


def ours(network: Network, packets: int, seed: int) -> dict[str, float]:
    traffic = simulate.uniform(network.hosts, 64, packets, seed=seed)
    before = time.process_time()
    run = network.ours(traffic, seed=seed)
    return {
        "cycles": run.cycles,
        "packet_hops": run.packet_hops,
        "seconds": time.process_time() - before,
        "megabytes": run.bytes_used / 1e6,
    }


def fsin_batch(executable: Path, network: Network, packets: int, seed: int) -> dict[str, float]:
    traffic = simulate.uniform(network.hosts, 64, packets, seed=seed)
    done = fsin(executable, (network.k, network.k, network.n), traffic, seed)
    return {
        **done,
        "packet_hops": network.ours(traffic).packet_hops,
    }  # paths are minimal, so their hops equal ours


def summary(runs: list[dict[str, float]]) -> dict[str, float]:
    """Mean and spread of the cycles, speed of the fastest run."""
    return {
        "cycles": mean(run["cycles"] for run in runs),
        "deviation": pstdev(run["cycles"] for run in runs),
        "hops_per_second": max(run["packet_hops"] / run["seconds"] for run in runs),
        "megabytes": max(run["megabytes"] for run in runs),
    }


def measure(network: Network, packets: int, seeds: int, peers: dict[str, Path]) -> dict[str, object]:
    """One network in our simulator and in the available peers; FSIN has no meshes."""
    drawn = range(SEED, SEED + seeds)
    row: dict[str, object] = {
        "network": network.name,
        "packets": packets,
        "sortlast": summary([ours(network, packets, seed) for seed in drawn]),
    }
    if "fsin" in peers and network.topology == "fattree":
        row["fsin"] = summary([fsin_batch(peers["fsin"], network, packets, seed) for seed in drawn])
    if "booksim" in peers:
        row["booksim"] = summary(
            [peer_booksim.batch(peers["booksim"], network, packets, seed) for seed in drawn]
        )
    return row


def line(row: dict[str, object]) -> str:
    """A row as text: cycles of each simulator, then speeds, then the peers' relative times."""
    done = {name: value for name, value in row.items() if isinstance(value, dict)}
    cycles = ", ".join(
        f"{name} {value['cycles']:.0f} +- {value['deviation']:.0f} cycles" for name, value in done.items()
    )
    speed = ", ".join(
        f"{name} {value['hops_per_second'] / 1e6:.3g} M hops/s "
        f"({done['sortlast']['hops_per_second'] / value['hops_per_second']:.0f}) {value['megabytes']:.1f} MB"
        for name, value in done.items()
    )
    return f"{row['network']}, {row['packets']} packets a host: {cycles}; {speed}"
