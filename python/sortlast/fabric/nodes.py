"""Which hosts take part, and in which order: lists as people write them, turned into placements."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast._fabric import Topology
from sortlast._shown import shown

Nodes = Sequence[str] | Sequence[int] | str | None


def placement(topology: Topology, nodes: Nodes = None) -> list[int]:
    """The host of each participant; -1: a dummy, which keeps its place in a pattern and sends nothing.

    Args:
        topology: the fabric.
        nodes: None: all hosts that jobs run on (:func:`compute_hosts`), in routing order: leaf by leaf, in a
            leaf by port. Else a list of names
            ("host00000 HCA-1", or "host00000", or a GUID in hex), a list of numbers, or one string in
            Slurm's bracket form, such as "node[001-012,020]".

    Raises:
        ArgumentError: a name or number that the fabric does not have (the message has near ones), or twice.
    """
    if nodes is None:
        return list(_fabric.order_hosts(topology, "routing", _fabric.compute_hosts(topology)))
    if isinstance(nodes, str):
        nodes = _fabric.read_node_list(nodes, "nodes")
    if all(isinstance(node, str) for node in nodes):
        return unique(topology, _fabric.find_hosts(topology, [str(node) for node in nodes]))
    if any(isinstance(node, str) for node in nodes):
        raise ArgumentError("nodes holds names and numbers; expected either")
    return unique(topology, [int(node) for node in nodes])


def unique(topology: Topology, hosts: Sequence[int]) -> list[int]:
    """The same hosts. Raises ArgumentError for one that does not exist or occurs twice; -1 may."""
    count = len(topology.hosts)
    seen: set[int] = set()
    for host in hosts:
        if not -1 <= host < count:
            raise ArgumentError(f"there is no host {host}; this fabric has the hosts 0 to {count - 1}")
        if host in seen:
            raise ArgumentError(f"host {topology.label(host)!r} is in the list twice; name each once")
        if host >= 0:
            seen.add(host)
    return list(hosts)


def names(topology: Topology, hosts: Sequence[int]) -> list[str]:
    """Names of hosts, as the fabric has them; dummies are left out."""
    return [topology.hosts[host].name for host in hosts if host >= 0]


def labels(topology: Topology) -> list[str]:
    """What each vertex is called in a picture: its name, with its GUID where others have the same one."""
    names: list[str] = [each.name for each in (*topology.hosts, *topology.switches)]
    guids: list[int] = [
        *(host.port_guid for host in topology.hosts),
        *(switch.guid for switch in topology.switches),
    ]
    count: dict[str, int] = {}
    for name in names:
        count[name] = count.get(name, 0) + 1
    return [
        shown(name if count[name] == 1 else f"{name} (0x{guid:016x})")
        for name, guid in zip(names, guids, strict=True)
    ]
