"""The options of ``sortlast simulate``: traffic, network and hosts, results."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from sortlast import ArgumentError

_TRAFFIC, _HOSTS, _RESULTS = "Traffic", "Network and hosts", "Results"


class Method(str, Enum):
    """The simulator to use."""

    packet = "packet"
    flow = "flow"
    loggops = "loggops"


def _bytes(text: str | int) -> int:
    """Bytes of text such as 1.5G."""
    from sortlast.fabric.patterns import bytes_of

    try:
        return bytes_of(str(text))
    except ArgumentError as error:
        raise typer.BadParameter(str(error)) from None


Pattern = Annotated[
    str,
    typer.Argument(
        help="2W, 3W, 2M, 3M, BU, BT, WF, all-to-all, shift or uniform; a collective such as ring, or groups"
        " of ranks, tensor=8,data=18; with --size a compositing algorithm such as radix-k:8,8; or a"
        " file: GOAL text, or a trace of FSIN."
    ),
]
MethodOption = Annotated[
    Method,
    typer.Option(
        "--method",
        help="packet: cycle by cycle; flow: messages share links max-min fairly, for long messages and large"
        " fabrics; loggops: no network, only CPUs and adapters cost time.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE,..",
        show_default=False,
        help="Parameters of the model by their names in Python, such as packet_bytes=2048,packet_phits=512;"
        " stage_seconds=1e-5,overlap=no for a frame; L=700,o=200 for loggops. An unknown name lists them.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed of all random choices.")]

Ranks = Annotated[
    str | None,
    typer.Option(
        show_default="all hosts",
        help="Number of tasks; or FIRST:LAST:STEP for a table of several runs, such as 16:64:16, or 2:256:x2,"
        " which doubles.",
        rich_help_panel=_TRAFFIC,
    ),
]
Bytes = Annotated[
    int | None,
    typer.Option(
        "--bytes",
        parser=_bytes,
        metavar="SIZE",
        show_default="1000 times the ranks; 1000",
        help="Bytes that each rank holds, such as 4096, 1.5G or 256Mi, as in fabric check; for 2W .. WF and"
        " uniform, bytes of a message.",
        rich_help_panel=_TRAFFIC,
    ),
]
Messages = Annotated[
    int | None,
    typer.Option(
        min=1, show_default="10", help="Messages of each task, for uniform.", rich_help_panel=_TRAFFIC
    ),
]
Stages = Annotated[
    str | None,
    typer.Option(
        show_default="all",
        help="Stages of shift, of a collective or of groups, FIRST:LAST without LAST.",
        rich_help_panel=_TRAFFIC,
    ),
]
Size = Annotated[
    str | None,
    typer.Option(help="Composite an image of this width x height in pixels.", rich_help_panel=_TRAFFIC),
]
Beside = Annotated[
    list[str] | None,
    typer.Option(
        "--beside",
        show_default="none",
        help="Another job that begins at the same time: PATTERN@BYTES, ALGORITHM@WIDTHxHEIGHT or a file, on"
        " the same hosts; or on others, such as '3M@100K on host[64-127]' or '3M@100K on free'. May be"
        " repeated.",
        rich_help_panel=_TRAFFIC,
    ),
]

Net = Annotated[
    str | None,
    typer.Option(
        "--net",
        show_default=False,
        help="The fabric: a file (ibnetdiscover, ibsim netlist, opensm-subnet.lst, Slurm topology.conf), or a"
        " family such as k-ary-n-tree:12,2. Needed by packets and flows.",
        rich_help_panel=_HOSTS,
    ),
]
Routing = Annotated[
    str | None,
    typer.Option(
        show_default="adaptive; ftree for flows",
        help="adaptive: any shortest path; an engine: d-mod-k, s-mod-k, ftree, minhop, updn, dnup,"
        " dor, lash, sssp, dfsssp, random, minimal or ecmp; ar-updn or ar-ftree: adaptive among their paths;"
        " for packets also valiant or ugal.",
        rich_help_panel=_HOSTS,
    ),
]
Lft = Annotated[
    Path | None,
    typer.Option(
        help="Forwarding tables instead: opensm-lfts.dump, opensm.fdbs, dump_fts or ibroute.",
        rich_help_panel=_HOSTS,
    ),
]
Roots = Annotated[
    str | None,
    typer.Option(
        show_default="found by the engine",
        help="Root switches of the routing: a list of names, a file of them, or top: the highest level.",
        rich_help_panel=_HOSTS,
    ),
]
Compute = Annotated[
    str | None,
    typer.Option(
        show_default="all hosts",
        help="Compute nodes for ftree, sssp and dfsssp: a list, a file, or leaves: hosts on leaf switches.",
        rich_help_panel=_HOSTS,
    ),
]
Nodes = Annotated[
    str,
    typer.Option(
        help="The nodes in the order of the tasks: a list such as node[001-012,020], a file, or all.",
        rich_help_panel=_HOSTS,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        show_default="listed; routing for all",
        help="Reorder the nodes: routing, alphabetical, natural or random.",
        rich_help_panel=_HOSTS,
    ),
]
Rail = Annotated[
    str | None,
    typer.Option(
        help="Adapter to use on nodes with several, such as HCA-6; or all, in turn by the ranks of a node.",
        rich_help_panel=_HOSTS,
    ),
]
Bandwidth = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        show_default="most common rate in the file; else 1250",
        help="Bandwidth of a link in MB/s (10^6 bytes).",
        rich_help_panel=_HOSTS,
    ),
]

Draw = Annotated[
    Path | None,
    typer.Option(
        help="Draw how busy the links are, or for several runs the time over the ranks (png, svg or pdf).",
        rich_help_panel=_RESULTS,
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option(
        help="Write all messages to this JSON file, a Chrome trace that Perfetto shows.",
        rich_help_panel=_RESULTS,
    ),
]
Recorded = Annotated[
    Path | None,
    typer.Option(
        help="Explain why frames of this recorded run were late: a trace that sortlast.trace.write made.",
        rich_help_panel=_RESULTS,
    ),
]
Counters = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        show_default="none",
        help="Port counters (perfquery -x, ibqueryerrors --counters, .db_csv) for --recorded; given twice:"
        " before and after the run.",
        rich_help_panel=_RESULTS,
    ),
]
Json = Annotated[
    Path | None, typer.Option(help="Write the results to this JSON file.", rich_help_panel=_RESULTS)
]
