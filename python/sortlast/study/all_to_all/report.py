"""The report: memory, times, trends, placements."""

from __future__ import annotations

from sortlast.study.all_to_all import calibration, hosts, memory, tables, trends
from sortlast.study.all_to_all.design import LOCAL_M, MEGA, NODES, paper
from sortlast.study.all_to_all.found import Found
from sortlast.study.all_to_all.published import published, seconds
from sortlast.study.document import Block, Document, Heading, Paragraph, Picture

TITLE = "All-to-all: the study of Mistry et al., computed, simulated and measured"
SCHEMATICS = Picture("figure-2-1", "Figure 2.1. The pairs of an all-to-all among 9, 18 and 36 nodes.")
LEAF_MODULE = Picture("figure-3-1", "Figure 3.1. A leaf module with eighteen nodes.")
TIMES = Picture("times", "Tables 4.2 and 4.4: published, simulated, and measured on this machine.")
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
            "cluster, six leaf modules of 18 nodes with full bisection, routed by ftree, as flows and as "
            "packets. Two constants are taken from published times: a process copies "
            f"{calibration.copy_rate() / 1e6:.0f} MB/s within its node (Table 4.2 on one node), and a "
            f"link carries {calibration.link_rate() / 1e9:.2f} GB/s (Table 4.4, m = 512 N on 18 nodes, "
            "which share a switch); the paper measured up to 3.5 GB/s between two. The latency is its "
            "1.2 us. A ratio is simulated over published."
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
    marks = [
        (paper(nodes, m * nodes), time is None)
        for m in LOCAL_M
        for nodes, time in zip(NODES, seconds("4.4", str(m)), strict=True)
    ]
    return [
        Heading("Memory (Tables 3.1, 4.1 and 4.3)"),
        tables.formulas(),
        tables.memory_table("4.1"),
        tables.memory_table("4.3"),
        tables.foreseen(),
        Paragraph(
            f"A cell that is refused never starts, with a reason: {memory.paper_refusal(marks[15][0])}. "
            f"Two refused cells have a time in the paper, {_over('1024', '800', 0):.0f} and "
            f"{_over('1024', '800', 1):.0f} times that of m = 800 N: there was memory for them only on "
            "disk. The error at m = 810 N on 36 nodes is not foreseen by the arrays alone. "
            + _connections(*memory.connections(marks))
        ),
    ]


def _over(row: str, other: str, column: int) -> float:
    """A time of Table 4.4 over that of another row."""
    above, below = (seconds("4.4", name)[column] for name in (row, other))
    return (above or 0.0) / (below or 1.0)


def _connections(low: float, high: float) -> str:
    if low >= high:
        return "No memory for each pair of processes explains all cells marked ERR."
    return (
        f"If each pair of processes took {low / MEGA:.2f} to {high / MEGA:.2f} MB of both nodes beside the "
        "arrays, then exactly the cells marked ERR, and no other, would exceed 24 GB."
    )


def _times(found: Found) -> list[Block]:
    blocks: list[Block] = [
        Heading("Times (Tables 4.2, 4.4 and 4.5)"),
        tables.constant_global(found),
        tables.constant_local(found),
    ]
    blocks += [Paragraph(f"Refused here: {reason}.") for reason in found.refusals]
    connect = trends.connection_seconds()
    return [
        *blocks,
        Paragraph(
            "The paper has two times for one cell, m = 512 on one node: 1.14 s in Tables 4.2 and 4.5, "
            "and 0.60 s in Table 4.4. From m = 800 on the published times rise faster than the messages "
            "grow: at that size the arrays fill three quarters of a node's memory, and what the network "
            "does is the same."
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
            "On cores there is no link to fill: a core copies all messages of its ranks, faster where "
            "they fit into its cache, and MPICH's all-to-all is slow where few ranks have long ones, "
            "which shift is not. Times there rise or fall for these reasons and not for the paper's."
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
            "Flows have all blocks of a node's eight processes under way, 32 of each; packets leave a "
            "node one message after the other, with all that its processes send to another node as one. "
            "The flows are at m = 512 N, the packets at m = 512, the hosts at m = 64 N."
        ),
        tables.shifts_here(found),
    ]
