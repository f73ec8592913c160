"""A fabric as network namespaces: the namespaces, their configuration, and the cables between them.

Every host and every switch of the fabric becomes a namespace, every link a cable (a veth pair). Host h has
the address 10.0.0.0 + h + 1 and one interface, ``eth0``; port q of a switch is its interface ``port<q>``. A
switch forwards packets for host d by the port in the forwarding tables: one static route for each host, so
packets take exactly the channels of :meth:`Routes.walk`.

There is no address resolution: all interfaces have the same hardware address and do not use ARP, so a packet
is accepted at whichever end of a cable it arrives. Neighbour requests and time-outs cannot disturb a
measurement, and the interfaces of switches need no addresses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

from sortlast._errors import ArgumentError

if TYPE_CHECKING:
    from sortlast.fabric import Routes, Topology

MOST_VERTICES = 400  # hosts and switches; no machine is known that could run ranks on more
HARDWARE_ADDRESS = "02:00:00:00:00:01"

# A packet in the namespaces is a segment of up to this size, with one set of headers, while the shapers
# account for the frames on a wire. With packets of 1500 bytes, the kernel of a busy machine could not keep up
# with their number.
SEGMENT = 16384  # bytes
BURST = 4000  # sent at once; larger packets delay the following ones [bytes]
QUEUE = "64mb"  # maximum queue of a port: nothing is dropped, as with link-level flow control

PATIENCE = "10s"  # before a retransmission; waiting in a queue takes fractions of a second

_FIRST = IPv4Address("10.0.0.0")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,30}")


@dataclass(frozen=True)
class Cable:
    """A link: (vertex, interface) of both ends."""

    a: tuple[int, str]
    b: tuple[int, str]


@dataclass(frozen=True)
class Plan:
    """A fabric and its tables, translated to namespaces.

    ``names``: of each vertex, hosts first; ``cables``: of all links; ``routes``: lines of ``ip`` for each
    vertex.
    """

    names: list[str]
    hosts: int
    cables: list[Cable]
    routes: list[list[str]]

    def interfaces(self, vertex: int) -> list[str]:
        """The interfaces of a vertex."""
        return [name for cable in self.cables for owner, name in (cable.a, cable.b) if owner == vertex]


def make(routes: Routes) -> Plan:
    """Plan a testbed.

    Raises:
        ArgumentError: the fabric is too large, or its tables have several paths to a host.
    """
    topology = routes.topology
    if topology.vertices > MOST_VERTICES:
        raise ArgumentError(
            f"{topology.name} has {topology.vertices} hosts and switches; a testbed has up to {MOST_VERTICES}"
        )
    if routes.planes > 1:
        raise ArgumentError(f"the tables have {routes.planes} paths to each host; route with an LMC of 0")
    return Plan(
        names=[*host_names(topology), *switch_names(topology)],
        hosts=len(topology.hosts),
        cables=[
            Cable((link.a, interface(topology, link.a, link.a_port)), _end(topology, link.b, link.b_port))
            for link in topology.links
        ],
        routes=[
            *(_host_routes(host) for host in range(len(topology.hosts))),
            *(_switch_routes(routes, switch) for switch in range(len(topology.switches))),
        ],
    )


def host_names(topology: Topology) -> list[str]:
    """The fabric's names up to the first space, if they are valid host names; otherwise numbered names."""
    names = [host.name.partition(" ")[0] for host in topology.hosts]
    differ = len({*names, *switch_names(topology)}) == len(names) + len(topology.switches)
    if differ and all(map(_NAME.fullmatch, names)):
        return names
    return [f"host{number:05d}" for number in range(len(names))]


def switch_names(topology: Topology) -> list[str]:
    """Names of the switches, by number."""
    return [f"switch{switch.number:03d}" for switch in topology.switches]


def address(host: int) -> str:
    """Address of a host."""
    return str(_FIRST + host + 1)


