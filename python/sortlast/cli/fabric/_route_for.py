"""``sortlast fabric route --for``: tables made for schedules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sortlast import Error
from sortlast.cli import _progress
from sortlast.cli.fabric import _inputs, _show

if TYPE_CHECKING:
    from sortlast.fabric import MadeRoutes, Topology


def names(text: str) -> list[str]:
    """Split schedules at commas, as in ``binary-swap,radix-k:8,16``: numbers belong to the name before."""
    found: list[str] = []
    for part in text.split(","):
        if part.strip().isdigit() and found and ":" in found[-1]:
            found[-1] += f",{part.strip()}"
        else:
            found.append(part.strip())
    if not all(found):
        raise Error(f"--for {text}: there is a name missing; expected schedules with commas between")
    return found


def make(
    net: Topology,
    wanted: str,
    nodes: str,
    engine: str,
    roots: str | None,
) -> MadeRoutes:
    """Make the tables, with a progress bar."""
    from sortlast import fabric

    hosts = _inputs.placement(net, nodes)
    with _progress.bar("tables", transient=True) as progress:
        return fabric.route_for(
            net,
            names(wanted),
            hosts,
            engine=engine,
            roots=None if roots is None else _inputs.root_switches(net, roots),
            progress=progress,
        )


def described(made: MadeRoutes, wanted: str) -> dict[str, Any]:
    """The quality of the tables, one line per schedule."""
    report: dict[str, Any] = {"found by": made.how}
    first = 0
    for name, stages in zip(names(wanted), made.stages, strict=True):
        part = slice(first, first + stages)
        report[name] = _verdict(made, part)
        first += stages
    report["better tables"] = _better(made)
    return report


def _verdict(made: MadeRoutes, part: slice) -> str:
    """The verdict on the stages of one schedule."""
    most, bound, of_hosts = made.stage_max[part], made.bound[part], made.host_flows[part]
    flows = int(most.max(initial=0))
    if flows <= 1:
        return "CONTENTION-FREE"
    if (most == of_hosts).all():
        return f"nothing is lost: {flows} flows share the hosts' own links alone"
    reached = f"{int((most == bound).sum())} of {_show.count(len(most), 'stage')} at their bound"
    return f"CONTENDED: {flows} flows on a link, at least {int(bound.max())}; {reached}"


def _better(made: MadeRoutes) -> str:
    if made.proof:
        return f"none: {made.proof}"
    return f"not known; none take less than {1 - made.gap:.1%} of the time of these"
