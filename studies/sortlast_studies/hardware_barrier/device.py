"""Frame rates of the compositing device by parts: for eight nodes as in Tables 3 and 6, and for more.

One frame of n pixels in the paper's loop takes::

    T(n) = T_start + T_readback(n) + n T_pixel + T_barrier

T_readback is Table 2, linearly interpolated and extrapolated from its three sizes. T_barrier is Table 4 for
MPI_Barrier, and Table 5 with the wire for the hardware. T_pixel is the time of a pixel from the memory of a
node over both interface cards, cables and units to the graphics card of the display node, and T_start the
remaining cost of a frame. The paper gives no bandwidth or time for these, so both are calibrated, on two of
the six rates of Table 6 (:data:`CALIBRATION`); the other four, and all eighteen of Table 3, are computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sortlast_studies.hardware_barrier import paper
from sortlast_studies.hardware_barrier.cascade import cascade
from sortlast_studies.hardware_barrier.wire import Delays

CALIBRATION = ("256x256", "1024x1024")  # sizes with a rate in Table 6 that calibrates the model
LARGER = (8, 16, 32, 64, 128, 256, 512)  # rendering nodes of clusters; one more node displays
HARDWARE = "hardware barrier"

_PIXEL_BYTES = 4


@dataclass(frozen=True)
class Device:
    """T_start [s] and T_pixel [s]."""

    start: float
    pixel: float

    @property
    def bandwidth(self) -> float:
        """Bytes per second that correspond to T_pixel."""
        return _PIXEL_BYTES / self.pixel

    def rate(self, size: str, barrier: float, levels: int = 1) -> float:
        """Frames per second with a barrier [s].

        A unit has no buffer for an image, so each level of a cascade after the first delays the image by less
        than one line; a whole line is assumed.
        """
        width, _ = paper.SIZES[size]
        delay = (levels - 1) * width
        return 1 / (self.start + readback(size) + (paper.pixels(size) + delay) * self.pixel + barrier)


def readback(size: str) -> float:
    """T_readback [s]: Table 2, linear in the pixels; extrapolated by the slope of the last two images."""
    known = sorted((paper.pixels(name), seconds) for name, seconds in paper.readback().items())
    n = paper.pixels(size)
    (before, at_before), (last, at_last) = known[-2:]
    if n > last:
        return at_last + (n - last) * (at_last - at_before) / (last - before)
    return float(np.interp(n, [pixels for pixels, _ in known], [seconds for _, seconds in known]))


def calibrated() -> Device:
    """The device that has the rates of Table 6 at the sizes of :data:`CALIBRATION`."""
    (n1, rest1), (n2, rest2) = (
        (
            paper.pixels(size),
            1 / paper.PAPER.value("Table 6", size, "frames/s") - readback(size) - paper.hardware_barrier(),
        )
        for size in CALIBRATION
    )
    pixel = (rest2 - rest1) / (n2 - n1)
    return Device(rest1 - n1 * pixel, pixel)


# --- larger clusters ----------------------------------------------------------------------------------


def software_barrier(kind: str, nodes: int, *, congested: bool = False) -> float:
    """Seconds of MPI_Barrier on any number of nodes: Table 4, scaled by the ceil(log2 p) rounds."""
    measured = paper.software_barrier(kind, congested=congested)
    return measured * _rounds(nodes) / _rounds(paper.NODES)


def hardware_barrier(nodes: int) -> float:
    """Seconds of the port and of a wire with gates of eight inputs."""
    delays = Delays.as_published()
    more = delays.total(nodes, fan_in=paper.INPUTS) - delays.total(nodes)
    return paper.hardware_barrier() + 1e-12 * more


def larger_rates(size: str, nodes: int) -> dict[str, float]:
    """Frames per second by barrier: :data:`HARDWARE`, and MPI_Barrier on each network, congested too.

    The paper expects this but could not measure it.
    """
    device, levels = calibrated(), len(cascade(nodes))
    barriers = {HARDWARE: hardware_barrier(nodes + 1)}
    for kind in (paper.GIGABIT, paper.FAST):
        barriers[kind] = software_barrier(kind, nodes + 1)
        barriers[f"{kind}, congested"] = software_barrier(kind, nodes + 1, congested=True)
    return {name: device.rate(size, seconds, levels) for name, seconds in barriers.items()}


def _rounds(nodes: int) -> int:
    return math.ceil(math.log2(nodes))
