"""Counters of a testbed as output of ``ibqueryerrors --counters``, as clusters have them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sortlast.files import write_text

if TYPE_CHECKING:
    from sortlast.fabric import PortCounters, Topology

_WORD = 4  # bytes; the unit of PortXmitData


def write_counters(topology: Topology, counters: PortCounters, path: str | Path) -> None:
    """Write counters of all ports atomically, for :func:`sortlast.fabric.read_port_counters`.

    A port counts the symbol errors of the channel that arrives there. Raises Error if the file cannot be
    written.
    """
    guids = [part.guid for part in (*topology.hosts, *topology.switches)]
    leaving = {topology.source(channel): channel for channel in range(topology.channels)}
    lines = []
    for (vertex, port), channel in leaving.items():
        end = topology.target(channel)
        if end is None:
            continue
        fields = {
            "PortXmitData": int(counters.bytes[channel]) // _WORD,
            "PortXmitWait": int(counters.waits[channel]),
            "SymbolErrorCounter": int(counters.symbol_errors[leaving[end]]),
            "LinkDownedCounter": int(counters.link_downs[channel]),
        }
        known = " ".join(f"[{name} == {value}]" for name, value in fields.items() if value >= 0)
        lines.append(f"   GUID {guids[vertex]:#x} port {port}: {known}\n")
    write_text(path, "".join(lines))
