"""Options that several commands of ``sortlast fabric`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ENGINE = "ftree"


Net = Annotated[
    str,
    typer.Option(
        "--net",
        help="The fabric: a file (ibnetdiscover, ibsim netlist, opensm-subnet.lst, Slurm topology.conf), or a"
        " family such as k-ary-n-tree:12,2. Files may be compressed (.gz); - is standard input.",
    ),
]
Lft = Annotated[
    Path | None,
    typer.Option(
        help="Forwarding tables instead of an engine: opensm-lfts.dump, opensm.fdbs, dump_fts or ibroute."
    ),
]
Engine = Annotated[
    str,
    typer.Option(help="Routing engine: d-mod-k, s-mod-k, ftree, minhop, updn, dor, lash, random or minimal."),
]
Roots = Annotated[
    str | None,
    typer.Option(
        show_default="found by the engine",
        help="Root switches for the engine, like OpenSM's -a: a list of names, a file of them, or top: the"
        " switches of the highest level.",
    ),
]
Compute = Annotated[
    str | None,
    typer.Option(
        show_default="all",
        help="Compute nodes for ftree, like OpenSM's -u: as for --nodes; or leaves: hosts on leaf switches.",
    ),
]
Lmc = Annotated[int, typer.Option(min=0, max=7, help="2^lmc LIDs per host, with a path to each.")]
NodeNameMap = Annotated[
    Path | None,
    typer.Option(
        "--node-name-map",
        help="Names by GUID, as for OpenSM: lines '0xGUID \"NAME\"'; or the adapters of nodes: lines 'NODE"
        " RAIL GUID'.",
    ),
]
Nodes = Annotated[
    str,
    typer.Option(
        help="The job's nodes in the order of its ranks: a list such as node[001-012,020], a file (of names,"
        " a hostfile, or opensm-ftree-ca-order.dump), or all."
    ),
]
Rail = Annotated[
    str | None,
    typer.Option(
        "--rail",
        help="Adapter that ranks use on nodes with several, such as HCA-6; several separated by commas: the"
        " first that a node has; all: all in turn by the ranks of a node.",
    ),
]
RanksPerNode = Annotated[
    int | None,
    typer.Option(
        "--ranks-per-node",
        min=1,
        show_default="as given in the list, else 1",
        help="Ranks on each of the nodes.",
    ),
]
Blocks = Annotated[
    Path | None,
    typer.Option(
        help="Blocks of nodes with their own network, such as NVLink: Slurm's topology.yaml, or its"
        " topology.conf of topology/block. Messages within a block do not cross the fabric, and its ranks"
        " stay together."
    ),
]
NodesOrder = Annotated[
    str | None,
    typer.Option(
        "--order",
        show_default="listed; routing for all",
        help="Reorder the nodes: routing (by leaf and by port, as ftree balances), routing-dummies (the same,"
        " with leaves filled up by empty places), alphabetical, natural (node2 before node10) or random.",
    ),
]
Schedule = Annotated[
    str,
    typer.Option(
        help="Communication: shift (all its stages), all-to-all, a collective (ring, recursive-halving,"
        " recursive-doubling, double-tree:C, binomial-broadcast, binomial-reduce, pairwise, bruck, rail:K,"
        " chain), an algorithm such as radix-k:12,12, or a file with lines 'stage source destination"
        " [bytes]'."
    ),
]
Bytes = Annotated[
    str | None,
    typer.Option(
        "--bytes",
        show_default="times are not told",
        help="Bytes that each rank holds, such as 4096, 1.5G or 256Mi.",
    ),
]
Bandwidth = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        show_default="from the fabric's file; else 12500",
        help="Bandwidth of a link in MB/s (10^6 bytes), for times.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed of all random choices.")]
Json = Annotated[Path | None, typer.Option(help="Also write all that is printed to this JSON file.")]
