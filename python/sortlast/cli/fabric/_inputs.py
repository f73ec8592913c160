"""Converts options to values: a fabric, its tables, a placement, a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sortlast import ArgumentError, Error

if TYPE_CHECKING:
    from sortlast.fabric import Pattern, Placement, Routes, Topology

_ASSUMED = 12.5e9  # byte/s of a link without a known rate: 100 Gbit/s


@dataclass(frozen=True)
class Rails:
    """The options for the adapters that ranks use on their nodes, and for the number of ranks."""

    rail: str | None = None
    ranks_per_node: int | None = None
    blocks: Path | None = None  # of nodes with their own network

    @property
    def given(self) -> bool:
        """Whether ranks are placed on nodes rather than on individual hosts."""
        return self.rail is not None or self.ranks_per_node is not None


def topology(net: str, node_name_map: Path | None = None, without: Sequence[str] | None = None) -> Topology:
    """The fabric that ``--net`` names, with the names of ``--node-name-map``, less ``--without``."""
    found = _topology(net)
    if node_name_map is not None:
        found = found.with_names(_names(net, found, node_name_map))
    return less(found, without)


def less(net: Topology, without: Sequence[str] | None) -> Topology:
    """The fabric without the parts that ``--without`` names; of a file, one or more in each line."""
    from sortlast import fabric

    if not without:
        return net
    parts: list[str] = []
    for name in without:
        parts += fabric.text_of(name).split("\n") if fabric.is_file(name) else [name]
    try:
        return fabric.without(net, [part.strip() for part in parts if part.strip()])
    except ArgumentError as error:
        raise Error(
            f"--without {error}; expected the name of a switch, SWITCH:PORT for a link, or hosts"
        ) from None


def _topology(net: str) -> Topology:
    from sortlast import fabric

    if fabric.is_file(net):
        return fabric.read(net)
    names = [family.name for family in fabric.families()]
    if net.partition(":")[0] in names:
        return fabric.make_topology(net)
    raise Error(
        f"--net {net}: there is no such file, nor a family of this name; the families are {', '.join(names)}"
    )


def _names(net: str, found: Topology, node_name_map: Path) -> dict[int, str]:
    """Names by GUID, from lines '0xGUID "NAME"' or, for adapters, 'NODE RAIL GUID'."""
    from sortlast import _fabric, fabric

    text, file = fabric.text_of(node_name_map), str(node_name_map)
    first = re.search(r"^\s*([^\s#]+)", text, re.MULTILINE)
    if first is None or re.fullmatch(r"0[xX].*|\d+", first[1]):
        if not fabric.is_file(net):
            raise Error(f"--node-name-map {file}: {net} is a family, whose GUIDs nobody has; read a file")
        return _fabric.read_node_name_map(text, file)
    names = {}
    for node in _fabric.read_adapters(found, text, file):
        for adapter in node.adapters:
            host = found.hosts[adapter.host]
            names[host.port_guid or host.guid] = f"{node.name} {adapter.rail}".rstrip()
    return names


def routes(
    net: Topology,
    engine: str,
    lft: Path | None = None,
    roots: str | None = None,
    compute: str | None = None,
    seed: int = 1,
    lmc: int = 0,
) -> Routes:
    """Tables from a file or an engine."""
    from sortlast import fabric
    from sortlast.fabric.routing import usual_route

    if lft is not None:
        return fabric.read_routes(net, lft)
    if roots is None and compute is None and lmc == 0:
        return usual_route(net, engine, seed)[0]
    return fabric.route(
        net,
        engine,
        roots=None if roots is None else root_switches(net, roots),
        compute=None if compute is None else compute_nodes(net, compute),
        seed=seed,
        lmc=lmc,
    )


def assumed_roots(
    net: Topology, engine: str, lft: Path | None, roots: str | None, compute: str | None
) -> str:
    """Why :func:`routes` gives ftree roots and compute nodes that were not named; empty: it does not."""
    from sortlast.fabric.routing import usual_route

    if lft is not None or roots is not None or compute is not None:
        return ""
    reason = usual_route(net, engine)[1]
    return reason and f"top, with leaves as compute nodes: assumed, because {reason.partition(';')[0]}"


def placement(
    net: Topology,
    nodes: str,
    order: str | None = None,
    seed: int = 1,
    compute: str | None = None,
    rails: Rails | None = None,
) -> Placement:
    """The hosts of the job in the requested order, -1 for a dummy."""
    from sortlast import fabric

    rails = rails or Rails()
    balanced = [] if compute is None else compute_nodes(net, compute)
    if nodes == "all" and not rails.given:
        hosts = balanced or fabric.compute_hosts(net)
        job = fabric.Placement(fabric.order_hosts(net, "routing", hosts, seed, balanced))
    else:
        job = _named(net, nodes, rails)
    if not any(host >= 0 for host in job):
        raise Error(
            f"{net.name} has no hosts" if nodes == "all" else f"--nodes {nodes}: no node is named there"
        )
    if rails.blocks is not None:
        job = fabric.join_blocks(net, job, fabric.read_blocks(rails.blocks).nodes)
    return job if order is None else fabric.order_nodes(net, job, order, seed, balanced)


@contextmanager
def losing(without: Sequence[str] | None) -> Iterator[None]:
    """Add to errors about unknown hosts that ``--without`` may have removed them."""
    try:
        yield
    except ArgumentError as error:
        if not without:
            raise
        raise Error(f"{error}; --without removes a switch with its hosts: name nodes that remain") from None


def order_name(nodes: str, order: str | None) -> str:
    """The order used by :func:`placement`."""
    if order is not None:
        return order
    return "routing" if nodes == "all" else "listed"


@dataclass(frozen=True)
class Communication:
    """The communication, for any number of ranks."""

    schedule: str = "shift"
    size: str | None = None  # bytes per rank

    @property
    def is_file(self) -> bool:
        """Whether it is traffic of a file."""
        from sortlast import fabric

        return fabric.is_file(self.schedule)

    @property
    def needs_all(self) -> bool:
        """Whether it is a collective or groups, which cannot have empty places."""
        from sortlast.fabric.patterns import is_collective

        return is_collective(self.schedule)

    def on(self, hosts: Placement) -> Communication:
        """The same with the ranks per node of a rail-aligned collective, if they are left out."""
        from sortlast.fabric.patterns import RAIL_ALIGNED

        if self.schedule not in RAIL_ALIGNED:
            return self
        if hosts.ranks_per_node is None:
            raise Error(f"--schedule {self.schedule}: the nodes have different numbers of ranks")
        return replace(self, schedule=f"{self.schedule}:{hosts.ranks_per_node}")

    def pattern(self, ranks: int) -> Pattern:
        """The pattern of a number of ranks."""
        from sortlast import fabric
        from sortlast.fabric.patterns import bytes_of

        size = None if self.size is None else bytes_of(self.size)
        return fabric.pattern(self.schedule, ranks, rank_bytes=size)

    def among(self, ranks: int) -> Callable[[int], Pattern]:
        """The pattern of ``ranks`` ranks for a number of places; a shift may leave some empty."""
        from sortlast import fabric
        from sortlast.fabric.patterns import bytes_of

        if self.schedule != "shift" or self.size is None:
            return self.pattern
        block = -(-bytes_of(self.size) // ranks)  # of an image divided among the ranks only
        return lambda places: fabric.pattern("shift", places, rank_bytes=block * places)


def job(asked: Communication, hosts: Placement) -> tuple[Pattern, Placement]:
    """The pattern, and the hosts that take part in it.

    Traffic of a file may have fewer participants than there are nodes: then the first nodes take part.
    """
    from sortlast import fabric

    if not asked.is_file:
        return asked.on(hosts).pattern(len(hosts)), hosts
    if asked.size is not None:
        raise Error(f"--bytes {asked.size}: {asked.schedule} says the bytes of each message")
    traffic = fabric.read_traffic(asked.schedule)
    if traffic.participants > len(hosts):
        raise Error(
            f"{asked.schedule} has {traffic.participants} participants, and the job {len(hosts)} nodes;"
            " name more"
        )
    return traffic, hosts.first(traffic.participants)


def link_rate(net: Topology, bandwidth: float | None) -> float:
    """Bytes/s of a link for :func:`sortlast.fabric.contended_time`, from MB/s or the fabric's file."""
    if bandwidth is not None:
        return bandwidth * 1e6
    return 0.0 if all(link.gbps > 0 for link in net.links) else _ASSUMED


