"""The report: every figure of the paper, and every frame rate of its text, beside ours."""

from __future__ import annotations

from sortlast.study.document import Block, Document, Heading, Paragraph, Picture
from sortlast.study.shift_based import calibration, costs, measured, sweep, table_1, tables
from sortlast.study.shift_based.figures import file_name
from sortlast.study.shift_based.found import Found
from sortlast.study.shift_based.published import runs, values

TITLE = "Shift-based compositing: the evaluation of Cavin and Demengeon, reproduced"


def document(found: Found, quick: bool) -> Document:
    """The report on the results of all steps."""
    return Document(
        TITLE,
        [
            *_introduction(quick),
            *_algorithm(),
            *_costs(),
            *_rates(found),
            *_matrices(found),
            *_sweep(found),
            *_direct_send(found, quick),
            *_measured(found),
        ],
    )


def _introduction(quick: bool) -> list[Block]:
    source, constants = values()["source"], calibration.by_bandwidths()
    blocks: list[Block] = [
        Paragraph(
            f"Published: {source['authors']}, {source['title']}, {source['where']}. {source['read']} "
            "Computed: by formula, or from the forwarding tables. Simulated: flows or packets on the "
            "modelled cluster, 144 nodes on a 12-ary 2-tree with the tables of the fat-tree engine. "
            "Measured: on the machine that made this page."
        ),
        Paragraph(
            "The calibration: a message that shares no link takes a fixed time, and its bytes over the "
            "bandwidth of a link. The average bandwidths of Figures 4 and 5, which have no contention, give "
            f"{1e6 * constants.stage_seconds:.0f} us and {constants.link / 1e6:.0f} MB/s. Nothing else comes "
            "from the paper's measurements: no frame rate of shift, and nothing of direct-send. Blending "
            "takes no time: the paper hides it behind messages, and gives no rate of it."
        ),
    ]
    if quick:
        blocks.append(
            Paragraph(
                "This is the quick study: one seed of each random order, and fewer variants of direct-send."
            )
        )
    return blocks


def _algorithm() -> list[Block]:
    return [
        Heading("The algorithm (Figure 1)"),
        Picture("figure-1", "Figure 1. The three stages of shift with 4 ranks, drawn from the schedule."),
    ]


def _costs() -> list[Block]:
    shares = ", ".join(f"{100 * costs.latency_share(p):.1f} % at {p:,}" for p in (128, 1024, 4096, 32768))
    return [
        Heading("The cost model (Table 1, Figures 2 and 3)"),
        table_1.grid(),
        Paragraph(_table_1()),
        costs.walked(),
        Picture("figure-2", "Figure 2. Communication time on an ideal crossbar."),
        Picture("figure-3", "Figure 3. The same where contention takes 30 % of the bandwidth."),
        Paragraph(
            "The paper prints beta = 0.53 ns for a data item, which is a byte at 1800 MB/s: a pixel takes 16 "
            "times as long. It finds that latency matters only at several thousand nodes: of the time of "
            f"shift it is {shares} nodes."
        ),
    ]


def _table_1() -> str:
    powers, others = (", ".join(map(str, each)) for each in (table_1.POWERS, table_1.OTHERS))
    why = table_1.why()
    return (
        "Ours: messages and pixels of the rank that takes longest, counted in the schedules and divided by "
        f"the published term at the same p: {powers}; and {others}, but not of "
        f"{' and '.join(sorted(table_1.POWERS_ONLY))}, whose published terms are of powers of two. Radix-k "
        f"has the radices of its default. {table_1.near()}. "
        + (f"{why[0].upper()}{why[1:]}. " if why else "")
        + "Overlap is what the paper says, and not compared."
    )


def _rates(found: Found) -> list[Block]:
    return [
        Heading("Frame rates of shift (Figures 4 to 7 and 9)"),
        tables.frame_rates(found),
        Paragraph(
            "One stage at a time, no barriers, rendezvous. In step, all ranks wait for the slowest of each "
            "stage; free, nobody waits for anybody. Without contention they are equal, with it they bound "
            "the flows, in which a rank waits for those that it talks to. Packets are too slow where stages "
            "contend, on 64 nodes and in alphabetical order: a queue of the simulated switch holds up all "
            "behind its first packet. What the queues of the real switches do is not published."
        ),
        tables.bandwidths(found),
        Paragraph(
            "Where stages contend the mean bandwidth by flows is too high although their frame rate is "
            "right: in the model some sends are slow and the others have full speed, on the cluster "
            "contention slows others too, as packets in queues do. The last column holds the published "
            "values against each other: in Figure 5 a rank sends more in a frame than its average bandwidth, "
            "in the other figures less. That is why its frame rate is missed most."
        ),
        tables.other_constants(found),
        tables.orders(found),
        Paragraph(
            "The paper does not print the names of its nodes. Alphabetical is taken as the order of names "
            "that count the nodes in routing order without leading zeros. If the names had nothing to do "
            "with the cables, the order would be random, and flows slower than what was measured."
        ),
    ]


