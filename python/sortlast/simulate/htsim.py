"""Writes traffic as a connection matrix of htsim (``.cm``), for fat-trees that it reads from a ``.topo``.

::

    Nodes 4
    Connections 2
    Triggers 1
    0->1 id 1 start 0 size 1000 send_done_trigger 1
    1->2 id 2 trigger 1 size 1000
    trigger id 1 oneshot

A flow begins at a time in picoseconds, or when its trigger fires. A flow counts for one trigger, when its
last byte has been acknowledged; ``recv_done_trigger`` is read, but NDP and EQDS never fire it. So all flows
that wait for one flow must wait for the same set of flows. Source: csg-htsim,
sim/datacenter/connection_matrix.cpp, main_ndp.cpp and sim/ndp.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence

from sortlast import _simulate
from sortlast._errors import ArgumentError

_MOST_BYTES = 2**31 - 1  # htsim reads an int
_MOST_FLOWS = 1_000_000

_Flows = frozenset[int]


def write_htsim(traffic: _simulate.Traffic, hosts: Sequence[int] | None = None, nodes: int = 0) -> str:
    """Traffic as a connection matrix of htsim.

    A flow begins when the messages that it waits for have arrived. What htsim cannot express is left out:
    flows of a task that wait for the same arrivals begin together, also if the task sends in order, and
    arrivals for which the task has waited before do not count again. GOAL (``to_goal``) keeps all of it.
    Empty messages have 1 byte.

    Args:
        traffic: the traffic; repetitions are written out.
        hosts: the host of each task, such as a Placement; None: task i on host i.
        nodes: hosts of the fabric; 0: up to the highest in use.

    Raises:
        ArgumentError: more than 1,000,000 flows, or a message of 2^31 bytes or more; computations; flows that
            wait for one flow together with different others, which one trigger per flow cannot express; a
            number of hosts that does not fit.
    """
    if len(traffic.size) * traffic.repeats > _MOST_FLOWS:
        raise ArgumentError(f"{traffic.name}: more than {_MOST_FLOWS:,} flows; take fewer messages")
    places = list(range(traffic.tasks)) if hosts is None else list(hosts)
    if len(places) != traffic.tasks or any(host < 0 for host in places):
        raise ArgumentError(f"{len(places)} hosts for {traffic.tasks} tasks; give one for each")
    most = max(places, default=0) + 1
    if nodes and nodes < most:
        raise ArgumentError(f"a matrix of {nodes} nodes for hosts up to {most - 1}; give more")

    waits = _waits(traffic)
    triggers: dict[_Flows, int] = {}
    for flows in waits:
        if flows:
            triggers.setdefault(flows, len(triggers) + 1)
    fires: dict[int, int] = {}
    for flows, trigger in triggers.items():
        for flow in flows:
            if fires.setdefault(flow, trigger) != trigger:
                raise ArgumentError(
                    f"{traffic.name}: several flows wait for flow {flow}, together with different others, and"
                    " htsim has one trigger for it; write the traffic as GOAL (to_goal)"
                )

    count = len(waits)
    lines = [f"Nodes {max(nodes, most)}", f"Connections {count}", f"Triggers {len(triggers)}"]
    source, destination, size = (
        array.tolist() for array in (traffic.source, traffic.destination, traffic.size)
    )
    for flow, flows in enumerate(waits):
        message = flow % len(size)
        begin = f"trigger {triggers[flows]}" if flows else "start 0"
        line = f"{places[source[message]]}->{places[destination[message]]} id {flow + 1} {begin}"
        line += f" size {max(1, size[message])}"
        if flow in fires:
            line += f" send_done_trigger {fires[flow]}"
        lines.append(line)
    for flows, trigger in triggers.items():
        kind = "oneshot" if len(flows) == 1 else f"barrier count {len(flows)}"
        lines.append(f"trigger id {trigger} {kind}")
    return "\n".join(lines) + "\n"


def _waits(traffic: _simulate.Traffic) -> list[_Flows]:
    """The flows whose arrival each flow waits for; none: it begins at once."""
    source, destination = traffic.source.tolist(), traffic.destination.tolist()
    first, causes = traffic.first_cause.tolist(), traffic.causes.tolist()
    for message, (a, b) in enumerate(zip(source, destination, strict=True)):
        if a == b:
            raise ArgumentError(f"{traffic.name}: message {message} is a computation, which htsim lacks")
        if traffic.size[message] > _MOST_BYTES:
            raise ArgumentError(f"{traffic.name}: message {message} has more than {_MOST_BYTES:,} bytes")

    # A flow that waits until another one has been handed over waits for what that one waits for.
    before = [
        [cause for cause in causes[first[m] : first[m + 1]] if destination[cause] != task]
        for m, task in enumerate(source)
    ]
    arrivals = [
        {cause for cause in causes[first[m] : first[m + 1]] if destination[cause] == task}
        for m, task in enumerate(source)
    ]
    made: dict[int, _Flows] = {}
    left = list(range(len(source)))
    while left:
        ready = [m for m in left if all(cause in made for cause in before[m])]
        for m in ready:
            made[m] = frozenset(arrivals[m].union(*(made[cause] for cause in before[m])))
        left = [m for m in left if m not in made]
        if not ready:
            raise ArgumentError(f"{traffic.name}: messages wait for each other")

    waits = []
    last: dict[int, _Flows] = {}  # by task, of its last flow
    seen: dict[int, set[int]] = {}
    for repetition in range(traffic.repeats):
        for m, task in enumerate(source):
            flows = frozenset(repetition * len(source) + cause for cause in made[m])
            if traffic.in_order:
                known = seen.setdefault(task, set())
                flows = (flows - known) or last.get(task, flows)
                known |= flows
                last[task] = flows
            waits.append(flows)
    return waits
