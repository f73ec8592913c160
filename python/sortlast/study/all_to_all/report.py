"""The report: memory, times, trends, placements."""

from __future__ import annotations

from sortlast.study.all_to_all import calibration, hosts, memory, tables, trends
from sortlast.study.all_to_all.design import GLOBAL_M, LOCAL_M, MEGA, NODES, paper
from sortlast.study.all_to_all.found import Found
from sortlast.study.all_to_all.published import cluster, published, seconds
from sortlast.study.document import Block, Document, Heading, Paragraph, Picture

TITLE = "All-to-all: the study of Mistry et al., computed, simulated and measured"
SCHEMATICS = Picture("figure-2-1", "Figure 2.1. The pairs of an all-to-all among 9, 18 and 36 nodes.")
LEAF_MODULE = Picture("figure-3-1", "Figure 3.1. A leaf module with eighteen nodes.")
TIMES = Picture("times", "Tables 4.2 and 4.4: published, simulated, and measured on this machine.")
_APART = 2.0  # ratio of two ways' times above which more than copies is measured
PLACEMENTS = Picture("placements", "The same exchange on 36 nodes, by where they are and in which order.")


def document(found: Found) -> Document:
    """The report on the results."""
    return Document(
        TITLE,
        [
            *_introduction(found),
            *_sort(),
            *_memory(),
            *_times(found),
            *_trends(found),
            *_placements(found),
        ],
    )


def _introduction(found: Found) -> list[Block]:
    source = published()["source"]
    return [
        Paragraph(
            f"Published: {source['authors']}, {source['title']}, {source['report']}. Simulated: that "
            f"cluster, {cluster('leaf modules'):g} leaf modules of {cluster('nodes of a leaf module'):g} "
            "nodes with full bisection, routed by ftree, as flows and as packets. Two constants are taken "
            "from published times: a process copies "
            f"{calibration.copy_rate() / 1e6:.0f} MB/s within its node (Table 4.2 on one node), and a "
            f"link carries {calibration.link_rate() / 1e9:.2f} GB/s (Table 4.4, m = 512 N on 18 nodes, "
            f"which share a switch); the paper measured up to {cluster('bandwidth [GB/s]'):g} GB/s between "
            f"two. The latency is its {1e6 * cluster('latency [s]'):g} us. A ratio is simulated over "
            "published."
        ),
        Paragraph(
            "Measured here: the sort as an MPI program, one process for each node of the paper, in two "
            f"ways. On cores, with {tables.sizes(found)}: the ranks share the cores and the memory of "
            "this machine, and there is no network between them; a second column has the seconds of a "
            "core for each rank. On hosts: network namespaces in the place of nodes, leaf modules and "
            "spine, which send real packets over links of 10 Mbit/s, with n = "
            f"{hosts.constant_global(1).n:,}, m = {hosts.GLOBAL_M} or {hosts.LOCAL_M} N: their trends can "
            "be those of a network. What is sorted is checked before it is timed."
        ),
        *([Paragraph(f"Nothing is measured on hosts: {found.no_hosts}.")] if found.no_hosts else []),
    ]


def _sort() -> list[Block]:
    return [
        Heading("The sort (equations 3.1 to 3.7, Figures 2.1 and 3.1)"),
        Paragraph(
            "n = 2^nu (8 · 18 · 2 · 3)² vectors are made so that each process holds one run for every "
            "process; one exchange sorts them. Three equations do not hold as printed. 3.3 and 3.5 "
            "divide a key by l_n, but keys begin at 1, so that the last key of each run would go one "
            "process too far: the key less 1 is divided here. In 3.7 j runs to m, not to p. With m above "
            "10,000 its last component exceeds the next key, which does no harm to the order of the "
            "vectors."
        ),
        SCHEMATICS,
        LEAF_MODULE,
    ]


def _memory() -> list[Block]:
    cells = [
        (m, paper(nodes, m * nodes), time)
        for m in LOCAL_M
        for nodes, time in zip(NODES, seconds("4.4", str(m)), strict=True)
    ]
    refused = [(m, cell, time) for m, cell, time in cells if memory.paper_refusal(cell)]
    over = [_over(m, 800, NODES.index(cell.nodes)) for m, cell, time in refused if time is not None]
    unforeseen = [
        f"m = {m} N on {cell.nodes} nodes"
        for m, cell, time in cells
        if time is None and not memory.paper_refusal(cell)
    ]
    return [
        Heading("Memory (Tables 3.1, 4.1 and 4.3)"),
        tables.formulas(),
        tables.memory_table("4.1"),
        tables.memory_table("4.3"),
        tables.foreseen(),
        Paragraph(
            f"A cell that is refused never starts, with a reason: {memory.paper_refusal(refused[0][1])}. "
            f"The paper has times of {len(over)} refused cells, "
            f"{' and '.join(f'{each:.0f}' for each in over)} times those of m = 800 N: there was memory for "
            f"them only on disk. The error at {' and '.join(unforeseen)} is not foreseen by the arrays "
            "alone. " + _connections(*memory.connections((cell, time is None) for _, cell, time in cells))
        ),
    ]


def _over(m: int, other: int, column: int) -> float:
    """A time of Table 4.4 over that of another row."""
    above, below = (seconds("4.4", str(row))[column] for row in (m, other))
    return (above or 0.0) / (below or 1.0)


