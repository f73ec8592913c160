"""A fabric as a NetworkX graph, and its loads as a table with a row per channel and stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortlast import _extras
from sortlast._errors import ArgumentError
from sortlast.fabric.nodes import labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortlast._fabric import Contention, Topology

COLUMNS = ("from", "from_port", "to", "to_port", "stage", "flows")
MOST_ROWS = 10_000_000  # of a table, which then takes some GB


def to_networkx(topology: Topology) -> Any:
    """Implementation of ``Topology.to_networkx()``."""
    with _extras.needed("a graph"):
        import networkx

    graph = networkx.MultiGraph(name=topology.name)
    for host in topology.hosts:
        graph.add_node(host.number, kind="host", name=host.name, guid=host.guid, level=0)
    for switch in topology.switches:
        level = {"level": switch.level} if switch.level else {}
        graph.add_node(switch.vertex, kind="switch", name=switch.name, guid=switch.guid, **level)
    for link in topology.links:
        ends = {"a": link.a, "a_port": link.a_port, "b": link.b, "b_port": link.b_port}
        rate = {"gbps": link.gbps} if link.gbps else {}
        graph.add_edge(link.a, link.b, channel=link.channel, **ends, **rate)
    return graph


def rows(found: Contention, stages: Sequence[int] | None = None) -> Iterator[NDArray[Any]]:
    """The table of :func:`loads_table`, stage by stage."""
    topology = found.routes.topology
    called = np.array(labels(topology))
    ends = np.zeros((topology.channels, 4), np.int32)
    for channel in range(topology.channels):
        end = topology.target(channel)
        if end is not None:
            ends[channel] = (*topology.source(channel), *end)
    for stage in range(found.stages) if stages is None else stages:
        loads = found.loads(stage)
        used = np.flatnonzero(loads)
        table = np.empty(len(used), _columns(called.dtype))
        for name, column in (("from", 0), ("to", 2)):
            table[name], table[f"{name}_port"] = called[ends[used, column]], ends[used, column + 1]
        table["stage"], table["flows"] = stage + 1, loads[used]
        yield table


def loads_table(found: Contention, stages: Sequence[int] | None = None) -> NDArray[Any]:
    """Implementation of ``Contention.loads_table()``."""
    check_size(found, stages)
    parts = [*rows(found, stages)]
    return np.concatenate(parts) if parts else np.empty(0, _columns(np.dtype("U1")))


def check_size(found: Contention, stages: Sequence[int] | None = None) -> None:
    """Raise ArgumentError if the table is too long to be useful."""
    if stages is None:
        count = int(found.histogram[1:].sum())
    else:
        count = sum(int(np.count_nonzero(found.loads(stage))) for stage in stages)
    if count > MOST_ROWS:
        raise ArgumentError(
            f"the loads of {found.pattern.name} have {count:,} rows, more than the {MOST_ROWS:,} of a table;"
            " take a pattern of fewer stages, or in Python loads_table(stages)"
        )


def _columns(name: np.dtype[Any]) -> np.dtype[Any]:
    number = np.dtype(np.int32)
    kinds = (name, number, name, number, number, number)
    return np.dtype(list(zip(COLUMNS, kinds, strict=True)))
