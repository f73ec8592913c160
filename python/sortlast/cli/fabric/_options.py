"""Options that several commands of ``sortlast fabric`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sortlast.cli import _parse

ENGINE = "ftree"


Net = Annotated[
    str,
    typer.Option(
        "--net",
        metavar="FABRIC",
        help="A file (ibnetdiscover, ibdiagnet, UFM, topology.conf, topology.dot, ..), or a family such as"
        " k-ary-n-tree:12,2. - is standard input.",
    ),
]
Lft = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Forwarding tables instead of an engine's: opensm-lfts.dump, .fdbs, dump_fts or ibroute.",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Routing: ftree, minhop, updn, dnup, dor, lash, sssp, dfsssp as OpenSM's; d-mod-k, s-mod-k,"
        " random, minimal, ecmp.",
    ),
]
Roots = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        show_default=False,
        help="Root switches, like OpenSM's -a: a list, a file, or top: the highest level.",
    ),
]
Compute = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        show_default=False,
        help="Compute nodes for ftree, sssp and dfsssp, like OpenSM's -u: a list, a file, or leaves: hosts on"
        " leaf switches.",
    ),
]
Lmc = Annotated[
    int, typer.Option(min=0, max=7, metavar="LMC", help="2^LMC LIDs per host, with a path to each.")
]
NodeNameMap = Annotated[
    Path | None,
    typer.Option(
        "--node-name-map",
        metavar="FILE",
        help="Names by GUID, as for OpenSM: lines '0xGUID \"NAME\"'; or adapters: lines 'NODE RAIL GUID'.",
    ),
]
Nodes = Annotated[
    str,
    typer.Option(
        metavar="NAMES",
        help="The job's nodes in rank order: a list such as node[001-012,020], a file (names, hostfile), or"
        " all.",
    ),
]
Rail = Annotated[
    str | None,
    typer.Option(
        "--rail",
        metavar="NAME",
        help="Adapter of nodes with several, such as HCA-6; A,B: the first that a node has; all: in turn; a"
        " file (NCCL_TOPO_DUMP_FILE, nvidia-smi topo -m): of the rank's GPU.",
    ),
]
RanksPerNode = Annotated[
    int | None,
    typer.Option(
        "--ranks-per-node",
        metavar="N",
        callback=_parse.positive,
        show_default=False,
        help="Ranks on each node; by default as in the list, else 1.",
    ),
]
Blocks = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Blocks of nodes with their own network, such as NVLink: Slurm's topology.yaml or .conf.",
    ),
]
NodesOrder = Annotated[
    str | None,
    typer.Option(
        "--order",
        metavar="NAME",
        show_default=False,
        help="Reorder the nodes: routing (as ftree balances), routing-dummies, alphabetical, natural or"
        " random.",
    ),
]
Schedule = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Communication: shift, a collective such as ring or all-to-all, groups such as tensor=8,data=4,"
        " an algorithm such as radix-k:12,12, or a file of traffic.",
    ),
]
Bytes = Annotated[
    str | None,
    typer.Option(
        "--bytes",
        metavar="SIZE",
        show_default=False,
        help="Bytes that each rank holds, such as 4096, 1.5G or 256Mi; the report then has times.",
    ),
]
Bandwidth = Annotated[
    float | None,
    typer.Option(
        metavar="MB/S",
        callback=_parse.positive,
        show_default=False,
        help="Bandwidth of a link, for times; by default the fabric's rates, else 12500.",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="NAME",
        help="Remove a switch, a link given as SWITCH:PORT, hosts, or all that a file lists, and route the"
        " rest. May be repeated.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed of all random choices.")]
Json = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Also write all that is printed to this JSON file.")
]
