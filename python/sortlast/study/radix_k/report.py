"""The report of the study: the claims of the text, every figure, and what the paper left for later."""

from __future__ import annotations

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph, Picture
from sortlast.study.radix_k import blue_gene, bounds, claims, cluster, later, live, profile, scaling, vectors
from sortlast.study.radix_k.published import published, text
from sortlast.study.study import Results

TITLE = "Radix-k: the evaluation of Peterka et al., simulated and measured"
_NAMES = {"binary-swap": "binary swap", "radix-k": "radix-k"}


def document(results: Results) -> Document:
    """The report on all results."""
    return Document(
        TITLE,
        [
            *_introduction(),
            *_claims(results),
            *_bounds(),
            *_reductions(results),
            *_profiles(results),
            *_scaling(results),
            *_vectors(results),
            *_switch(results),
            *_active(results),
            *_cores(results),
            *_choice(results),
        ],
    )


def _introduction() -> list[Block]:
    source = published()["source"]
    return [
        Paragraph(
            f"Published: {source['authors']}, {source['title']}, {source['report']}. Its figures are "
            "curves without printed values, so that what is published is what its text says of them. "
            "Simulated: frames as flows on the torus and mesh of Blue Gene/P, and as flows and packets on "
            "a switch. Measured: frames on the machine that made this report, all pixels by messages, "
            "each answer compared with the serial composite."
        ),
        Paragraph(
            f"The torus: {blue_gene.LINK / 1e6:g} MB/s a link and direction, {1e6 * blue_gene.LATENCY:g} "
            "us a message, six links a node at once, routes along x, then y, then z. Calibrated on the "
            f"mean ratio of Figure 4 and nothing else: blending at {blue_gene.BLEND / 1e9:g} GB/s. The "
            f"switch: {cluster.LINK / 1e9:g} GB/s a link; calibrated on the time of 4 processes in Figure "
            f"7: blending at {cluster.BLEND / 1e9:g} GB/s. The paper does not say which mapping Figures 4 "
            "and 5 had; blocks of 2x2x2 are taken, for which alone radix 8 first is best, here as there."
        ),
    ]


def _claims(results: Results) -> list[Block]:
    rows = [
        [claim.section, claim.statement, claim.published, claim.simulated, claim.measured]
        for claim in claims.claims(results)
    ]
    head = ["section", "", "published", "simulated", "measured here"]
    return [Heading("What the text says"), Grid("The text and ours", head, rows, first_number=5)]


def _bounds() -> list[Block]:
    p = bounds.PROCESSES
    rows = [[name, "published bound", *_cost(cost)] for name, cost in bounds.lower_bounds(p).items()] + [
        [name, "computed", *_cost(bounds.walked(name, p))] for name in bounds.SCHEDULES
    ]
    return [
        Heading("The cost model (Table 1, section 3.2)"),
        Paragraph(
            "Computed from the programs of all ranks, with alpha once a round as in the paper. All of "
            "them meet the bounds of reduce-scatter in bandwidth and computation; radix-k has fewer "
            "rounds."
        ),
        Grid(
            f"Table 1 at p = {p}: multiples of alpha, n beta and n gamma",
            ["", "", "latency", "bandwidth", "computation"],
            rows,
            first_number=2,
        ),
        Picture("figure-2", "Figure 2. Radix-k of 12 processes in rounds of k = [4, 3], from the schedule."),
    ]


def _cost(cost: bounds.Cost) -> list[str]:
    return [f"{cost.latency:g}", f"{cost.bandwidth:.4f}", f"{cost.computation:.4f}"]