def _named(net: Topology, nodes: str, rails: Rails) -> Placement:
    """Hosts of a list or of a file; dummies are kept in a file in OpenSM's order."""
    from sortlast import fabric

    rail, adapters = rails.rail, None
    if rail is not None and fabric.is_file(rail):
        rail, adapters = "all", fabric.read_gpu_adapters(net, rail)
    if nodes != "all" and fabric.is_file(nodes):
        return fabric.read_nodes(
            net, nodes, rail=rail, ranks_per_node=rails.ranks_per_node, adapters=adapters
        )
    named = None if nodes == "all" else nodes
    return fabric.placement(net, named, rail=rail, ranks_per_node=rails.ranks_per_node, adapters=adapters)


def compute_nodes(net: Topology, compute: str) -> list[int]:
    """Compute nodes: the hosts on leaves, or all adapters of the named nodes."""
    from sortlast import fabric

    return list(fabric.compute_hosts(net)) if compute in ("leaves", "all") else hosts_of(net, compute)


def hosts_of(net: Topology, nodes: str) -> list[int]:
    """Hosts of a list or of a file, each once, with all adapters of named nodes."""
    return [*dict.fromkeys(host for host in _named(net, nodes, Rails("all")) if host >= 0)]


def root_switches(net: Topology, roots: str) -> Sequence[str] | Sequence[int]:
    """The switches that ``--roots`` names."""
    from sortlast import fabric

    if roots == "top":
        from sortlast.fabric import routing

        try:
            return routing.root_switches(net, roots)
        except ArgumentError as error:
            raise Error(f"--{error}") from None
    text = fabric.text_of(roots) if fabric.is_file(roots) else roots
    return fabric.read_node_list(text, roots)
