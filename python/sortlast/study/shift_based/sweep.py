"""Figure 8: frames a second of shift on 12 to 144 nodes in steps of 1, in routing order."""

from __future__ import annotations

from collections.abc import Sequence

from sortlast import Error
from sortlast.study.shift_based import cluster, frames
from sortlast.study.shift_based.calibration import by_bandwidths
from sortlast.study.steps import Json, PartDone

COUNTS = range(12, cluster.NODES + 1)
SIZES = ((2048, 2048), (4096, 2048), (4096, 4096))
_FALL = 1.1  # a peak over what follows it


def simulated(size: tuple[int, int], part_done: PartDone) -> Json:
    """Frames a second for all of COUNTS: by contention, in step, and by flows."""
    constants, pixels = by_bandwidths(), size[0] * size[1]
    in_step, flows = [], []
    for p in COUNTS:
        if not part_done((p / cluster.NODES) ** 2):
            raise Error(f"the sweep ended before {p} nodes")
        hosts = cluster.hosts("routing", p)
        in_step.append(frames.contention(p, pixels, hosts, constants)[0])
        flows.append(frames.flows(p, pixels, hosts, constants).frames_per_second)
    return {"in_step": in_step, "flows": flows}


def peaks(rates: Sequence[float]) -> list[int]:
    """The counts of nodes after which the rate falls; the last count is one if the rate has risen to it."""
    found = [COUNTS[k] for k in range(len(rates) - 1) if rates[k] > _FALL * rates[k + 1]]
    return [*found, COUNTS[-1]] if rates[-1] > _FALL * rates[-2] else found
