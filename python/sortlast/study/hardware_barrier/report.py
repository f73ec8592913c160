"""The report: every table beside what is computed, and beside what was measured on this machine."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast.study.document import Block, Document, Grid, Heading, Paragraph, Picture
from sortlast.study.hardware_barrier import larger, network
from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.barriers import BARRIERS, NONE
from sortlast.study.hardware_barrier.cascade import cables, cascade
from sortlast.study.hardware_barrier.comparison import TOLERANCE, SoftwareRate, table_3, table_6
from sortlast.study.hardware_barrier.device import CALIBRATION, calibrated
from sortlast.study.hardware_barrier.measurements import LOADED, PIXEL_BYTES, QUIET, RENDERERS, Measured
from sortlast.study.hardware_barrier.ppdev import FIRST_PORT
from sortlast.study.hardware_barrier.wire import Delays, wire_delays

TITLE = "Hardware barrier: the evaluation of Nonaka, Iwashita and Kanazawa, computed and measured"
_MEBI = 1 << 20


def document(measured: Measured) -> Document:
    """The report on all results."""
    return Document(
        TITLE,
        [
            *_introduction(),
            *_device(),
            *_readback(measured),
            *_barriers(measured),
            *_port(measured),
            *_frame_rates(),
            *_here(measured),
            *_larger(),
        ],
    )


def _introduction() -> list[Block]:
    source = paper.published()["source"]
    return [
        Paragraph(
            f"Published: {source['authors']}, {source['title']}, {source['report']}. Computed: by a model of "
            "their device and the times of their barriers. Simulated: the gates of their wire. Measured: on "
            "the machine that made this report, whose ranks share its memory and cores. The columns tell "
            "which is which."
        )
    ]


def _device() -> list[Block]:
    rows = []
    for p in (8, 64, 512):
        levels = cascade(p)
        units = " + ".join(str(len(level)) for level in levels)
        rows.append([str(p), str(len(levels)), units, str(cables(levels))])
    return [
        Heading("The device (Figure 1)"),
        Paragraph(
            "Units of eight inputs and one output join pixels as they pass. In a cascade of up to 512 nodes "
            "the outputs of eight units are the inputs of one; the tests composite images through it and "
            "compare them with the serial composite. A unit has no buffer for an image: nobody may begin "
            "before all are ready, so each frame begins with a barrier. For the same reason the cascade is "
            "no schedule of the library, whose participants all have an image and a place in depth; who is "
            "joined with whom, level by level, is what radix-k with factors of eight does."
        ),
        Grid("Cascades, computed", ["nodes", "levels", "units by level", "cables into units"], rows, 0),
        Picture("figure-1", "Figure 1. Nodes, units and the display node, in depth order."),
    ]


def _readback(measured: Measured) -> list[Block]:
    title = "Table 2. Framebuffer readback"
    head = ["size", "published ms", "published MB/s", "computed MiB/s"]
    formats = () if measured.readback_missing else tuple(PIXEL_BYTES)
    for name in formats:
        head += [f"measured {name} ms", f"measured {name} MiB/s"]
    rates = paper.published()["readback"]["megabytes_per_second"]
    rows = []
    for size in paper.sizes():
        seconds = paper.readback().get(size)
        row = [size, "", "", ""]
        if seconds is not None:
            bandwidth = 4 * paper.pixels(size) / seconds / _MEBI
            row = [size, f"{1e3 * seconds:.1f}", f"{rates[size]}", f"{bandwidth:.0f}"]
        for name in formats:
            found = measured.readback(size, name) or 0.0
            bandwidth = PIXEL_BYTES[name] * paper.pixels(size) / found / _MEBI
            row += [f"{1e3 * found:.3f}", f"{bandwidth:,.0f}"]
        rows.append(row)
    here = (
        f"Nothing was read back here: {measured.readback_missing}."
        if measured.readback_missing
        else "Measured: VTK with OSMesa, whose framebuffer is main memory already, so that a readback is a "
        "copy, not a transfer over a bus; RGBA32F is what the library's own renderers read."
    )
    return [
        Heading("Readback (Table 2)"),
        Paragraph(
            "The published rates are of 4 bytes a pixel in units of 2^20 bytes; the column of file sizes "
            f"that the paper prints (64 KB, 256 KB, 1 MB) counts pixels. {here}"
        ),
        Grid(title, head, rows),
    ]


def _barriers(measured: Measured) -> list[Block]:
    rows = []
    for count in measured.plan.ranks:
        for name in BARRIERS:
            quiet, loaded = (measured.latency(count, load, name) for load in (QUIET, LOADED))
            over_mpi = measured.latency(count, QUIET, "mpi") / quiet
            rows.append(
                [
                    str(count),
                    name,
                    f"{1e6 * quiet:,.1f}",
                    f"{1e6 * loaded:,.1f}",
                    f"{loaded / quiet:.1f}",
                    f"{over_mpi:.1f}",
                ]
            )
    return [
        Heading("Barriers (Table 4)"),
        *_networks(measured),
        Paragraph(
            "In the memory of this machine, with one interface for all: MPI_Barrier; messages in "
            "dissemination and in a tree; a flag a rank in shared memory, which is the wired-AND of today's "
            "machines; and the paper's one bit out and one bit in, on a wire simulated in shared memory. All "
            "but the first are Python. With fewer cores than ranks the ranks take turns, which is most of "
            "their time. Loaded: a TCP stream a core runs over the loopback network beside them; it takes "
            "the ranks' cores, not their way to each other."
        ),
        Grid(
            "Table 4 here: barriers of this machine, measured",
            ["ranks", "barrier", "quiet us", "loaded us", "loaded over quiet", "MPI over it, quiet"],
            rows,
            first_number=2,
        ),
        Picture("latency", "Barriers of this machine, measured: medians, and the range of the turns."),
    ]


def _networks(measured: Measured) -> list[Block]:
    rows = []
    for kind in (paper.FAST, paper.GIGABIT):
        alone, congested = (1e3 * paper.software_barrier(kind, congested=busy) for busy in (False, True))
        rows.append([kind, "mpi, published", f"{alone:.1f}", f"over {congested:g}"])
        for name in network.BARRIERS:
            times = [measured.network(kind, load, name) for load in (QUIET, LOADED)]
            if None not in times:
                rows.append([kind, f"{name}, measured", *(f"{1e3 * (t or 0):.2f}" for t in times)])
    why = measured.network_missing
    here = (
        f"Not measured here: {why}."
        if why
        else "Measured: nine network namespaces of this machine on one switch, links shaped to 100 and 1000 "
        "Mbit/s, MPI over TCP. Congested: every host streams to the next with a window of 64 KB, and its "
        "packets wait in one queue with those of the barrier. The hosts share the cores of this machine, "
        "which at 1000 Mbit/s is what takes the time."
    )
    head = ["network", "barrier", "alone ms", "congested ms"]
    return [Paragraph(here), Grid("Table 4. MPI_Barrier of nine nodes", head, rows, first_number=2)]


def _port(measured: Measured) -> list[Block]:
    table = paper.published()["parallel_port"]
    rows = [
        [f"published PC{k + 1}", f"{out:.2f}", f"{into:.2f}", f"{total:.2f}", f"{out + into:.2f}"]
        for k, (out, into, total) in enumerate(zip(table["out"], table["in"], table["total"], strict=True))
    ]
    ports = {"wire": "measured here, simulated wire", "ppdev": f"measured here, {FIRST_PORT}"}
    for port, label in ports.items():
        times = measured.accesses(port)
        if times is not None:
            write, read = times
            rows.append([label, f"{1e6 * write:.2f}", f"{1e6 * read:.2f}", "", f"{1e6 * (write + read):.2f}"])
    missing = "" if measured.accesses("ppdev") else f" Nothing was measured there: {measured.port_missing}."
    wire, delays = paper.published()["wire"], Delays.as_published()
    nodes, most, inputs = (paper.published()[name] for name in ("nodes", "most_nodes", "inputs"))
    rising, falling = wire_delays(nodes)
    total = delays.total(nodes)
    narrow = delays.total(most, fan_in=inputs)
    gates = [
        [f"{nodes} nodes", *(f"{ns:.1f}" for ns in (wire["total_nanoseconds"], 1e-3 * total, 1e-3 * rising))],
        [f"{most} nodes, gates of {inputs} inputs", "", f"{1e-3 * narrow:.1f}", ""],
    ]
    formula = f"T_Internal + {wire['gates']} T_Gates"
    return [
        Heading("The wire and its ports (Figure 2, Table 5)"),
        Paragraph(
            "A latch that the AND of all lines sets and their NOR resets: one barrier waits for high, the "
            "next for low. Simulated gate by gate with the published delays, a rising line takes "
            f"{1e-3 * rising:.1f} ns from the last node, "
            f"{'as' if rising == total else f'not {1e-3 * total:.1f} ns as'} the paper's {formula}, and a "
            f"falling one {1e-3 * falling:.1f} ns, {_gates(rising - falling, delays.gate)}; barrier.v has "
            "the same gates in Verilog, and the tests compare the edges of both."
        ),
        Picture("figure-2", "Figure 2. The wire of three nodes in two barriers, simulated."),
        Grid(formula, ["", "published ns", "computed ns", "simulated ns"], gates),
        Paragraph(f"{_totals(table['out'], table['in'], table['total'])}{missing}"),
        Grid("Table 5. A port's latency", ["", "OUT us", "IN us", "total us", "sum us"], rows),
    ]


def _gates(less: int, gate: int) -> str:
    """A difference [ps] in gates."""
    return "one gate less" if less == gate else f"{less / gate:.1f} gates less"


def _totals(out: Sequence[float], into: Sequence[float], total: Sequence[float]) -> str:
    """How far the printed totals of Table 5 are from the sums of their parts [us]."""
    over = [printed - a - b for a, b, printed in zip(out, into, total, strict=True)]
    first = max(range(len(over)), key=lambda k: abs(over[k]))
    others = max(abs(each) for k, each in enumerate(over) if k != first)
    return (
        f"The printed total of PC{first + 1}, {total[first]:.2f} us, is {abs(over[first]):.2f} us "
        f"{'more' if over[first] > 0 else 'less'} than its parts; the others are within {others:.2f} us of "
        "theirs."
    )


def _frame_rates() -> list[Block]:
    device = calibrated()
    hardware = table_6(device)
    rows = [
        [
            cell.size,
            f"{cell.published:.1f}",
            f"{cell.computed:.1f}",
            "calibrated" if cell.calibrated else f"{cell.difference:+.1%}",
        ]
        for cell in hardware
    ]
    software = table_3(device)
    return [
        Heading("Frame rates (Tables 3 and 6)"),
        Paragraph(
            "A frame takes T_start + T_readback(n) + n T_pixel + T_barrier. T_readback is Table 2, "
            "T_barrier is Table 4 or Table 5. The paper has no figures of its links, so T_start and "
            f"T_pixel are calibrated, on the rates of {' and '.join(CALIBRATION)} in Table 6: "
            f"{1e3 * device.start:.2f} ms and {1e9 * device.pixel:.1f} ns, {device.bandwidth / 1e6:.0f} "
            "MB/s over cards, cables, units and graphics card together. Nothing else is fitted."
        ),
        Grid(
            "Table 6. Frames a second with the hardware barrier",
            ["size", "published", "computed", "difference"],
            rows,
        ),
        Grid(
            "Table 3. Frames a second with MPI_Barrier",
            [
                "network",
                "size",
                "published",
                "computed, alone",
                "computed, congested",
                "difference, alone",
                "difference, range",
            ],
            [_rate_row(cell) for cell in software],
            first_number=2,
        ),
        Picture("tables-3-and-6", "Tables 3 and 6, published and computed."),
        Paragraph(
            "Difference: of the published range from the rate with the barrier alone on its network, and "
            "from the range between that and the rate with the time that the paper's congested barrier "
            f"exceeds. {_far(software)}The nodes were cut off from other networks for Table 4; for Table 3 "
            "the paper does not say so."
        ),
        Grid(
            "Table 6 over Table 3: the gain of the hardware barrier",
            [
                "network",
                "size",
                "published",
                "computed, alone",
                "computed, congested",
                "difference, range",
                "barrier implied ms",
            ],
            [_gain_row(cell) for cell in software],
            first_number=2,
        ),
    ]


def _far(cells: Sequence[SoftwareRate]) -> str:
    """The cells of Table 3 that are far from the rate with the barrier alone, and what they imply."""
    found = ""
    for cell in cells:
        if abs(cell.difference_alone) <= TOLERANCE:
            continue
        others = [
            1e3 * max(other.implied_barrier)
            for other in cells
            if other.network == cell.network and other is not cell and other.published[0] < other.published[1]
        ]
        low, high = (1e3 * each for each in cell.implied_barrier)
        found += (
            f"Far from the first is {cell.size} on {cell.network}, by {abs(cell.difference_alone):.0%}: its "
            f"published {_span(cell.published, 0)} frames imply barriers of {low:.0f} to {high:.0f} ms"
            + (f"; the other ranges on that network imply up to {max(others):.0f} ms. " if others else ". ")
        )
    return found


def _rate_row(cell: SoftwareRate) -> list[str]:
    return [
        cell.network,
        cell.size,
        _span(cell.published, 1),
        f"{cell.alone:.1f}",
        f"{cell.congested:.1f}",
        f"{cell.difference_alone:+.1%}",
        f"{cell.difference:+.1%}",
    ]


def _gain_row(cell: SoftwareRate) -> list[str]:
    alone, congested = cell.computed_gain
    implied = _span((1e3 * cell.implied_barrier[0], 1e3 * cell.implied_barrier[1]), 1)
    return [
        cell.network,
        cell.size,
        _span(cell.published_gain, 2),
        f"{alone:.2f}",
        f"{congested:.2f}",
        f"{cell.gain_difference:+.1%}",
        implied,
    ]


def _here(measured: Measured) -> list[Block]:
    names = [NONE, *BARRIERS]
    rows = [[size, *(f"{1 / measured.frame(size, name):,.1f}" for name in names)] for size in paper.sizes()]
    return [
        Heading("Frames on this machine"),
        Paragraph(
            f"{RENDERERS} ranks read an RGBA8 image back (a copy), wait for each other, and composite by "
            "over in rank order with the library's Compositor in place of the device; rank 0 gathers and "
            "draws. The Compositor waits for what it needs by itself, so that frames are right without any "
            "barrier; the column none has no other. The largest difference of any channel from "
            f"the serial composite: {measured.frame_error} of 255."
        ),
        Grid("Tables 3 and 6 here: frames a second, measured", ["size", *names], rows),
        Picture("frames", "Frames a second on this machine, measured: medians, and the range of the turns."),
    ]


def _larger() -> list[Block]:
    rows = []
    for size in ("256x256", "1024x1024"):
        for nodes in (8, 64, 512):
            alone, congested = (larger.rates(size, nodes, congested=busy) for busy in (False, True))
            row = [size, str(nodes), f"{alone[larger.HARDWARE]:.1f}"]
            for kind in (paper.GIGABIT, paper.FAST):
                row += [f"{alone[kind]:.1f}", f"{congested[kind]:.1f}"]
            rows.append(row)
    head = ["size", "nodes", "hardware"]
    for kind in (paper.GIGABIT, paper.FAST):
        head += [kind, "congested"]
    return [
        Heading("Larger clusters"),
        Paragraph(
            "The paper expects more of its barrier on larger clusters. Computed for the cascade up to 512 "
            "nodes: a level delays a frame by less than a line, MPI_Barrier grows with ceil(log2 p) rounds "
            "of Table 4, and the AND of the wire gets another gate for each factor of eight."
        ),
        Grid("Frames a second of larger clusters, computed", head, rows, first_number=1),
        Picture("larger", "Frames a second of larger clusters, computed."),
    ]


def _span(values: Sequence[float], digits: int) -> str:
    low, high = (f"{value:.{digits}f}" for value in values)
    return low if low == high else f"{low} to {high}"
