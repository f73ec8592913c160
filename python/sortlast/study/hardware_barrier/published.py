"""The published values, in seconds, frames a second and pixels."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

FAST, GIGABIT = "Fast Ethernet", "Gigabit Ethernet"

# What Table 3 was measured on, and the network of Table 4 that it is.
NETWORKS = {
    "Fast Ethernet, SH1516": FAST,
    "Gigabit Ethernet, GS104 + GS108": GIGABIT,
    "Gigabit Ethernet, SH43226": GIGABIT,
}


@cache
def published() -> dict[str, Any]:
    """The file, as it stands."""
    text = files(__package__).joinpath("published.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def sizes() -> dict[str, tuple[int, int]]:
    """The six sizes of an image, (width, height) in pixels, by name, in the order of Table 3."""
    return {name: _width_height(name) for name in published()["sizes"]}


def pixels(size: str) -> int:
    """How many pixels an image of a size has."""
    width, height = _width_height(size)
    return width * height


def frame_rates(network: str) -> dict[str, tuple[float, float]]:
    """Table 3: by size, the lowest and the highest rate on one of :data:`NETWORKS`."""
    rows = published()["frame_rates"][network]
    return {size: (low, high) for size, (low, high) in zip(published()["sizes"], rows, strict=True)}


def hardware_frame_rates() -> dict[str, float]:
    """Table 6, by size."""
    return dict(zip(published()["sizes"], published()["hardware_frame_rates"]["rates"], strict=True))


def readback() -> dict[str, float]:
    """Table 2: seconds to read the framebuffer back, by size."""
    return {size: 1e-3 * value for size, value in published()["readback"]["milliseconds"].items()}


def software_barrier(kind: str, *, congested: bool = False) -> float:
    """Table 4: seconds of MPI_Barrier of nine nodes on a kind of network; congested: at least so long."""
    key = "congested_milliseconds" if congested else "alone_milliseconds"
    return 1e-3 * float(published()["software_barrier"][key][kind])


def hardware_barrier() -> float:
    """Seconds of the hardware barrier: the slowest port of Table 5, and the wire."""
    slowest: float = max(published()["parallel_port"]["total"])
    return 1e-6 * slowest + 1e-9 * float(published()["wire"]["total_nanoseconds"])


def _width_height(size: str) -> tuple[int, int]:
    width, height = size.split("x")
    return int(width), int(height)
