"""The cost of an algorithm on a network by its closed form, as in the shift paper.

Source: section 4 of Cavin and Demengeon, "Shift-Based Parallel Image Compositing on InfiniBand
Fat-Trees" (2012).

The paper counts n in pixels in Table 1, and gives beta = 0.53e-9 s "per data item". This is the time of one
byte at 1800 MiB/s, not of a pixel: with n in pixels the whole curve would lie at 9 ms, whereas the paper
measures 172 ms per frame (5.8 frames/s at 1568 MB/s) for this image. Here, beta is therefore the time of a
pixel, its bytes divided by the bandwidth.
"""

from __future__ import annotations

from dataclasses import dataclass

from sortlast import schedule


@dataclass(frozen=True)
class Network:
    """Parameters of the curves.

    ``n``: pixels of an image; ``pixel_bytes``; ``alpha``: seconds per message; ``bandwidth``: bytes per
    second; ``latency``: ``"per_message"`` or ``"per_round"``.
    """

    n: int
    pixel_bytes: int
    alpha: float
    bandwidth: float
    latency: str = "per_message"

    @property
    def beta(self) -> float:
        """Seconds per pixel."""
        return self.pixel_bytes / self.bandwidth

    def degraded(self, fraction: float) -> Network:
        """The same network with ``fraction`` of its bandwidth lost."""
        return Network(self.n, self.pixel_bytes, self.alpha, self.bandwidth * (1 - fraction), self.latency)


def communication_time(name: str, p: int, network: Network) -> float:
    """Seconds that algorithm ``name`` communicates for p ranks, by its closed form.

    Raises :class:`sortlast.Error` if the algorithm has no closed form.
    """
    timing = schedule.formula(
        name, p, network.n, alpha=network.alpha, beta=network.beta, gamma=0.0, latency=network.latency
    )
    return timing.wait
