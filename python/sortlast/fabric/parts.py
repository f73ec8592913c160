"""A fabric without some of its parts: hosts, switches, links; and what their failure costs a job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast.fabric.analysis import Progress, between_nodes
from sortlast.fabric.nodes import Nodes, all_hosts_of, placement
from sortlast.fabric.patterns import pattern
from sortlast.fabric.routing import balanced_hosts, root_switches

if TYPE_CHECKING:
    from sortlast._fabric import Failure, Switch, Topology
    from sortlast.fabric.patterns import Communication


def without(topology: Topology, parts: Sequence[str] | str) -> Topology:
    """The fabric without some parts, and without what can then not be reached from any compute host.

    Args:
        topology: the fabric.
        parts: names; each is a switch (with its hosts), a link given as SWITCH:PORT, or hosts as for
            :func:`placement`, with all adapters of a node. A switch may also be given by its GUID in hex.

    Raises:
        ArgumentError: no part has the name, or several switches have it.
    """
    named = [parts] if isinstance(parts, str) else list(parts)
    lost_switches: list[int] = []
    links: list[int] = []
    hosts: list[int] = []
    for name in named:
        if (switch := _switch(topology, name)) is not None:
            lost_switches.append(switch.number)
        elif (channel := _channel(topology, name)) is None:
            hosts += all_hosts_of(topology, name)
        elif (host := _host_on(topology, channel)) is not None:
            hosts.append(host)
        else:
            links.append(channel)
    # Without links, hosts keep their numbers; without hosts, switches do.
    rest = topology.without_links(links).without_hosts([*dict.fromkeys(hosts)])
    return rest.without_switches(lost_switches).without_stranded()


def single_failures(
    topology: Topology,
    engine: str,
    what: Communication = "shift",
    nodes: Nodes = None,
    *,
    link_bytes_per_second: float,
    roots: Sequence[str] | Sequence[int] | str | None = None,
    compute: Nodes = None,
    rank_bytes: int | None = None,
    seed: int = 1,
    threads: int = 0,
    progress: Progress | None = None,
) -> list[Failure]:
    """The cost of every single failure for a job: of each link between switches, and of each switch.

    Without the failed part, the fabric is routed again by the engine, as a subnet manager does. That takes
    about as long as :func:`route` and :func:`contention`, for each part.

    Args:
        topology: the intact fabric.
        engine: one of :func:`engines`.
        what: as for :func:`pattern`.
        nodes: the hosts of the participants in order, as for :func:`placement`.
        link_bytes_per_second: as for :func:`pattern_time`.
        roots: as for :func:`route`; lost ones leave the list.
        compute: as for :func:`route`.
        rank_bytes: as for :func:`pattern`.
        seed: as for :func:`route`.
        threads: 0: one per core.
        progress: as for :func:`contention`.

    Returns:
        The failures, the most expensive first. ``channel`` of a link or ``failed_switch``; ``lost``
        participants, with which the job stops; ``seconds`` of the pattern; ``max_flows`` on a link;
        ``engine`` that routes the rest; ``why`` the job stops, or why the engine is another one.

    Raises:
        ArgumentError: an invalid argument, or an unknown rate.
    """
    hosts = placement(topology, nodes)
    made = between_nodes(pattern(what, len(hosts), 1, rank_bytes, hosts.ranks_per_node), hosts)
    return _fabric.single_failures(
        topology,
        engine,
        made,
        hosts,
        link_bytes_per_second,
        [] if roots is None else root_switches(topology, roots),
        [] if compute is None else balanced_hosts(topology, compute),
        seed,
        threads,
        progress,
    )


def _switch(topology: Topology, name: str) -> Switch | None:
    """The switch of this name or GUID; None: there is none."""
    found = [
        switch
        for switch in topology.switches
        if name in (switch.name, topology.label(switch.vertex), f"{switch.guid:#x}", f"{switch.guid:#018x}")
    ]
    if len(found) > 1:
        some = ", ".join(topology.label(switch.vertex) for switch in found[:3])
        raise ArgumentError(f"{name}: several switches have this name; give the GUID of one: {some}")
    return found[0] if found else None


def _channel(topology: Topology, name: str) -> int | None:
    """The channel that leaves a switch by a port, given as SWITCH:PORT; None: it is no such name."""
    text, colon, port = name.rpartition(":")
    if not colon or not re.fullmatch(r"\d{1,5}", port):
        return None
    switch = _switch(topology, text)
    if switch is None:
        return None
    for link in topology.links:
        if (link.a, link.a_port) == (switch.vertex, int(port)):
            return int(link.channel)
        if (link.b, link.b_port) == (switch.vertex, int(port)):
            return int(link.channel)
    raise ArgumentError(f"{name}: no cable at this port; {switch.name} has ports 1 to {switch.ports}")


def _host_on(topology: Topology, channel: int) -> int | None:
    """The host at either end of a link; None: it joins two switches."""
    hosts = len(topology.hosts)
    end = topology.target(channel)
    ends = [topology.source(channel)[0], -1 if end is None else end[0]]
    return next((vertex for vertex in ends if 0 <= vertex < hosts), None)
