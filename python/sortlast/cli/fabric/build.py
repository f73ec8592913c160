"""``sortlast fabric build``: make a fabric of a family, or change one, and write it for other tools."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sortlast import ArgumentError, Error
from sortlast.cli import _terminal
from sortlast.cli.fabric import _inputs, _options, _show
from sortlast.files import write_text

if TYPE_CHECKING:
    from rich.console import Console

    from sortlast.fabric import Topology


class Format(str, Enum):
    """Formats of other tools."""

    ibsim = "ibsim"
    ibnetdiscover = "ibnetdiscover"
    slurm = "slurm"
    slurm_yaml = "slurm-yaml"
    simgrid = "simgrid"
    htsim = "htsim"


def register(group: typer.Typer) -> None:
    """Add the command."""
    group.command()(build)


def build(
    net: _options.Net,
    without: _options.Without = None,
    rail: _options.Rail = None,
    node_name_map: _options.NodeNameMap = None,
    links: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            metavar="N",
            show_default="1",
            help="Cables between two switches, which topology.conf and labels do not state.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002
        Format, typer.Option(metavar="NAME", help=f"Output format: {', '.join(Format)}.")
    ] = Format.ibsim,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the fabric; by default it is only described.")
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="Routing engine for the routes of a SimGrid platform.")
    ] = _options.ENGINE,
    json: _options.Json = None,
) -> None:
    """Build a fabric, or read one, and write it in the format of another tool.

    The families are from the literature: crossbar:N, k-ary-n-tree:K,N, var-ary-n-tree:K1,..,KN,
    gft:H,M,W, xgft:M1,..;W1,.., pgft:M1,..;W1,..;P1,.., rlft:PORTS,LEVELS, thin-tree:K,UP,N,
    slender-tree:K,UP,N, mesh:X,Y,..;HOSTS, torus:X,Y,..;HOSTS, dragonfly:P,A,H,G, dragonfly+:P,L,S,H,G
    and hyperx:X,Y,..;HOSTS. Reports up-links that are missing from a regular fabric, and links that are
    slower than their neighbours.

    In topology.conf a node is a machine, not an adapter: if its adapters are on several leaf switches, --rail
    chooses one. When it is read, the number of cables between two switches is 1 unless --links is given,
    because the file does not state it.
    """
    from sortlast import fabric

    _terminal.check_places(output, json)
    if links is None:
        made = _inputs.topology(net, node_name_map, without)
    else:
        made = _inputs.less(_linked(net, links), without)

    # Reject impossible formats before anything is written.
    text, routing = "", {}
    if output is not None and format is Format.simgrid:
        routes = _inputs.routes(made, engine)
        routing = {"routing": _show.routing(routes)}
        text = fabric.write_simgrid(routes)
    elif output is not None:
        text = _text(made, format, rail or "")
    described = _described(made) | routing
    if output is not None:
        write_text(output, text)
    if json is not None:
        _terminal.write_json(described, json)
    console = _terminal.console(output, json)
    console.print(
        _show.facts(
            [(name, str(value)) for name, value in described.items() if name not in ("missing", "slow")]
        )
    )
    _print_missing(described["missing"], console)
    _print_slow(described["slow"], console)
    _terminal.name_written(console, output, json)


def _described(net: Topology) -> dict[str, object]:
    ranked = net.rank_switches()
    levels = [
        sum(level == each for each in ranked.level) for level in range(1, max(ranked.level, default=0) + 1)
    ]
    return {
        "name": net.name,
        "hosts": len(net.hosts),
        "switches": len(net.switches),
        "links": len(net.links),
        "switches by level": ", ".join(map(str, levels)) if any(levels) else f"no tree: {ranked.why}",
        "missing": [] if ranked.why else _missing(net),
        "slow": [
            {"link": each.link, "gbps": each.gbps, "expected": each.expected} for each in net.slow_links()
        ],
    }


def _missing(net: Topology) -> list[dict[str, object]]:
    return [
        {
            "lower": each.lower_name,
            "upper": each.upper_name,
            "present": each.present,
            "expected": each.expected,
        }
        for each in net.missing_links()
    ]


def _print_missing(missing: object, console: Console) -> None:
    assert isinstance(missing, list)
    if not missing:
        return
    rows = [(each["lower"], each["upper"], str(each["present"]), str(each["expected"])) for each in missing]
    columns = (("lower switch", "left"), ("upper switch", "left"), ("links", "right"), ("expected", "right"))
    console.print(_show.table("missing up-links", columns, rows))


def _print_slow(slow: object, console: Console) -> None:
    assert isinstance(slow, list)
    if not slow:
        return
    rows = [(each["link"], f"{each['gbps']:g}", f"{each['expected']:g}") for each in slow]
    columns = (("link", "left"), ("Gbit/s", "right"), ("its neighbours", "right"))
    console.print(_show.table("slow links", columns, rows))


def _linked(net: str, links: int) -> Topology:
    """The fabric of a topology.conf, with ``links`` cables between two switches."""
    from sortlast import fabric

    try:
        return fabric.read(net, links=links)
    except ArgumentError as error:
        raise Error(f"--links is for Slurm's topology.conf and labels of nodes: {error}") from None


def _text(net: Topology, format: Format, rail: str) -> str:  # noqa: A002
    from sortlast import fabric

    if format is Format.ibsim:
        return fabric.write_ibsim(net)
    if format is Format.slurm:
        return fabric.write_slurm_topology(net, rail=rail)
    if format is Format.slurm_yaml:
        return fabric.write_topology_yaml(net, rail=rail)
    if format is Format.htsim:
        return fabric.write_htsim_topology(net)
    return fabric.write_ibnetdiscover(fabric.assign_lids(net))
