"""Routing: the tables of an engine, with options given as names or numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast import _fabric
from sortlast._errors import ArgumentError
from sortlast._fabric import Routes, Topology
from sortlast.fabric.nodes import Nodes, all_hosts_of


def route(
    topology: Topology,
    engine: str,
    roots: Sequence[str] | Sequence[int] | str | None = None,
    compute: Nodes = None,
    seed: int = 1,
    lmc: int = 0,
) -> Routes:
    """Route a fabric.

    Args:
        topology: the fabric.
        engine: one of :func:`engines`.
        roots: the root switches, by name, GUID in hex, or number, like OpenSM's option -a; "top": those of
            the highest level; None: the engine finds them.
        compute: hosts for which ftree balances, and which sssp and dfsssp route to first, as for
            :func:`placement` (OpenSM's -u), with all adapters of a node; "leaves": the hosts on leaf
            switches; None: all.
        seed: of the engines "random" and "ecmp".
        lmc: each host has 2**lmc LIDs, with a path to each.

    Returns:
        The tables. As in OpenSM, an engine that refuses the fabric is replaced by minhop: ``engine`` then
        names the one used and ``fallback`` the reason.

    Raises:
        ArgumentError: no such engine, switch or host; lmc outside 0 .. 7; "top" of a fabric that is no tree.
    """
    return _fabric.route(
        topology,
        engine,
        roots=[] if roots is None else root_switches(topology, roots),
        compute=[] if compute is None else balanced_hosts(topology, compute),
        seed=seed,
        lmc=lmc,
    )


def root_switches(topology: Topology, roots: Sequence[str] | Sequence[int] | str) -> list[int]:
    """Numbers of the root switches, as for :func:`route`. Raises ArgumentError."""
    if roots != "top":
        return switches(topology, [roots] if isinstance(roots, str) else roots)
    found = topology.rank_switches()
    if found.why:
        raise ArgumentError(f"roots top: {found.why}; name the root switches")
    return list(found.roots)


def balanced_hosts(topology: Topology, compute: Nodes) -> list[int]:
    """Numbers of the hosts for which ftree balances, as for :func:`route`. Raises ArgumentError."""
    if isinstance(compute, str) and compute == "leaves":
        return list(_fabric.compute_hosts(topology))
    return all_hosts_of(topology, compute)


def usual_route(topology: Topology, engine: str, seed: int = 1) -> tuple[Routes, str]:
    """Route as administrators run OpenSM: ftree gets roots and compute nodes if aggregation nodes need them.

    Returns:
        The tables, and the reason why they have ``roots="top"`` and ``compute="leaves"``; empty: they do not.
    """
    plain = route(topology, engine, seed=seed)
    if engine != "ftree" or not plain.fallback or not any(host.aggregates for host in topology.hosts):
        return plain, ""
    if topology.rank_switches().why:
        return plain, ""
    told = route(topology, engine, "top", "leaves")
    return (plain, "") if told.fallback else (told, plain.fallback)


def switches(topology: Topology, wanted: Sequence[str] | Sequence[int]) -> list[int]:
    """Numbers of switches given by name, GUID in hex, or number. Raises ArgumentError."""
    numbers = {}
    for switch in topology.switches:
        for key in (switch.name, f"{switch.guid:#x}", f"{switch.guid:#018x}"):
            numbers[key] = switch.number
    found = []
    for each in wanted:
        number = numbers.get(each) if isinstance(each, str) else each
        if number is None or not 0 <= number < len(topology.switches):
            raise ArgumentError(f"there is no switch {each!r} in {topology.name}")
        found.append(number)
    return found
