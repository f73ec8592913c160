"""Turns lists of hosts, in the forms that people write them, into placements of participants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast._fabric import Node, NodeRanks, Topology
from sortlast._shown import shown

Nodes = Sequence[str] | Sequence[int] | str | None


class Placement(list[int]):
    """The host of each participant; -1: a dummy, which keeps its place in a pattern and sends nothing.

    Several participants may share a host, or hosts of one node. ``nodes``: the number of each participant's
    node, -1 for dummies; equal for ranks of one node. By default every host is its own node.
    """

    def __init__(self, hosts: Iterable[int] = (), nodes: Iterable[int] | None = None):
        super().__init__(hosts)
        self.nodes: list[int] = list(self if nodes is None else nodes)
        if len(self.nodes) != len(self):
            raise ArgumentError(f"{len(self.nodes)} nodes for {len(self)} participants; give one for each")

    @property
    def shares_nodes(self) -> bool:
        """Whether any node has several ranks."""
        present = [node for node, host in zip(self.nodes, self, strict=True) if host >= 0]
        return len({*present}) < len(present)

    def groups(self) -> list[list[int]]:
        """The hosts of each node's ranks, with nodes in the order of their first ranks; without dummies."""
        found: dict[int, list[int]] = {}
        for node, host in zip(self.nodes, self, strict=True):
            if host >= 0:
                found.setdefault(node, []).append(host)
        return list(found.values())

    @property
    def ranks_per_node(self) -> int | None:
        """Ranks on each node; None if they differ, or if there are no ranks."""
        widths = {len(group) for group in self.groups()}
        return widths.pop() if len(widths) == 1 else None

    def first(self, count: int) -> Placement:
        """The first ``count`` participants only."""
        return Placement(self[:count], self.nodes[:count])


def placement(
    topology: Topology,
    nodes: Nodes = None,
    *,
    rail: str | None = None,
    ranks_per_node: int | None = None,
    adapters: Sequence[Node] | None = None,
) -> Placement:
    """The host of each participant; -1: a dummy, which keeps its place in a pattern and sends nothing.

    Args:
        topology: the fabric.
        nodes: None: all hosts for jobs (:func:`compute_hosts`), in routing order: by leaf, within a leaf by
            port; with a rail or ranks per node all nodes that have it. Or a list of names ("host00000 HCA-1",
            or "host00000", or a GUID in hex), a list of numbers, or one string in Slurm's bracket form, such
            as "node[001-012,020]", or in hostfile form ("node001:4").
        rail: the adapter that ranks use on nodes with several, such as "HCA-6"; several separated by commas:
            the first that a node has; "all": all adapters of a node in turn.
        ranks_per_node: None: as given in the list, else 1; for the rail "all" one for each adapter.
        adapters: the nodes, from :func:`find_nodes` (the default) or :func:`read_adapters`.

    Raises:
        ArgumentError: an unknown name or number (the message suggests similar ones), or a repeated one; a
            node without that rail, or with several adapters and no rail (the message names its rails).
    """
    if isinstance(nodes, Placement):
        return Placement(_existing(topology, nodes), nodes.nodes)
    if nodes is None and rail is None and ranks_per_node is None:
        return Placement(_fabric.order_hosts(topology, "routing", _fabric.compute_hosts(topology)))
    machines = _fabric.find_nodes(topology) if adapters is None else list(adapters)
    if nodes is None:
        entries = [NodeRanks(name) for name in _with_rail(topology, machines, rail)]
        return order_nodes(topology, place(topology, machines, entries, rail, ranks_per_node), "routing")
    if isinstance(nodes, str):
        entries = _fabric.read_hostfile(topology, nodes, "nodes")
    elif all(isinstance(node, str) for node in nodes):
        entries = [NodeRanks(str(node)) for node in nodes]
    elif any(isinstance(node, str) for node in nodes):
        raise ArgumentError("nodes holds names and numbers; expected either")
    else:
        if rail is not None or ranks_per_node is not None:
            raise ArgumentError("nodes holds numbers of hosts, which have no rails; give names")
        return Placement(unique(topology, [int(node) for node in nodes]))
    return place(topology, machines, entries, rail, ranks_per_node)


def place(
    topology: Topology,
    machines: Sequence[Node],
    entries: Sequence[NodeRanks],
    rail: str | None = None,
    ranks_per_node: int | None = None,
    file: str = "",
) -> Placement:
    """Place the ranks of a list, like :func:`placement` and :func:`read_nodes`; ``file``: for messages."""
    hosts, nodes = _fabric.place_ranks(
        topology, list(machines), list(entries), rail or "", ranks_per_node or 0, file
    )
    return Placement(hosts, nodes)