def _matrices(found: Found) -> list[Block]:
    pictures = []
    for run in runs().values():
        width, height = run.size
        text = (
            f"{run.item}. Send bandwidth of every pair, {run.p} nodes in {run.order} order, {width}x{height}"
        )
        rates = f"simulated {found.rate(run.item, 'flows'):.2f} frames/s, published {run.fps:g}"
        pictures.append(Picture(file_name(run.item), f"{text}: {rates}."))
    return [
        Heading("Bandwidths of all pairs (Figures 4 to 7 and 9)"),
        Paragraph(
            "By flows; white is the maximum of a matrix. The paper's images also show the noise of a "
            "machine, which a model does not have."
        ),
        *pictures,
    ]


def _sweep(found: Found) -> list[Block]:
    theirs = values()["figure_8"]
    (first, last), step = theirs["p"], theirs["peaks"]
    few, many = (found.first_over_last(p) for p in (first, last))
    short = ": many nodes have short messages, which pay the fixed cost of a stage" if many < few else ""
    return [
        Heading(f"{first} to {last} nodes (Figure 8)"),
        Picture("figure-8", "Figure 8. Frame rates of shift; circles: the rates that the text prints."),
        tables.peaks(found),
        Paragraph(
            f"Published: peaks at multiples of {step}. Here the rate falls by more than a tenth at one node "
            f"more after {_peaks(found)}. From {first} to {first + step} nodes the curve is flat, because "
            "the nodes of a leaf switch then send to one other leaf switch at most. The published ratio of "
            f"{theirs['ratio_of']} is {theirs['ratio']:g}; here it is {few:.1f} on {first} nodes and "
            f"{many:.1f} on {last}{short}."
        ),
    ]


def _peaks(found: Found) -> str:
    """The peaks of each size of images; those that have the same together."""
    by_peaks: dict[str, list[str]] = {}
    for size in sweep.SIZES:
        listed = ", ".join(map(str, sweep.peaks(found.sweep(size, "flows"))))
        by_peaks.setdefault(listed, []).append(f"{size[0]}x{size[1]}")
    return "; ".join(f"{listed} nodes ({', '.join(names)})" for listed, names in by_peaks.items())


def _direct_send(found: Found, quick: bool) -> list[Block]:
    return [
        Heading("Direct-send (sections 5.1 and 5.2)"),
        Picture("direct-send", "Frame rates of direct-send by mechanism; the line is the published one."),
        tables.mechanisms(found),
        tables.crowding(found),
        Paragraph(
            "If links were shared fairly among all messages, direct-send would have 14 to 15 frames/s in any "
            "order, more than shift. What takes half of it, on one switch as well, are messages in flight to "
            "the same receiver: each sender serves its messages one by one, in an order of its own, so that "
            "nearly two are under way to a receiver in the mean while others have none, and their senders "
            "wait. On the fat-tree they also meet on links between switches (hot spots), and packets for "
            "a busy receiver hold up those behind them (head-of-line blocking), which takes the rest: flows "
            "on the fat-tree and packets on one switch are each too fast. It is the same in both "
            "orders of nodes, because messages in random order leave nothing of theirs. No constant was "
            "chosen for it. It is still a little too fast, most on 12 nodes, likely because blending takes "
            "no time here: images that come in random order wait for their neighbours in depth, and are "
            "blended late."
        ),
        *([] if quick else [_other_ways()]),
        tables.beside_shift(found),
    ]


def _other_ways() -> Paragraph:
    return Paragraph(
        "The other ways to send are not it. In the order of a shift, direct-send would be as fast as a "
        "network without contention on 144 nodes in routing order. To rank 0 first, then to rank 1, it "
        "would have half of what was measured or less. An adapter that takes pieces of all messages in "
        "turn comes near too, but its rate depends on the piece, which is not published."
    )


def _measured(found: Found) -> list[Block]:
    matrices, rates = measured.matrices(found.results), measured.frame_rates(found.results)
    return [
        Heading("Measured under MPI"),
        Paragraph(
            "The same method on real messages, between ranks on this machine: what is measured is its memory "
            "and its cores, not a network, and is not to be held against the columns above. Frames are of "
            "32-bit floats, pixels travel as messages, and blending counts. A frame's pixels are checked "
            "before it is timed."
        ),
        tables.measured(matrices, rates),
        *(
            Picture(f"measured-{name}", f"Send bandwidth of every pair, measured: {name}.")
            for name in matrices
        ),
    ]
