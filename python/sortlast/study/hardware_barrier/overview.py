"""Every numbered table and figure of the paper: how it was reproduced, how near, and why not."""

from __future__ import annotations

from statistics import mean

from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.comparison import TOLERANCE, table_3, table_6, worst
from sortlast.study.hardware_barrier.device import calibrated
from sortlast.study.hardware_barrier.measurements import LOADED, QUIET, Measured
from sortlast.study.hardware_barrier.wire import wire_delays
from sortlast.study.study import Reproduced


def reproduced(measured: Measured) -> list[Reproduced]:
    """Six tables and four figures."""
    return [
        Reproduced(
            "Table 1", "the cluster's components", ["not reproduced"], "", "a list of parts, without results"
        ),
        _table_2(measured),
        _table_3(),
        _table_4(measured),
        _table_5(measured),
        _table_6(),
        Reproduced(
            "Figure 1", "the cluster and its compositor", ["drawn"], "drawn from the cascade, 8 and 64 nodes"
        ),
        _figure_2(),
        Reproduced("Figure 3", "the cluster", ["not reproduced"], "", "a photograph"),
        Reproduced(
            "Figure 4",
            "the cabling of nine nodes and four switches",
            ["not reproduced"],
            "",
            "a diagram without figures; the switches count only by the times of Table 4",
        ),
    ]


def _table_2(measured: Measured) -> Reproduced:
    about = "readback of the framebuffer"
    if measured.readback_missing:
        return Reproduced("Table 2", about, ["not reproduced"], "", measured.readback_missing)
    ratios = [
        seconds / found
        for size, seconds in paper.readback().items()
        if (found := measured.readback(size, "RGBA8")) is not None
    ]
    return Reproduced(
        "Table 2",
        about,
        ["measured"],
        f"{min(ratios):.0f} to {max(ratios):.0f} times as fast here",
        "a software renderer's framebuffer is main memory; theirs was read over AGP in 2004",
    )


def _table_3() -> Reproduced:
    cells = table_3(calibrated())
    outside = [cell for cell in cells if abs(cell.difference_alone) > TOLERANCE]
    return Reproduced(
        "Table 3",
        "frame rates with MPI_Barrier, three networks, six sizes",
        ["computed", "measured"],
        f"all {len(cells)} within {abs(worst([cell.difference for cell in cells])):.1%} of the range that "
        f"Table 4 gives; with its barrier alone on the network {len(cells) - len(outside)} of {len(cells)} "
        f"within {TOLERANCE:.0%}",
        f"{outside[0].size} on {outside[0].network} is {outside[0].difference_alone:+.0%} with the barrier "
        "alone: its range implies barriers as long as in a congested network"
        if outside
        else "",
    )


def _table_4(measured: Measured) -> Reproduced:
    about = "time of MPI_Barrier, alone and in a congested network"
    if measured.network_missing:
        count = max(measured.plan.ranks)
        times = [1e3 * measured.latency(count, load, "mpi") for load in (QUIET, LOADED)]
        near = f"{count} ranks in memory: {times[0]:.1f} and {times[1]:.1f} ms; {_published_barriers()}"
        return Reproduced("Table 4", about, ["measured"], near, measured.network_missing)
    found = {
        kind: [1e3 * (measured.network(kind, load, "mpi") or 0.0) for load in (QUIET, LOADED)]
        for kind in (paper.FAST, paper.GIGABIT)
    }
    parts = [f"{kind} {alone:.1f} and {busy:.1f} ms" for kind, (alone, busy) in found.items()]
    return Reproduced(
        "Table 4",
        about,
        ["measured"],
        f"on namespaces: {', '.join(parts)}; {_published_barriers()}",
        "nine hosts share the cores of this machine; today's MPI and TCP are not those of 2004",
    )


def _published_barriers() -> str:
    """Table 4, by network: alone, and what a congested one exceeds."""
    parts = []
    for kind in (paper.FAST, paper.GIGABIT):
        alone, busy = (1e3 * paper.software_barrier(kind, congested=each) for each in (False, True))
        parts.append(f"{alone:g} and over {busy:g}")
    return f"published {', '.join(parts)} ms"


def _table_5(measured: Measured) -> Reproduced:
    ports = {"parallel port": measured.accesses("ppdev"), "simulated wire": measured.accesses("wire")}
    name, times = next((name, times) for name, times in ports.items() if times is not None)
    theirs = [mean(paper.published()["parallel_port"][way]) for way in ("out", "in")]
    return Reproduced(
        "Table 5",
        "latency of the parallel port",
        ["measured"],
        f"{name}: OUT {1e6 * times[0]:.2f} us, IN {1e6 * times[1]:.2f} us; published, mean of all nodes: "
        f"{theirs[0]:.2f} us, {theirs[1]:.2f} us",
        measured.port_missing,
    )


def _table_6() -> Reproduced:
    device = calibrated()
    computed = [cell for cell in table_6(device) if not cell.calibrated]
    gains = worst([cell.gain_difference for cell in table_3(device)])
    return Reproduced(
        "Table 6",
        "frame rates with the hardware barrier, six sizes",
        ["computed", "measured"],
        f"{len(computed)} computed rates within {abs(worst([cell.difference for cell in computed])):.1%}, "
        f"the gain over Table 3 within {abs(gains):.1%}",
        "the other two calibrate the device",
    )


def _figure_2() -> Reproduced:
    rising, _ = wire_delays(paper.published()["nodes"])
    return Reproduced(
        "Figure 2",
        "the logic of the barrier",
        ["simulated"],
        f"a rising line takes {1e-3 * rising:.1f} ns, published "
        f"{paper.published()['wire']['total_nanoseconds']} ns",
        "gates inferred from the text on set, reset and delays",
    )
