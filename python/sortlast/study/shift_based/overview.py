"""What of the paper is reproduced, and how near: its table and its nine figures."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast.study.shift_based import sweep, table_1
from sortlast.study.shift_based.calibration import FIGURES
from sortlast.study.shift_based.direct_send import EXPLANATION
from sortlast.study.shift_based.found import Found, error, mean
from sortlast.study.shift_based.published import DirectSend, Run, direct_send, runs, values
from sortlast.study.study import Reproduced

_CONTENDED = (
    "sends that share no link are delayed too on the cluster, as packets in queues are; flows do not know it"
)


def reproduced(found: Found) -> list[Reproduced]:
    """The numbered table and figures of the paper, in their order."""
    by_item = {item: _run(found, run) for item, run in runs().items()}
    return [
        Reproduced(
            "Table 1",
            "costs of six algorithms",
            ["computed"],
            table_1.near(),
            table_1.why(),
        ),
        Reproduced(
            "Figure 1",
            "the stages of shift on 4 nodes",
            ["drawn"],
            "drawn from the schedule that is executed",
        ),
        *(
            Reproduced(
                item,
                f"communication time, {where}",
                ["computed"],
                "the closed forms of Table 1 with the published constants",
                "the curves are not printed as numbers; beta is of a byte, as the frame rates say",
            )
            for item, where in (("Figure 2", "crossbar"), ("Figure 3", "fat-tree"))
        ),
        *(by_item[f"Figure {number}"] for number in (4, 5, 6, 7)),
        _sweep(found),
        by_item["Figure 9"],
    ]


def _run(found: Found, run: Run) -> Reproduced:
    rate, average = found.rate(run.item, "flows"), found.bandwidths(run.item).average
    off = average / run.bandwidth - 1
    source = "calibrated by it" if run.item in FIGURES else f"{100 * off:+.0f} %"
    near = (
        f"{rate:.2f} frames/s, published {run.fps:g} ({100 * error(rate, run):+.1f} %); "
        f"average bandwidth {average / 1e6:.0f} MB/s, published {run.bandwidth / 1e6:.0f} ({source})"
    )
    beside = [_direct_send(found, case) for case in _cases(run)]
    why = _CONTENDED if off > 0.1 else ""
    if run.order == "alphabetical":
        why = f"the names of the nodes are not published: numbers without leading zeros; {why}"
    return Reproduced(
        run.item,
        f"bandwidths of all pairs, {run.p} nodes, {run.size[0]}x{run.size[1]}, {run.order} order",
        ["simulated"],
        "; ".join([near, *beside]),
        why,
    )


def _cases(run: Run) -> Sequence[DirectSend]:
    """The published runs of direct-send beside a run of shift."""
    if run.size != sweep.SIZES[1]:
        return []
    return [case for case in direct_send() if case.p == run.p and case.order == run.order]


def _direct_send(found: Found, case: DirectSend) -> str:
    rate = mean(found.direct_send(EXPLANATION, case))
    return f"direct-send {rate:.2f} frames/s, published {case.fps:g} ({100 * error(rate, case):+.1f} %)"


def _sweep(found: Found) -> Reproduced:
    theirs = values()["figure_8"]
    (first, last), step = theirs["p"], theirs["peaks"]
    whole = list(range(first + step, last + 1, step))
    same = sum(sweep.peaks(found.sweep(size, "flows")) == whole for size in sweep.SIZES)
    few, many = (found.first_over_last(p) for p in (first, last))
    why = "the curves are not printed as numbers"
    if many < few:
        why = f"short messages pay the fixed cost of a stage; {why}"
    return Reproduced(
        "Figure 8",
        f"frame rates of shift on {first} to {last} nodes",
        ["simulated"],
        f"peaks at multiples of {step} from {whole[0]} nodes on for {same} of {len(sweep.SIZES)} sizes of "
        f"images; the smallest {few:.1f} times as fast as the largest on {first} nodes, {many:.1f} on "
        f"{last}, published {theirs['ratio']:g}",
        why,
    )