def interface(topology: Topology, vertex: int, port: int) -> str:
    """Name of the interface of a vertex at a port."""
    return "eth0" if vertex < len(topology.hosts) else f"port{port}"


def channel_interfaces(topology: Topology) -> dict[int, tuple[int, str]]:
    """For each channel with a cable, the (vertex, interface) by which it leaves."""
    return {
        channel: (vertex, interface(topology, vertex, port))
        for channel in range(topology.channels)
        if topology.target(channel) is not None
        for vertex, port in (topology.source(channel),)
    }


def end_lines(names: Sequence[str]) -> list[str]:
    """Lines of ``ip`` that configure the ends of cables."""
    return [
        line
        for name in names
        for line in (
            f"link set dev {name} address {HARDWARE_ADDRESS} arp off addrgenmode none gso_max_size {SEGMENT}",
            f"link set dev {name} up",
        )
    ]


def shaper_lines(names: Sequence[str], rate_mbit: float) -> list[str]:
    """Lines of ``tc`` that limit the outgoing rate of interfaces.

    Packets of less than 256 bytes have priority. In a lossless queue, the acknowledgements of a flow would
    otherwise wait behind the data of all others that share a link with their way back, and slow the flow down
    as if it shared that link itself: pairs without contention reached 0.50 of a link, and 1.0 with priority.
    """
    return [
        line
        for name in names
        for line in (
            f"qdisc add dev {name} root handle 1: htb default 20",
            *rate_lines(name, rate_mbit, "add"),
            f"qdisc add dev {name} parent 1:10 handle 10: bfifo limit {QUEUE}",
            f"qdisc add dev {name} parent 1:20 handle 20: bfifo limit {QUEUE}",
            f"filter add dev {name} parent 1: protocol ip u32 match u16 0 0xff00 at 2 flowid 1:10",
        )
    ]


def rate_lines(name: str, rate_mbit: float, how: str) -> list[str]:
    """Lines of ``tc`` for the rate of an interface; ``how``: "add", or "change" to set another rate."""
    shape = f"ceil {rate_mbit:g}mbit burst {BURST} cburst {BURST}"
    return [
        f"class {how} dev {name} parent 1: classid 1:1 htb rate {rate_mbit:g}mbit {shape}",
        f"class {how} dev {name} parent 1:1 classid 1:10 htb rate {rate_mbit / 10:g}mbit {shape} prio 0",
        f"class {how} dev {name} parent 1:1 classid 1:20 htb rate {rate_mbit * 0.9:g}mbit {shape} prio 1",
    ]


def lossy_lines(name: str, loss_bits: int) -> list[str]:
    """Lines of ``tc`` that make an interface drop one of ``2**loss_bits`` long packets.

    A packet is dropped if the low bits of its TCP timestamp in milliseconds are 0: it goes to a queue that is
    too short for it. Kernels without ``netem`` and ``gact`` can do that too.
    """
    mask = 2**loss_bits - 1
    return [
        f"class add dev {name} parent 1: classid 1:2 htb rate 1mbit",
        f"qdisc add dev {name} parent 1:2 handle 2: bfifo limit 1",
        f"filter add dev {name} parent 1: protocol ip pref 50000 u32 match u32 0 {mask:#x} at 44 flowid 1:2",
    ]


def _end(topology: Topology, vertex: int, port: int) -> tuple[int, str]:
    return vertex, interface(topology, vertex, port)


def _host_routes(host: int) -> list[str]:
    own = address(host)
    return [f"address add {own}/32 dev eth0", f"route add {_FIRST}/16 dev eth0 src {own} rto_min {PATIENCE}"]


def _switch_routes(routes: Routes, switch: int) -> list[str]:
    ports = [routes.port(switch, host) for host in range(len(routes.topology.hosts))]
    return [f"route add {address(host)}/32 dev port{port}" for host, port in enumerate(ports) if port > 0]
