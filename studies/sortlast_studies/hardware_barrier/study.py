"""The study as a value: converts the model and the results of its steps to the table."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from sortlast_studies.hardware_barrier import dynamic, paper, swap
from sortlast_studies.hardware_barrier.barriers import BARRIERS, NONE
from sortlast_studies.hardware_barrier.cascade import cables, cascade
from sortlast_studies.hardware_barrier.device import CALIBRATION, LARGER, calibrated, larger_rates
from sortlast_studies.hardware_barrier.latency import BY_MESSAGES
from sortlast_studies.hardware_barrier.port import FIRST_PORT
from sortlast_studies.hardware_barrier.steps import LOADED, LOADS, QUIET, Plan, plan, steps
from sortlast_studies.hardware_barrier.terms import (
    ERROR,
    GROUPS,
    GROUPS_HERE,
    HERE,
    LARGE,
    LARGE_SIZES,
    LOCAL,
    SKEW,
    SUBSETS,
    SWAP,
    SWAP_HERE,
    Terms,
)
from sortlast_studies.hardware_barrier.wire import Delays, wire_delays
from sortlast_studies.steps import Json, Results, is_refused
from sortlast_studies.study import Study
from sortlast_studies.table import Kind, Table

PIXEL_BYTES = {"RGBA8": 4, "RGBA32F": 16}  # by format of a readback

_MEBI = 1 << 20
_PER_SECOND = {"ms": 1e3, "us": 1e6}
_NETWORK_LOADS = {QUIET: "alone", LOADED: "congested"}  # the paper's names


def tabulate(results: Results, quick: bool) -> Table:
    """The table of computed, simulated and measured values."""
    table, chosen = Table(paper.PAPER), plan(quick)
    _device(table)
    _wire(table)
    _larger(table)
    _readback(table, results, chosen)
    _barriers(table, results, chosen)
    _ports(table, results, chosen)
    _frames(table, results, chosen)
    _dynamic(table)
    _swap(table)
    _future(table, results, chosen)
    return table


# --- computed and simulated ---------------------------------------------------------------------------


def _device(table: Table) -> None:
    """Figure 1, the rates of Table 2, and Tables 3 and 6 with their calibration."""
    for p in (8, 64, 512):
        levels = cascade(p)
        table.add("Figure 1", p, "levels", len(levels))
        table.add("Figure 1", p, "units by level", note=" + ".join(str(len(level)) for level in levels))
        table.add("Figure 1", p, "cables into units", cables(levels))
    for size, seconds in paper.readback().items():
        table.add("Table 2", size, "RGBA8 rate", _rate("RGBA8", size, seconds), "MiB/s")
    device = calibrated()
    table.add("Calibration", "T_start", "", 1e3 * device.start, "ms", "calibrated")
    table.add("Calibration", "T_pixel", "", 1e9 * device.pixel, "ns", "calibrated")
    table.add("Calibration", "bandwidth", "", device.bandwidth / 1e6, "MB/s", "calibrated")
    for size in paper.SIZES:
        kind: Kind = "calibrated" if size in CALIBRATION else "computed"
        table.add("Table 6", size, "frames/s", device.rate(size, paper.hardware_barrier()), "frames/s", kind)
    for network, of in paper.NETWORKS.items():
        for size in paper.SIZES:
            for column, congested in (("lowest", True), ("highest", False)):
                rate = device.rate(size, paper.software_barrier(of, congested=congested))
                how = "congested" if congested else "alone"
                note = f"with the time of MPI_Barrier {how} in Table 4"
                table.add("Table 3", f"{network}, {size}", column, rate, "frames/s", note=note)


def _wire(table: Table) -> None:
    """Figure 2: the delays of the wire."""
    delays, of_all = Delays.as_published(), f"{paper.NODES} nodes"
    rising, falling = wire_delays(paper.NODES)
    narrow = delays.total(paper.MOST_NODES, fan_in=paper.INPUTS)
    table.add("Figure 2", of_all, "rising", 1e-3 * delays.total(paper.NODES), "ns")
    table.add("Figure 2", of_all, "rising", 1e-3 * rising, "ns", "simulated")
    table.add("Figure 2", of_all, "falling", 1e-3 * falling, "ns", "simulated")
    table.add("Figure 2", of_all, "gates fewer, falling", (rising - falling) / delays.gate, "", "simulated")
    table.add(
        "Figure 2", f"{paper.MOST_NODES} nodes, gates of {paper.INPUTS} inputs", "rising", 1e-3 * narrow, "ns"
    )


def _larger(table: Table) -> None:
    """Frame rates of larger clusters, one item per size."""
    for size in LARGE_SIZES:
        for nodes in LARGER:
            table.add_line(LARGE.format(size), nodes, larger_rates(size, nodes), "frames/s")


def _dynamic(table: Table) -> None:
    """Barriers of some nodes: the wire's delay, and the costs of a group on the wire and by MPI."""
    table.add("Figure 2", GROUPS, "rising", 1e-3 * dynamic.total(paper.NODES), "ns")
    some = range(0, paper.NODES, 2)
    table.add("Figure 2", GROUPS, "rising", 1e-3 * dynamic.delay(paper.NODES, some), "ns", "simulated")
    for nodes, counts in SUBSETS.items():
        table.add(GROUPS, f"{nodes} nodes", "writes of a set-up", dynamic.writes(nodes))
        for members in counts:
            row = f"{members} of {nodes} nodes"
            by_way = {"hardware": dynamic.costs(nodes)}
            by_way |= {kind: dynamic.software(kind, members) for kind in (paper.GIGABIT, paper.FAST)}
            for way, costs in by_way.items():
                for part, seconds in costs.items():
                    table.add(GROUPS, row, f"{way}, {part}", 1e6 * seconds, "us")


