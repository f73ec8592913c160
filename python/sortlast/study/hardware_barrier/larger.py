"""Clusters up to the 512 nodes of the device, computed: what the paper expects and could not measure."""

from __future__ import annotations

from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.cascade import cascade
from sortlast.study.hardware_barrier.device import calibrated, software_barrier
from sortlast.study.hardware_barrier.wire import Delays

NODES = (8, 16, 32, 64, 128, 256, 512)  # that render; one more displays
HARDWARE = "hardware barrier"


def rates(size: str, nodes: int, *, congested: bool = False) -> dict[str, float]:
    """Frames a second by barrier: :data:`HARDWARE`, or MPI_Barrier on a kind of network."""
    device, levels = calibrated(), len(cascade(nodes))
    barriers = {
        kind: software_barrier(kind, nodes + 1, congested=congested) for kind in (paper.GIGABIT, paper.FAST)
    }
    barriers[HARDWARE] = hardware_barrier(nodes + 1)
    return {name: 1 / device.seconds(size, seconds, levels) for name, seconds in barriers.items()}


def hardware_barrier(nodes: int) -> float:
    """Seconds of the port and of a wire whose gates have eight inputs."""
    delays = Delays.as_published()
    more = delays.total(nodes, fan_in=8) - delays.total(nodes)
    return paper.hardware_barrier() + 1e-12 * more
