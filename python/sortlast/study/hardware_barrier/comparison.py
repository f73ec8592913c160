"""Tables 3 and 6, published beside computed.

Table 3 has ranges, and the paper two times of MPI_Barrier a network: alone on the network, and what it
exceeds when that is congested. So a computed rate is a range too, and is compared with the published one by
the gap between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sortlast.study.hardware_barrier import published as paper
from sortlast.study.hardware_barrier.device import CALIBRATION, Device

Range = tuple[float, float]  # lowest, highest

TOLERANCE = 0.15  # part by which a computed rate or gain may differ


def gap(computed: Range, published: Range) -> float:
    """How far two ranges are from each other, as a part of the nearer end of the published one.

    Positive where the computed one is above, 0 where they meet.
    """
    if computed[0] > published[1]:
        return computed[0] / published[1] - 1
    if computed[1] < published[0]:
        return computed[1] / published[0] - 1
    return 0.0


@dataclass(frozen=True)
class HardwareRate:
    """A cell of Table 6 [frames/s]."""

    size: str
    published: float
    computed: float

    @property
    def calibrated(self) -> bool:
        """Whether the model was given it."""
        return self.size in CALIBRATION

    @property
    def difference(self) -> float:
        """Computed over published, less 1."""
        return self.computed / self.published - 1


@dataclass(frozen=True)
class SoftwareRate:
    """A cell of Table 3 [frames/s], and its gain by the hardware barrier: Table 6 over Table 3."""

    network: str
    size: str
    published: Range
    alone: float
    congested: float
    hardware: HardwareRate

    @property
    def difference(self) -> float:
        """Gap of the computed range to the published one."""
        return gap((self.congested, self.alone), self.published)

    @property
    def difference_alone(self) -> float:
        """The same with the barrier alone on its network."""
        return gap((self.alone, self.alone), self.published)

    @property
    def published_gain(self) -> Range:
        """Lowest and highest."""
        return self.hardware.published / self.published[1], self.hardware.published / self.published[0]

    @property
    def computed_gain(self) -> Range:
        """With the barrier alone, and congested."""
        return self.hardware.computed / self.alone, self.hardware.computed / self.congested

    @property
    def gain_difference(self) -> float:
        """Gap of the computed gain to the published one."""
        return gap(self.computed_gain, self.published_gain)

    @property
    def implied_barrier(self) -> Range:
        """Seconds of MPI_Barrier by the published rates: what a frame takes longer than with hardware."""
        frame = 1 / self.hardware.published - paper.hardware_barrier()
        return 1 / self.published[1] - frame, 1 / self.published[0] - frame


def table_6(device: Device) -> list[HardwareRate]:
    """All six cells."""
    barrier = paper.hardware_barrier()
    return [
        HardwareRate(size, rate, 1 / device.seconds(size, barrier))
        for size, rate in paper.hardware_frame_rates().items()
    ]


def table_3(device: Device) -> list[SoftwareRate]:
    """All eighteen cells, network by network."""
    hardware = {cell.size: cell for cell in table_6(device)}
    cells = []
    for network, kind in paper.NETWORKS.items():
        alone, congested = (paper.software_barrier(kind, congested=busy) for busy in (False, True))
        for size, rates in paper.frame_rates(network).items():
            cells.append(
                SoftwareRate(
                    network,
                    size,
                    rates,
                    1 / device.seconds(size, alone),
                    1 / device.seconds(size, congested),
                    hardware[size],
                )
            )
    return cells


def worst(differences: Sequence[float]) -> float:
    """The one of largest size, with its sign."""
    return max(differences, key=abs)