def _swap(table: Table) -> None:
    """Swap locking of the paper's device: its rates, and the fraction of split frames."""
    for size in paper.SIZES:
        table.add_line(SWAP, size, swap.rates(size), "frames/s")
    for name, seconds in swap.skews().items():
        table.add(SKEW, name, "skew", 1e6 * seconds, "us")
        table.add(SKEW, name, "split", seconds * swap.HERTZ)


def _rate(pixel_format: str, size: str, seconds: float) -> float:
    """MiB/s of a readback."""
    return PIXEL_BYTES[pixel_format] * paper.pixels(size) / seconds / _MEBI


# --- measured -----------------------------------------------------------------------------------------


def _readback(table: Table, results: Results, chosen: Plan) -> None:
    """Table 2: VTK's framebuffer read back."""
    result = results[chosen.step("readback")]
    for k, size in enumerate(paper.SIZES):
        for name in PIXEL_BYTES:
            if is_refused(result):
                table.add("Table 2", size, name, unit="ms", kind="measured", note=result["refused"])
                continue
            seconds = result["sizes"][k][name]
            _timed(table, "Table 2", size, name, seconds, "ms")
            rate = _rate(name, size, median(seconds))
            table.add("Table 2", size, f"{name} rate", rate, "MiB/s", "measured", n=len(seconds))


def _barriers(table: Table, results: Results, chosen: Plan) -> None:
    """Table 4: barriers among hosts, and among ranks of this machine."""
    for kind in paper.KINDS:
        for load, how in _NETWORK_LOADS.items():
            result = results[chosen.step(kind, load)]
            for name in BY_MESSAGES:
                place = "Table 4", kind, f"{name}, {how}"
                if is_refused(result):
                    table.add(*place, unit="ms", kind="measured", note=result["refused"])
                else:
                    _timed(table, *place, result[name], "ms")
    for load in LOADS:
        for count in chosen.ranks:
            for name in BARRIERS:
                seconds = results[chosen.step("latency", count, load)][name]
                _timed(table, LOCAL[load], count, name, seconds, "us")


def _ports(table: Table, results: Results, chosen: Plan) -> None:
    """Table 5: sums of published values, and accesses to the simulated wire and to a port."""
    for pc in table.rows("Table 5", "published"):
        parts = (table.value("Table 5", pc, way, "published") for way in ("OUT", "IN"))
        table.add("Table 5", pc, "sum", sum(parts), "us")
    for row, step, key in (
        ("simulated wire", "accesses", "wire"),
        (str(FIRST_PORT), "port", "ppdev"),
    ):
        result = results[chosen.step(step)]
        if is_refused(result):
            for way in ("OUT", "IN"):
                table.add("Table 5", row, way, unit="us", kind="measured", note=result["refused"])
            continue
        writes, reads = zip(*result[key], strict=True)
        _timed(table, "Table 5", row, "OUT", writes, "us")
        _timed(table, "Table 5", row, "IN", reads, "us")
        both = 1e6 * (median(writes) + median(reads))
        table.add("Table 5", row, "sum", both, "us", "measured", n=len(writes))


def _frames(table: Table, results: Results, chosen: Plan) -> None:
    """Tables 3 and 6 on this machine, and the difference of its frames from the serial composite."""
    result = results[chosen.step("frames")]
    for size, found in zip(paper.SIZES, result, strict=True):
        for name in (NONE, *BARRIERS):
            rates = [1 / each for each in found["seconds"][name]]
            table.add_sample(HERE, size, name, rates, "frames/s", "measured", by=median)
        table.add(ERROR, size, "", found["error"], "of 255", "measured")


def _future(table: Table, results: Results, chosen: Plan) -> None:
    """Groups and swap locking among ranks of this machine, and on hosts of a network."""
    _groups_of(table, GROUPS_HERE, results[chosen.step("groups")])
    table.add(
        SWAP_HERE, "a lock without cost", "frames/s", swap.expected(paper.NODES, chosen.swaps), "frames/s"
    )
    _swaps_of(table, "", results[chosen.step("swap")])
    for kind in paper.KINDS:
        result = results[chosen.step("future", kind)]
        if is_refused(result):
            table.add(f"{GROUPS_HERE}, {kind}", "refused", "", kind="measured", note=result["refused"])
            continue
        _groups_of(table, f"{GROUPS_HERE}, {kind}", result["groups"])
        _swaps_of(table, f", {kind}", result["swap"])


def _groups_of(table: Table, item: str, found: Json) -> None:
    for way, by_size in found.items():
        for size, parts in by_size.items():
            for part, seconds in parts.items():
                _timed(table, item, size, f"{way}, {part}", seconds, "us")


def _swaps_of(table: Table, where: str, found: Json) -> None:
    for name, turns in found.items():
        rates, split = zip(*turns, strict=True)
        table.add_sample(SWAP_HERE, name + where, "frames/s", rates, "frames/s", "measured", by=median)
        table.add_sample(SWAP_HERE, name + where, "split", split, "", "measured", by=median)


def _timed(table: Table, item: str, row: object, column: str, seconds: Sequence[float], unit: str) -> None:
    """Add the median of some times in milliseconds or microseconds."""
    times = [_PER_SECOND[unit] * each for each in seconds]
    table.add_sample(item, row, column, times, unit, "measured", by=median)


STUDY = Study(package=paper.PACKAGE, steps=steps, tabulate=tabulate, terms=Terms)