def _reductions(results: Results) -> list[Block]:
    counts = live.by_ranks(results)
    names = [name for name in (*_NAMES, "direct-send", *live.REDUCTIONS.values()) if name in counts[2]]
    rows = [
        [str(p), *(f"{times[name]:.1f}" if name in times else "" for name in names)]
        for p, times in counts.items()
    ]
    sizes = [
        [f"{size:g}", *(f"{times[name]:.1f}" for name in names)]
        for size, times in live.by_size(results).items()
    ]
    return [
        Heading("Beside MPI's reductions (Figure 1)"),
        Paragraph(
            "The paper measured up to 4096 nodes with the MPI of Blue Gene/P; here all ranks share this "
            "machine's cores, so that the sum of the work counts, and copies are the network. The "
            f"greatest difference of any answer to the serial composite is {live.worst_error(results):.1e} "
            "of a channel."
        ),
        Picture("figure-1", "Figure 1. Measured here: medians, without gathering the image."),
        Grid("Measured here, by ranks [ms]", ["ranks", *names], rows),
        Grid(
            f"Measured here, by megapixels, {live.ranks_of(results, 'sizes')} ranks [ms]",
            ["Mpixel", *names],
            sizes,
        ),
    ]


def _profiles(results: Results) -> list[Block]:
    at = published()["figure_3"]
    shown = {
        "simulated": f"simulated, the first {at['shown']} of {at['processes']}",
        "measured": "measured here",
    }
    rows = []
    pictures: list[Block] = []
    for source in ("simulated", "measured"):
        for algorithm, events in profile.events(results, source).items():
            rows.append(
                [
                    _NAMES[algorithm],
                    source,
                    str(len(events)),
                    f"{1e3 * profile.length(events):.1f}",
                    f"{profile.hidden(events):.0%}",
                    f"{profile.rounds_apart(events):.0%}",
                ]
            )
            caption = f"Figure 3. {_NAMES[algorithm].capitalize()}, {shown[source]}."
            pictures.append(Picture(f"figure-3-{source}-{algorithm}", caption))
    return [
        Heading("Profiles (Figure 3)"),
        Paragraph(
            "Published: binary swap has no overlap of communication and computation, its rounds halve; "
            "radix-k blends while messages of the round are under way, and its rounds are less defined. "
            + _overlaps(results)
        ),
        Grid(
            "Share of the blending behind messages; ends of the ranks apart, over the frame",
            ["", "", "ranks", "frame [ms]", "behind messages", "ends apart"],
            rows,
            first_number=2,
        ),
        *pictures,
    ]


def _overlaps(results: Results) -> str:
    """How much blending is behind messages, and why, where it is as much or as little as the reason says."""
    simulated, measured = (
        {name: profile.hidden(own) for name, own in profile.events(results, source).items()}
        for source in ("simulated", "measured")
    )
    text = f"The simulated radix-k does {simulated['radix-k']:.0%} of its blending behind messages"
    if simulated["radix-k"] < profile.MUCH:
        text += (
            ": its flows share links fairly and all end together, where real messages end one after the other"
        )
    text += (
        f". The measured one does {measured['radix-k']:.0%} of it there, the measured binary swap "
        f"{measured['binary-swap']:.0%}"
    )
    if measured["radix-k"] >= profile.MUCH:
        text += ": messages are cut into pieces and blended as they come"
        if measured["binary-swap"] >= profile.MUCH:
            text += ", binary swap's too, which the paper's was not"
    return text + "."


def _mpixel(figure: str) -> str:
    """The size of the images of a figure."""
    return f"{published()[figure]['megapixels']} Mpixel"