def _connections(low: float, high: float) -> str:
    if low >= high:
        return "No memory for each pair of processes explains all cells marked ERR."
    return (
        f"If each pair of processes took {low / MEGA:.2f} to {high / MEGA:.2f} MB of both nodes beside the "
        "arrays, then exactly the cells marked ERR, and no other, would exceed "
        f"{cluster('memory of a node [GB]'):g} GB."
    )


def _times(found: Found) -> list[Block]:
    blocks: list[Block] = [
        Heading("Times (Tables 4.2, 4.4 and 4.5)"),
        tables.constant_global(found),
        tables.constant_local(found),
    ]
    blocks += [Paragraph(f"Refused here: {reason}.") for reason in found.refusals]
    connect = trends.connection_seconds()
    twice = [seconds(table, str(GLOBAL_M))[0] or 0.0 for table in ("4.2", "4.4")]
    return [
        *blocks,
        Paragraph(
            f"The paper has two times for one cell, m = {GLOBAL_M} on one node: {twice[0]:.2f} s in Tables "
            f"4.2 and 4.5, and {twice[1]:.2f} s in Table 4.4. From m = 800 on the published times "
            "rise faster than the messages grow: at that size the arrays fill three quarters of a node's "
            "memory, and what the network does is the same."
        ),
        tables.commands(found),
        Paragraph(
            "MPI_Alltoallv(int) takes longer the smaller its messages are, and on 18 and 36 nodes longer "
            "than the doubles, of which there are a thousand times as many bytes: it is no matter of "
            "bandwidth. The likely cause: it is the first call in which all processes talk to each "
            f"other, and MVAPICH2 connects processes of a job of more than {trends.CONNECTED} when they "
            f"first talk. The computed column has {connect * 1e3:.2f} ms for each connection, from the "
            f"time on 36 nodes, and nothing up to {trends.CONNECTED} processes."
        ),
        TIMES,
    ]


def _trends(found: Found) -> list[Block]:
    return [
        Heading("Trends"),
        tables.trend_grid(trends.simulated(found), "simulated"),
        *([] if found.no_hosts else [tables.trend_grid(trends.on_hosts(found), "measured on hosts")]),
        tables.trend_grid(trends.on_cores(found), "measured on cores"),
        Paragraph(
            "On cores there is no link to fill: a core copies all messages of its ranks, so that times "
            f"there rise or fall for other reasons than the paper's. {_ways_on_cores(found)}"
        ),
        tables.node_rates(),
        Paragraph(
            "The paper concludes that with constant local memory times grow because the network is "
            "contended. Its own figures say otherwise: at m = 512 N each node sends at the same rate "
            "whether 3, 9, 18 or 36 nodes take part. What grows is the part of a node's vectors that "
            "leaves it, 1 - 1/N, and this alone, without any contention, gives the published growth. "
            "With constant global memory the rate falls on 18 and 36 nodes, where messages are short. "
            "What the simulation lacks there is "
            f"{', '.join(f'{each * 1e6:.0f}' for each in trends.lacking(found))} us for each message of a "
            "process on 9, 18 and 36 nodes: nearly the same, as if each message cost so much beside its "
            "bytes. That is no contention either."
        ),
    ]


def _ways_on_cores(found: Found) -> str:
    """How far the measured time depends on who sends to whom when, where there is a network in the paper."""
    ratios = {
        nodes: shift.seconds / alltoall.seconds
        for nodes in found.measured_nodes
        if nodes >= trends.FIRST
        and (shift := found.constant_global(nodes, "shift"))
        and (alltoall := found.constant_global(nodes, "C"))
    }
    if not ratios:
        return ""
    told = ", ".join(f"{ratio:.2f} on {nodes}" for nodes, ratio in ratios.items())
    apart = max(max(ratios.values()), 1 / min(ratios.values())) > _APART
    return (
        f"The same vectors sent by a shift take these parts of the time of MPI_Alltoallv: {told} ranks. "
        + (
            "So it is also the way in which the MPI library exchanges them that is measured here."
            if apart
            else "So the way in which they are exchanged matters little here."
        )
    )


def _placements(found: Found) -> list[Block]:
    blocks: list[Block] = [
        Heading("Leaf modules, and the order of nodes"),
        Paragraph(
            "On one leaf module there is one switch and nothing to contend for. On two whole ones every "
            "up-link carries what goes to one node only, because ftree spreads destinations over the "
            "up-links, so that any exchange in any order is free of contention: the placement that the "
            "paper chose could not have shown it. Nodes as a scheduler hands them out, or half the "
            "links, do. Placements out of order and scattered ones are drawn once, with a fixed seed."
        ),
        tables.orders(found, NODES[-1]),
    ]
    if not found.quick:
        blocks.append(tables.orders(found, 18))
    return [
        *blocks,
        PLACEMENTS,
        Paragraph(
            f"Flows have all blocks of a node's {cluster('processes of a node'):g} processes under way, 32 "
            "of each; packets leave a node one message after the other, with all that its processes send to "
            "another node as one. The flows are at m = 512 N, the packets at m = 512, the hosts at m = 64 N."
        ),
        tables.shifts_here(found),
    ]
