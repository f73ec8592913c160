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
    roots: Sequence[str] | Sequence[int] | None = None,
    compute: Nodes = None,
    seed: int = 1,
    lmc: int = 0,
) -> Routes:
    """Route a fabric.

    Args:
        topology: the fabric.
        engine: one of :func:`engines`.
        roots: the root switches, by name, GUID in hex, or number, like OpenSM's option -a; None: the engine
            finds them.
        compute: hosts for which ftree balances, as for :func:`placement` (OpenSM's -u), with all adapters of
            a node; None: all.
        seed: of the engines "random" and "ecmp".
        lmc: each host has 2**lmc LIDs, with a path to each.

    Returns:
        The tables. As in OpenSM, an engine that refuses the fabric is replaced by minhop: ``engine`` then
        names the one used and ``fallback`` the reason.

    Raises:
        ArgumentError: no such engine, switch or host; lmc outside 0 .. 7.
    """
    return _fabric.route(
        topology,
        engine,
        roots=[] if roots is None else switches(topology, roots),
        compute=[] if compute is None else all_hosts_of(topology, compute),
        seed=seed,
        lmc=lmc,
    )


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