def _scaling(results: Results) -> list[Block]:
    rows = [
        [
            str(point.processes),
            blue_gene.partition(point.processes).name,
            f"{point.megapixels}",
            "2x2x2" if point.mapped else "none",
            f"{1e3 * point.binary_swap:.1f}",
            f"{1e3 * point.radix_k:.1f}",
            f"{point.ratio:.2f}",
        ]
        for point in scaling.points(results)
    ]
    counts = [
        [
            str(p),
            own["name"].removeprefix("radix-k:"),
            f"{1e3 * own['blocks']:.1f}",
            f"{1e3 * own['none']:.1f}",
        ]
        for p, own in scaling.counts(results).items()
    ]
    at, size = published()["figure_5"], _mpixel("figure_5")
    return [
        Heading("Scaling (Figures 4 and 5)"),
        Picture("figure-4", "Figure 4. Simulated: powers of two, in blocks of 2x2x2."),
        Grid(
            "Figure 4, simulated",
            ["processes", "partition", "Mpixel", "blocks", "binary swap [ms]", "radix-k [ms]", "ratio"],
            rows,
            first_number=4,
        ),
        Paragraph(
            "The ratio depends on size only through latency. It falls where blocks of 8 or 64 ranks lie "
            "far apart on the torus, and on the mesh of 256, whose ends are not joined. Without mapping "
            "radix 8 is a row of eight nodes, and gains little."
        ),
        Grid(
            f"Simulated: what the calibration decides; the ratio at 512 processes, {size}",
            ["blending [GB/s]", "blocks of 2x2x2", "no mapping"],
            [
                [f"{blend / 1e9:.2f}", *(f"{each:.2f}" for each in pair)]
                for blend, pair in scaling.sensitivity(results).items()
            ],
            first_number=0,
        ),
        Picture("figure-5", f"Figure 5. Simulated: all numbers of processes, {size}."),
        Paragraph(
            f"The paper's graph ends at {at['last_of_caption']} processes, its text at {at['last_of_text']}."
        ),
        Grid(
            f"Figure 5, simulated, {size}",
            ["processes", "k", "blocks of 2x2x2 [ms]", "no mapping [ms]"],
            counts,
            2,
        ),
    ]


def _vectors(results: Results) -> list[Block]:
    times = {curve: vectors.seconds(results, curve) for curve in vectors.CURVES}
    rows = [
        [f"[{text(k)}]", *(f"{1e3 * times[curve][k]:.1f}" for curve in vectors.CURVES)]
        for k in times["torus"]
    ]
    at = published()["figure_6"]
    low, high = at["axis_seconds"]
    every = [1e3 * seconds for curve in times.values() for seconds in curve.values()]
    return [
        Heading("The k vector (Figure 6)"),
        Paragraph(
            "A rank correlation here is rank-biserial: of all pairs of a vector that the paper names best "
            "and another, the share in which the named one is faster, minus that in which it is slower. "
            f"1: all named ones are faster than all others. The axis of the figure goes from {1e3 * low:g} "
            f"to {1e3 * high:g} ms, the simulated times from {min(every):.0f} to {max(every):.0f} ms: "
            "payloads of packets, which are less than a link's rate, and the messages' own cost on the "
            "processor are not modelled."
        ),
        Picture(
            "figure-6",
            f"Figure 6. Simulated: {at['processes']} processes, {_mpixel('figure_6')}, all k vectors.",
        ),
        Grid("Figure 6, simulated [ms]", ["k", *vectors.CURVES], rows),
        Paragraph(
            "Where ours differ: the largest radices are as good as 16 and 32 on the torus, as a message "
            "costs nothing but its latency here, and [8,32] is a little faster than [8,8,4] in blocks. On "
            "the mesh vectors that begin small win: eight nodes of a row whose ends are not joined share "
            "its middle link."
        ),
    ]


def _switch(results: Results) -> list[Block]:
    found = cluster.times(results)
    counts = f"{min(found)} to {max(found)}"
    rows = [
        [
            str(p),
            f"[{at['k']}]",
            cluster.group(p),
            f"{1e3 * at['packets']:.1f}",
            f"{1e3 * at['flows']:.1f}",
        ]
        for p, at in found.items()
    ]
    return [
        Heading("A switch (Figure 7)"),
        Paragraph(
            "Prime factors, ascending. What a rank sends and blends grows as (p-1)/p, which alone takes "
            "the line of the multiples of 4 to its published end. As flows all k vectors are alike; "
            "packet by packet the ranks of a group send to its members in the same order and wait for one "
            "another, the more the larger the group. Primes, which the paper found slow, are fast here: a "
            "single round does not wait for any other."
        ),
        Picture("figure-7", f"Figure 7. Simulated: {counts} processes on a switch, {_mpixel('figure_7')}."),
        Grid("Figure 7, simulated [ms]", ["processes", "k", "", "packets", "flows"], rows, first_number=3),
    ]