def order_nodes(
    topology: Topology, job: Placement, order: str, seed: int = 1, compute: Sequence[int] = ()
) -> Placement:
    """Reorder the nodes of the same ranks (see :func:`order_hosts`); ranks of a node stay together.

    If a node has several hosts, the first one determines its position. Raises like :func:`order_hosts`, and
    ArgumentError for dummies among nodes with different numbers of ranks.
    """
    if order == "listed":
        return job
    if not job.shares_nodes:
        hosts = [host for host in job if host >= 0]
        return Placement(_fabric.order_hosts(topology, order, hosts, seed, list(compute)))
    groups = {group[0]: group for group in job.groups()}
    number = dict(zip(job, job.nodes, strict=True))
    widths = {len(group) for group in groups.values()}
    placed: list[int] = []
    nodes: list[int] = []
    for first in _fabric.order_hosts(topology, order, list(groups), seed, list(compute)):
        if first < 0 and len(widths) > 1:
            raise ArgumentError(
                f"the order {order} leaves places empty, which needs equally many ranks a node"
            )
        group = groups[first] if first >= 0 else [-1] * min(widths)
        placed += group
        nodes += [number[first] if first >= 0 else -1] * len(group)
    return Placement(placed, nodes)


def join_blocks(topology: Topology, job: Placement, blocks: Mapping[str, Sequence[str]]) -> Placement:
    """The same ranks, with each block of nodes merged into one large node.

    Messages within a block do not cross the fabric, as on a rack's NVLink, and the ranks of a block stay
    together in other orders of the nodes.

    Args:
        topology: the fabric.
        job: the ranks.
        blocks: names of the nodes of each block, such as the ``nodes`` of :func:`read_blocks`. Nodes in no
            block remain separate.

    Raises:
        ArgumentError: no node of the job is in a block.
    """
    first = max(job.nodes, default=0) + 1
    number_of = {name: first + k for k, names in enumerate(blocks.values()) for name in names}
    machines = ["" if host < 0 else topology.hosts[host].name.partition(" ")[0] for host in job]
    if not any(name in number_of for name in machines):
        known = ", ".join([*number_of][:3])
        raise ArgumentError(f"no node of the job is in a block; the blocks have {known} and others")
    return Placement(job, [number_of.get(name, node) for name, node in zip(machines, job.nodes, strict=True)])


def all_hosts_of(topology: Topology, nodes: Nodes) -> list[int]:
    """Hosts as found by :func:`placement`, with all adapters of named nodes."""
    named = isinstance(nodes, str) or (nodes is not None and any(isinstance(node, str) for node in nodes))
    return list(placement(topology, nodes, rail="all" if named else None))


def _with_rail(topology: Topology, machines: Sequence[Node], rail: str | None) -> list[str]:
    """Nodes on leaves that have one of these rails; all of them if ``rail`` is None."""
    compute = {*_fabric.compute_hosts(topology)}
    wanted = None if rail is None or rail == "all" else {*rail.split(",")}
    names = [
        node.name
        for node in machines
        if any(
            adapter.host in compute and (wanted is None or adapter.rail in wanted)
            for adapter in node.adapters
        )
    ]
    if not names and wanted is not None:
        known = ", ".join(_fabric.rails(list(machines)))
        raise ArgumentError(f"no node has a rail {rail!r}; the rails are {known or 'not named'}")
    return names


def unique(topology: Topology, hosts: Sequence[int]) -> list[int]:
    """Return the hosts. Raises ArgumentError if one does not exist or occurs twice; -1 may repeat."""
    seen: set[int] = set()
    for host in _existing(topology, hosts):
        if host in seen:
            raise ArgumentError(
                f"host {topology.label(host)!r} is in the list twice; name each once, or give a Placement"
            )
        if host >= 0:
            seen.add(host)
    return list(hosts)


def _existing(topology: Topology, hosts: Sequence[int]) -> Sequence[int]:
    count = len(topology.hosts)
    for host in hosts:
        if not -1 <= host < count:
            raise ArgumentError(f"there is no host {host}; this fabric has the hosts 0 to {count - 1}")
    return hosts


def names(topology: Topology, hosts: Sequence[int]) -> list[str]:
    """Names of hosts in the fabric; dummies are left out."""
    return [topology.hosts[host].name for host in hosts if host >= 0]


def labels(topology: Topology) -> list[str]:
    """Labels of vertices in a picture: the name, with the GUID if several have the same name."""
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
