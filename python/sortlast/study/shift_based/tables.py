"""The tables of rates and bandwidths: published, simulated, computed and measured, each in its own column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sortlast.bandwidth import Bandwidths
from sortlast.study.document import Grid
from sortlast.study.shift_based import sweep
from sortlast.study.shift_based.cluster import ARITY, PIXEL_BYTES
from sortlast.study.shift_based.direct_send import EXPLANATION, MECHANISMS
from sortlast.study.shift_based.found import RANDOM_OF, Found, error, mean
from sortlast.study.shift_based.published import Run, direct_send, runs

_NONE = "-"


def frame_rates(found: Found) -> Grid:
    """Every frame rate of shift beside what the models give."""
    rows = []
    for run in runs().values():
        flows = found.rate(run.item, "flows")
        row = [run.item, str(run.p), _size(run.size), run.order, f"{run.fps:g}", f"{flows:.2f}"]
        row.append(_percent(error(flows, run)))
        row += [f"{found.rate(run.item, model):.2f}" for model in ("in_step", "free", "packets")]
        rows.append(row)
    head = [
        "",
        "nodes",
        "image",
        "order",
        "published",
        "simulated: flows",
        "flows off by",
        "computed: in step",
        "computed: free",
        "simulated: packets",
    ]
    return Grid("Shift, frames/s", head, rows, first_number=4)


def bandwidths(found: Found) -> Grid:
    """The mean of every matrix, and what the published frame rate says of a rank's own."""
    rows = []
    for run in runs().values():
        average = found.bandwidths(run.item).average
        sent = PIXEL_BYTES * run.pixels * (run.p - 1) / run.p * run.fps
        published = f"{run.bandwidth / 1e6:.0f}"
        off = _percent(average / run.bandwidth - 1)
        packets = found.rate(run.item, "packets_bandwidth")
        ours = (f"{average / 1e6:.0f}", off, f"{packets / 1e6:.0f}")
        rows.append([run.item, published, *ours, f"{sent / 1e6:.0f}"])
    head = [
        "",
        "published",
        "simulated: flows",
        "flows off by",
        "simulated: packets",
        "published frames/s x bytes of a rank",
    ]
    return Grid("Mean bandwidth of a send, MB/s", head, rows)


def other_constants(found: Found) -> Grid:
    """Flows with the constants that the frame rates of the same two figures give."""
    rows = []
    for run in runs().values():
        rate = found.rate(run.item, "flows_by_frame_rates")
        rows.append([run.item, f"{run.fps:g}", f"{rate:.2f}", _percent(error(rate, run))])
    head = ["", "published", "simulated: flows", "off by"]
    return Grid("Shift, frames/s, calibrated by the frame rates of Figures 4 and 5 instead", head, rows)


def orders(found: Found) -> Grid:
    """The run in alphabetical order, if the names had nothing to do with the cables."""
    run = runs()[RANDOM_OF]
    models = ("flows", "in_step", "free", "packets")
    alphabetical = [_spread([found.rate(run.item, model)]) for model in models]
    at_random = [_spread(found.random_rates(model)) for model in models]
    rows = [
        ["node1, node10, node100, ...", f"{run.fps:g}", *alphabetical],
        ["random", f"{run.fps:g}", *at_random],
    ]
    head = [
        "order",
        "published",
        "simulated: flows",
        "computed: in step",
        "computed: free",
        "simulated: packets",
    ]
    return Grid(f"{run.item} in other orders, frames/s", head, rows)


def peaks(found: Found) -> Grid:
    """Where the curves of Figure 8 peak, and how the sizes compare at the peaks."""
    rows = []
    for p in range(ARITY, sweep.COUNTS[-1] + 1, ARITY):
        rates = [found.sweep_at(size, p) for size in sweep.SIZES]
        after = found.sweep_at(sweep.SIZES[1], p + 1) if p < sweep.COUNTS[-1] else None
        fall = _NONE if after is None else _percent(after / rates[1] - 1)
        rows.append([str(p), *(f"{rate:.1f}" for rate in rates), fall, f"{rates[0] / rates[2]:.2f}"])
    head = ["nodes", *map(_size, sweep.SIZES), "at one node more", "first / last"]
    return Grid("Figure 8 at whole leaf switches, frames/s, simulated by flows", head, rows)


def mechanisms(found: Found) -> Grid:
    """Direct-send by every mechanism."""
    cases = direct_send()
    rows = [["published", *(f"{case.fps:g}" for case in cases)]]
    for mechanism in MECHANISMS:
        rates = [found.direct_send(mechanism, case) for case in cases]
        if any(rates):
            rows.append([mechanism.text, *(_spread(each) if each else _NONE for each in rates)])
    head = ["", *(f"{case.p} nodes, {case.order} order" for case in cases)]
    return Grid("Direct-send, frames/s, 4096x2048; rows below the first are simulated", head, rows)


def crowding(found: Found) -> Grid:
    """How many messages are under way to one receiver."""
    cases = direct_send()
    rows = []
    for mechanism in MECHANISMS:
        counts = [found.direct_send(mechanism, case, "under_way") for case in cases]
        if any(counts) and mechanism.piece == 0:
            rows.append([mechanism.text, *(f"{mean(each):.1f}" if each else _NONE for each in counts)])
    head = ["", *(f"{case.p} nodes, {case.order} order" for case in cases)]
    return Grid("Messages under way to one receiver, mean while there are any, simulated", head, rows)


def beside_shift(found: Found) -> Grid:
    """Direct-send by the mechanism that explains it, and how much faster shift is."""
    rows = []
    for case in direct_send():
        shift = next(run for run in runs().values() if _same_run(run, case.p, case.order))
        rate = mean(found.direct_send(EXPLANATION, case))
        ours, theirs = found.rate(shift.item, "flows") / rate, shift.fps / case.fps
        name = f"{case.p} nodes, {case.order} order"
        off = _percent(error(rate, case))
        rows.append([name, f"{case.fps:g}", f"{rate:.2f}", off, f"{theirs:.2f}", f"{ours:.2f}"])
    head = [
        "",
        "direct-send, published",
        "direct-send, simulated",
        "off by",
        "shift / direct-send, published",
        "shift / direct-send, simulated",
    ]
    return Grid("Direct-send beside shift, frames/s", head, rows)


def measured(matrices: Mapping[str, Bandwidths], rates: Mapping[str, Mapping[str, float]]) -> Grid:
    """What was measured: bandwidths, and frames of shift and direct-send."""
    rows = []
    for name, found in matrices.items():
        speeds = (f"{each / 1e6:.0f}" for each in (found.minimum, found.average, found.maximum))
        fps = rates.get(name, {})
        frames = (f"{fps[each]:.1f}" if each in fps else _NONE for each in ("shift", "direct-send"))
        rows.append([name, str(found.p), f"{found.message_bytes:,}", *speeds, *frames])
    head = [
        "",
        "ranks",
        "bytes of a message",
        "min MB/s",
        "average MB/s",
        "max MB/s",
        "shift, frames/s",
        "direct-send, frames/s",
    ]
    return Grid("Measured", head, rows)


def _same_run(run: Run, p: int, order: str) -> bool:
    return run.p == p and run.order == order and run.size == sweep.SIZES[1]


def _size(size: tuple[int, int]) -> str:
    return f"{size[0]}x{size[1]}"


def _percent(part: float) -> str:
    return f"{100 * part:+.1f} %"


def _spread(rates: Sequence[float]) -> str:
    if len(rates) < 2:
        return f"{mean(rates):.2f}"
    return f"{mean(rates):.2f} ({min(rates):.2f} to {max(rates):.2f})"
