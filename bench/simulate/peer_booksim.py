"""BookSim2 (https://github.com/booksim/booksim2) as a peer: uniform random traffic on trees and meshes.

The settings approximate the switch of the packet simulator as closely as BookSim allows. A flit is a phit; a
packet has 16. Each input has one virtual channel of 4 packets, so queues are first in, first out; a packet
holds its output until it has left; links take a cycle, and credits no more. Virtual channel and switch are
allocated in the same cycle, and the route is known a hop ahead: this is the shortest available pipeline.
`anca`, adaptive routing to the nearest common ancestor, takes the emptier of two randomly drawn up-ports.

Remaining differences: a switch delays a head by 3 cycles instead of 1 (a single packet takes 17 + 3 R cycles
over R switches, instead of 16 + R); a route is chosen once, not in each cycle; a head advances when there is
room for a flit, not for its whole packet; hosts have unbounded queues; and destinations are drawn among all
hosts, including the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peer_process import Said, run

from sortlast import fabric, simulate

PHITS = 16


@dataclass(frozen=True)
class Network:
    """A network that both simulators support."""

    name: str
    topology: str  # in BookSim
    routing: str  # in BookSim, without the topology
    k: int
    n: int

    @property
    def hosts(self) -> int:
        return int(self.k**self.n)

    def ours(self, traffic: simulate.Traffic, **options: Any) -> simulate.PacketResult:
        """The same network here, with round-robin output ports as in BookSim."""
        if self.topology == "mesh":
            network = fabric.route(fabric.mesh([self.k] * self.n), "dor")
            return simulate.packet(network, traffic, arbitration="round-robin", **options)
        tree = fabric.k_ary_n_tree(self.k, self.n)
        return simulate.packet(tree, traffic, arbitration="round-robin", **options)


def tree(k: int, n: int) -> Network:
    return Network(f"{k}-ary {n}-tree", "fattree", "anca", k, n)


def mesh(k: int) -> Network:
    return Network(f"{k}x{k} mesh", "mesh", "dor", k, 2)


# A router as close to ours as BookSim allows.
ROUTER: dict[str, object] = {
    "use_noc_latency": 0,
    "routing_delay": 0,
    "vc_alloc_delay": 1,
    "sw_alloc_delay": 1,
    "st_final_delay": 1,
    "credit_delay": 0,
    "speculative": 1,
    "hold_switch_for_packet": 1,
    "wait_for_tail_credit": 0,
    "vc_allocator": "separable_input_first",
    "sw_allocator": "separable_input_first",
    "packet_size": PHITS,
}


def run_booksim(executable: Path, settings: dict[str, object], limit: float | None = None) -> Said:
    """Run BookSim with these settings. Raises as :func:`peer_process.run` does."""
    text = "".join(f"{key} = {value};\n" for key, value in settings.items())
    return run(executable, ["settings"], {"settings": text}, limit)


def _run(executable: Path, network: Network, seed: int, settings: dict[str, object]) -> Said:
    network_settings = {
        "topology": network.topology,
        "k": network.k,
        "n": network.n,
        "routing_function": network.routing,
        "num_vcs": 1,
        "vc_buf_size": 4 * PHITS,
        "traffic": "uniform",
        "seed": seed,
    }
    return run_booksim(executable, {**ROUTER, **network_settings, **settings})


def said_value(said: Said, name: str) -> float:
    """The last value that BookSim prints for `name`. Raises RuntimeError if there is none."""
    found = re.findall(rf"^{name} = (\S+)", said.text, re.MULTILINE)
    if not found:
        raise RuntimeError(f"BookSim says no {name.lower()}: {said.text[-300:]!r}")
    return float(found[-1])


def batch(executable: Path, network: Network, packets: int, seed: int) -> dict[str, float]:
    """Every host sends `packets` at once: cycles, packet hops, processor seconds and megabytes."""
    said = _run(executable, network, seed, {"sim_type": "batch", "batch_size": packets, "batch_count": 1})
    links = said_value(said, "Hops average") + 1  # BookSim counts switches
    return {
        "cycles": said_value(said, "Maximum batch duration"),
        "packet_hops": links * packets * network.hosts,
        "seconds": said.seconds,
        "megabytes": said.megabytes,
    }


def open_loop(executable: Path, network: Network, load: float, seed: int) -> dict[str, float]:
    """Packets begin at random, `load` flits per cycle and host: mean latency and accepted load.

    With load 1 the latency grows without bound, and only the accepted load is meaningful.
    """
    said = _run(
        executable,
        network,
        seed,
        {
            "sim_type": "throughput" if load == 1 else "latency",
            "injection_rate": load,
            "injection_rate_uses_flits": 1,
            "latency_thres": 1e6,
        },
    )
    return {
        "latency": said_value(said, "Packet latency average"),
        "accepted": said_value(said, "Accepted flit rate average"),
        "seconds": said.seconds,
    }
