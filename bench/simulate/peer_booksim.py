"""BookSim2 (https://github.com/booksim/booksim2) as a peer: uniform random traffic on trees and meshes.

The settings come as near to the switch of the packet simulator as BookSim has them. A flit is a phit, a
packet has 16. Each input has one virtual channel of 4 packets, so that a queue is first in, first out; a
packet holds its output until it has left; links take a cycle, and credits no more. Virtual channel and switch
are allocated in the same cycle, and the route is known a hop ahead: the shortest pipeline that there is.
`anca`, the adaptive way to the nearest common ancestor, takes the emptier of two up-ports drawn at random.

What stays different: a switch costs a head 3 cycles instead of 1 (one packet alone takes 17 + 3 R cycles over
R switches, instead of 16 + R); a route is chosen once, not anew in each cycle; a head goes on when there is
room for a flit, not for all of its packet; hosts have queues without end; and destinations are drawn among
all hosts, the source included.
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
    """A network that both can simulate."""

    name: str
    topology: str  # of BookSim
    routing: str  # of BookSim, without the topology
    k: int
    n: int

    @property
    def hosts(self) -> int:
        return int(self.k**self.n)

    def ours(self, traffic: simulate.Traffic, **options: Any) -> simulate.PacketResult:
        """The same network here, with output ports that serve in turn, as BookSim's."""
        if self.topology == "mesh":
            network = fabric.route(fabric.mesh([self.k] * self.n), "dor")
            return simulate.packet(network, traffic, arbitration="round-robin", **options)
        tree = fabric.k_ary_n_tree(self.k, self.n)
        return simulate.packet(tree, traffic, arbitration="round-robin", **options)


def tree(k: int, n: int) -> Network:
    return Network(f"{k}-ary {n}-tree", "fattree", "anca", k, n)


def mesh(k: int) -> Network:
    return Network(f"{k}x{k} mesh", "mesh", "dor", k, 2)


# A router as near to ours as it can be set.
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
    """What BookSim says last of `name`. Raises RuntimeError if it says nothing."""
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
    """Packets begin at random, `load` flits a cycle and host: their mean latency, and the load that arrives.

    With load 1 the latency grows without end, and only what arrives is of interest.
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