def _active(results: Results) -> list[Block]:
    rows = []
    for share, times in results["later/active"].items():
        k, seconds = later.best(times)
        swap = times[later.BINARY_SWAP]
        rows.append(
            [
                f"{float(share):.0%}",
                f"[{k}]",
                f"{1e3 * seconds:.2f}",
                f"{1e3 * swap:.2f}",
                f"{swap / seconds:.2f}",
            ]
        )
    here = live.by_content(results)
    measured = [
        [content, *(f"{times[name]:.1f}" for name in (*_NAMES, "direct-send"))]
        for content, times in here.items()
    ]
    return [
        Heading("For later: active pixels"),
        Paragraph(
            "The paper supposes that smaller messages favour higher radices in early rounds. They do: where "
            "few pixels are active, images of a few ranks hardly overlap, and a pixel is sent again in every "
            "round. Direct-send sends it once. The library leaves out empty pixels by itself where that pays."
        ),
        Grid(
            "Simulated, 256 processes on the torus in blocks of 2x2x2: best vector by share of active pixels",
            ["active", "k", "best [ms]", "binary swap [ms]", "ratio"],
            rows,
            first_number=2,
        ),
        Grid(
            f"Measured here, {live.ranks_of(results, 'active')} ranks: dense images, and a box of "
            "1/p of the pixels [ms]",
            ["", *_NAMES.values(), "direct-send"],
            measured,
        ),
    ]


def _cores(results: Results) -> list[Block]:
    rows = []
    for cores, times in results["later/cores"].items():
        k, seconds = later.best(times)
        swap = times[later.BINARY_SWAP]
        rows.append([cores, f"[{k}]", f"{1e3 * seconds:.1f}", f"{1e3 * swap:.1f}", f"{swap / seconds:.2f}"])
    return [
        Heading("For later: parallel blending"),
        Paragraph(
            "Simulated with one, two and all four cores of a node blending. The best vector stays, and "
            "its lead grows: what is left is communication, where radix-k gains. The library blends with "
            "as many threads as a rank has cores, in one pass over all fragments of a round."
        ),
        Grid(
            "Simulated, 256 processes on the torus in blocks of 2x2x2",
            ["cores", "best k", "best [ms]", "binary swap [ms]", "ratio"],
            rows,
            first_number=2,
        ),
    ]


def _choice(results: Results) -> list[Block]:
    rows = []
    for machine, counts in later.choices(results).items():
        for p, at in counts.items():
            name, seconds = later.best(at["seconds"])
            chosen = at["seconds"][at["chosen"]]
            rows.append(
                [
                    f"{p} on the {machine}",
                    at["chosen"].removeprefix("radix-k:"),
                    name.removeprefix("radix-k:"),
                    f"{1e3 * chosen:.1f}",
                    f"{1e3 * seconds:.1f}",
                    f"{chosen / seconds:.2f}",
                ]
            )
    return [
        Heading("For later: choosing k"),
        Paragraph(
            "Two answers. `auto` chooses from the machine's measured figures in microseconds; it knows no "
            "topology, which is well on a switch and not on a torus. Where the network is known, "
            "simulate: all vectors of Figure 6 take a second, and their best is the choice."
        ),
        Grid(
            "Simulated: the vector chosen from figures, and the best of all by simulation",
            ["processes", "chosen", "best", "chosen [ms]", "best [ms]", "ratio"],
            rows,
            first_number=3,
        ),
    ]
